import assert from 'node:assert/strict';
import { outWeights, pagerankContributions, pagerankStep } from '../src/kernels/pagerank.js';
import { type BlockStep, pagerankContributions8, pagerankStep8 } from '../src/kernels/pagerank-block.js';
import { WALK_LANES } from '../src/memory/layout.js';
import { Arena } from '../test/kernels/arena.js';
import { step } from '../test/reference/pagerank-step.js';
import { communities, csr, type Edges, rmat } from './generate.js';
import { race, type Table } from './report.js';

const DAMPING = 0.85;

export default async function pagerank(seed: number): Promise<Table[]> {
  return [
    ...(await subject('R-MAT 15', rmat(seed, 15, 350_000))),
    ...(await subject('R-MAT 17', rmat(seed, 17, 1_900_000))),
    ...(await subject('communities', communities(seed, 2 ** 18, 4))),
  ];
}

async function subject(name: string, { nodes, from, to }: Edges): Promise<Table[]> {
  const arena = new Arena(nodes * 200 + from.length * 32 + 2 ** 20, 65536);
  const { kernels } = arena;
  const [inward, outward] = [csr(nodes, to, from), csr(nodes, from, to)];
  const [inAt, outAt] = [inward, outward].map(
    ({ starts, ends }) => [arena.u32(starts), arena.u32(ends)] as const,
  ) as [readonly [number, number], readonly [number, number]];
  const weightsAt = arena.f64(new Float64Array(from.length).fill(1.5));
  const plainAt = arena.u32([...inAt, 0, 0, 0]);
  const weightedAt = arena.u32([...inAt, weightsAt, 0, 0]);
  const backAt = arena.u32([...outAt, 0, 0, 0]);
  const inverse = Float64Array.from({ length: nodes }, (_, row) => {
    const degree = outward.starts[row + 1]! - outward.starts[row]!;
    return degree === 0 ? 0 : 1 / degree;
  });
  const even = new Float64Array(nodes).fill(1 / nodes);
  const [inverseAt, restartAt, scoresAt] = [arena.f64(inverse), arena.f64(even), arena.f64(even)];
  const [contributionsAt, sumsAt] = [arena.room(Float64Array, nodes), arena.room(Float64Array, nodes)];
  const scores = arena.view(Float64Array, scoresAt, nodes);
  const contributions = arena.view(Float64Array, contributionsAt, nodes);

  const spread = () => pagerankContributions(kernels, scoresAt, inverseAt, nodes, contributionsAt);
  const pull = (graphAt: number, secondAt = 0, ratio = 0) => {
    const base = 1 - DAMPING;
    return pagerankStep(
      kernels,
      graphAt,
      secondAt,
      ratio,
      nodes,
      contributionsAt,
      restartAt,
      0,
      0,
      base,
      DAMPING,
      scoresAt,
    );
  };
  const plainly = () => {
    const { starts, ends } = inward;
    let change = 0;
    for (let row = 0; row < nodes; row++) {
      let sum = 0;
      for (let e = starts[row]!; e < starts[row + 1]!; e++) sum += contributions[ends[e]!]!;
      const next = (1 - DAMPING) * even[row]! + DAMPING * sum;
      change += Math.abs(next - scores[row]!);
      scores[row] = next;
    }
    return change;
  };

  spread();
  const expected = step({
    graph: { starts: [...inward.starts], ends: [...inward.ends] },
    ratio: 0,
    contributions: [...contributions],
    restart: [...even],
    isVisible: () => true,
    base: 1 - DAMPING,
    damping: DAMPING,
    scores: [...even],
  });
  for (const run of [() => pull(plainAt), plainly]) {
    scores.set(even);
    assert.equal(run(), expected.change);
    assert.deepEqual([...scores], expected.scores);
  }

  const seeds = Array.from({ length: 80 }, (_, i) => Math.floor((i * nodes) / 80));
  const block: BlockStep = {
    graphAt: plainAt,
    secondAt: 0,
    ratio: 0,
    n: nodes,
    contributionsAt: arena.room(Float64Array, nodes * WALK_LANES),
    seedsAt: arena.u32(seeds),
    seedCount: seeds.length,
    restartAt: arena.f64(new Float64Array(seeds.length * WALK_LANES).fill(1 / seeds.length)),
    loopsAt: 0,
    bitmapAt: 0,
    baseAt: arena.f64(new Float64Array(WALK_LANES).fill(1 - DAMPING)),
    damping: DAMPING,
    scoresAt: arena.f64(new Float64Array(nodes * WALK_LANES).fill(1 / nodes)),
    changeAt: arena.room(Float64Array, WALK_LANES),
  };
  const spread8 = () => {
    const { scoresAt, contributionsAt, changeAt } = block;
    pagerankContributions8(kernels, scoresAt, inverseAt, nodes, contributionsAt, changeAt);
  };
  // A whole step, contributions and pull, for one walk and, side by side, for eight.
  const both = (graphAt: number) => () => {
    spread();
    pull(graphAt);
  };
  const both8 = (graphAt: number) => () => {
    spread8();
    pagerankStep8(kernels, { ...block, graphAt });
  };

  const steps = await race(
    `pagerank: ${name}, a step of one walk and of eight side by side, per walk`,
    [
      { name: 'one walk', run: both(plainAt) },
      { name: 'eight', run: both8(plainAt), units: WALK_LANES },
      { name: 'one, weighted', run: both(weightedAt) },
      { name: 'eight, weighted', run: both8(weightedAt), units: WALK_LANES },
    ],
    ['one walk', 'one, weighted'],
  );
  const parts = await race(
    `pagerank: ${name}, ${nodes} nodes, ${from.length} edges, one step`,
    [
      { name: 'plain JS', run: plainly },
      { name: 'one graph', run: () => pull(plainAt) },
      { name: 'weighted', run: () => pull(weightedAt) },
      { name: 'both directions', run: () => pull(plainAt, backAt, 0.5), units: 2 },
      { name: 'contributions', run: spread },
      { name: 'out-weights', run: () => outWeights(kernels, backAt, nodes, 0, 1, sumsAt) },
    ],
    ['plain JS', 'one graph'],
  );
  return [parts, steps];
}
