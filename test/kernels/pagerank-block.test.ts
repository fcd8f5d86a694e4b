import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pagerankContributions8, pagerankStep8, takeLane8 } from '../../src/kernels/pagerank-block.js';
import { type Csr, step } from '../reference/pagerank-step.js';
import { Arena, randoms } from './arena.js';

const arena = new Arena();
const LANES = 8;

/** A row's numbers of all lanes, one after the other. */
const interleaved = (lanes: readonly (readonly number[])[], n: number): number[] =>
  Array.from({ length: n * LANES }, (_, i) => lanes[i % LANES]?.[Math.floor(i / LANES)] ?? 0);

function randomGraph(n: number, edges: number, seed: number): Csr {
  const next = randoms(seed);
  const lists = Array.from({ length: n }, (): number[] => []);
  for (let e = 0; e < edges; e++) lists[Math.floor(next(n))]!.push(Math.floor(next(n)));
  const starts = [0];
  for (const list of lists) starts.push(starts.at(-1)! + list.length);
  const ends = lists.flat();
  return {
    starts,
    ends,
    weights: ends.map(() => 0.25 + next(4)),
    kinds: ends.map((end) => end % 3),
    kindWeights: [0.5, 1.7, 0.3],
  };
}

/** With or without weights, with or without kinds. */
const shapes = ({ starts, ends, weights, kinds, kindWeights }: Csr): Csr[] => [
  { starts, ends },
  { starts, ends, weights: weights! },
  { starts, ends, kinds: kinds!, kindWeights: kindWeights! },
  { starts, ends, weights: weights!, kinds: kinds!, kindWeights: kindWeights! },
];

function put({ starts, ends, weights, kinds, kindWeights }: Csr): number {
  return arena.u32([
    arena.u32(starts),
    arena.u32(ends),
    weights ? arena.f64(weights) : 0,
    kinds ? arena.u16(kinds) : 0,
    kindWeights ? arena.f64(kindWeights) : 0,
  ]);
}

const cases = fc.record({
  n: fc.integer({ min: 1, max: 40 }),
  edges: fc.nat(200),
  seed: fc.nat(),
  shape: fc.nat(3),
  ratio: fc.constantFrom(0, 0.5, 1, 0.37),
  loops: fc.boolean(),
  scoped: fc.boolean(),
});

describe('eight walks side by side', () => {
  it('step as the contract has it for each alone, bit for bit: every shape, loops, scopes, two graphs', () => {
    fc.assert(
      fc.property(cases, ({ n, edges, seed, shape, ratio, loops, scoped }) => {
        arena.reset();
        const next = randoms(seed);
        const values = () => Array.from({ length: n }, () => next(1));
        const lanes = <T>(make: () => T) => Array.from({ length: LANES }, make);
        const isVisible = (row: number) => !scoped || row % 3 !== 1;
        const [graph, second] = [seed, seed + 1].map((s) => shapes(randomGraph(n, edges, s))[shape]!) as [
          Csr,
          Csr,
        ];
        const loopWeights = loops ? values() : undefined;
        // Few rows restart, others in every lane.
        const restart = lanes(() => values().map((x, row) => (isVisible(row) && next(4) < 1 ? x : 0)));
        const scores = lanes(() => values().map((x, row) => (isVisible(row) ? x : 0)));
        const contributions = lanes(values);
        const base = lanes(() => next(1));
        const seeds = Array.from({ length: n }, (_, row) => row).filter((row) =>
          restart.some((r) => r[row] !== 0),
        );
        const scoresAt = arena.f64(interleaved(scores, n));
        const changeAt = arena.room(Float64Array, LANES);
        pagerankStep8(arena.kernels, {
          graphAt: put(graph),
          secondAt: ratio === 0 ? 0 : put(second),
          ratio,
          n,
          contributionsAt: arena.f64(interleaved(contributions, n)),
          seedsAt: arena.u32(seeds),
          seedCount: seeds.length,
          restartAt: arena.f64(seeds.flatMap((row) => restart.map((r) => r[row]!))),
          loopsAt: loopWeights === undefined ? 0 : arena.f64(loopWeights),
          bitmapAt: scoped ? arena.bitmap(n, isVisible) : 0,
          baseAt: arena.f64(base),
          damping: 0.7,
          scoresAt,
          changeAt,
        });
        const change = arena.view(Float64Array, changeAt, LANES);
        const laneAt = arena.room(Float64Array, n);
        for (let lane = 0; lane < LANES; lane++) {
          takeLane8(arena.kernels, scoresAt, lane, n, laneAt);
          const expected = step({
            graph,
            second,
            ratio,
            contributions: contributions[lane]!,
            restart: restart[lane]!,
            ...(loopWeights === undefined ? {} : { loops: loopWeights }),
            isVisible,
            base: base[lane]!,
            damping: 0.7,
            scores: scores[lane]!,
          });
          expect([...arena.view(Float64Array, laneAt, n)]).toEqual(expected.scores);
          expect(change[lane]).toBe(expected.change);
        }
      }),
      { numRuns: 150, seed: 1 },
    );
  });

  it('spread their scores and lose the mass of rows without a way out, in row order', () => {
    arena.reset();
    const n = 37;
    const next = randoms(3);
    const inverse = Array.from({ length: n }, () => (next(3) < 1 ? 0 : next(2)));
    const scores = Array.from({ length: LANES }, () => Array.from({ length: n }, () => next(1)));
    const outAt = arena.room(Float64Array, n * LANES);
    const danglingAt = arena.room(Float64Array, LANES);
    pagerankContributions8(
      arena.kernels,
      arena.f64(interleaved(scores, n)),
      arena.f64(inverse),
      n,
      outAt,
      danglingAt,
    );
    const spread = scores.map((lane) => lane.map((score, row) => score * inverse[row]!));
    expect([...arena.view(Float64Array, outAt, n * LANES)]).toEqual(interleaved(spread, n));
    const lost = scores.map((lane) =>
      lane.reduce((sum, score, row) => (inverse[row] === 0 ? sum + score : sum), 0),
    );
    expect([...arena.view(Float64Array, danglingAt, LANES)]).toEqual(lost);
  });

  it('are eight', () => {
    const block = arena.room(Float64Array, LANES);
    for (const lane of [-1, 8, 0.5, Number.NaN])
      expect(() => takeLane8(arena.kernels, block, lane, 1, block)).toThrow(RangeError);
  });
});
