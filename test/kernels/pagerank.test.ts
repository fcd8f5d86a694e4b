import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { outWeights, pagerankContributions, pagerankStep } from '../../src/kernels/pagerank.js';
import { type Link, pagerank, walkMixed, walkSum } from '../reference/pagerank.js';
import { type Csr, edgeWeight, step } from '../reference/pagerank-step.js';
import { Arena, randoms } from './arena.js';

const arena = new Arena();

/** Row r's list holds what `ends` names for it, in input order. */
function csrOf(n: number, links: readonly Link[], side: 'in' | 'out'): Csr {
  const lists = Array.from({ length: n }, (): [number, number][] => []);
  for (const { from, to, weight } of links) {
    if (side === 'in') lists[to]!.push([from, weight]);
    else lists[from]!.push([to, weight]);
  }
  const starts = [0];
  for (const list of lists) starts.push(starts.at(-1)! + list.length);
  const flat = lists.flat();
  return { starts, ends: flat.map(([end]) => end), weights: flat.map(([, weight]) => weight) };
}

function put({ starts, ends, weights, kinds, kindWeights }: Csr): number {
  return arena.u32([
    arena.u32(starts),
    arena.u32(ends),
    weights ? arena.f64(weights) : 0,
    kinds ? arena.u16(kinds) : 0,
    kindWeights ? arena.f64(kindWeights) : 0,
  ]);
}

function randomLinks(n: number, edges: number, seed: number): Link[] {
  const next = randoms(seed);
  const pick = () => Math.floor(next(n));
  return Array.from({ length: edges }, () => ({ from: pick(), to: pick(), weight: 0.25 + next(4) }));
}

/** The four shapes of a graph: with or without weights, with or without kinds. */
function shapes(csr: Csr): Csr[] {
  const { starts, ends } = csr;
  const kinds = ends.map((end) => end % 3);
  const kindWeights = [0.5, 1.7, 0.3];
  return [{ starts, ends }, csr, { starts, ends, kinds, kindWeights }, { ...csr, kinds, kindWeights }];
}

/** A whole walk with the kernels, as score/pagerank does it. */
function walk(
  n: number,
  links: Link[],
  restart: number[],
  options: { ratio: number; damping: number; steps: number },
) {
  const { ratio, damping, steps } = options;
  arena.reset();
  const [inAt, outAt] = [put(csrOf(n, links, 'in')), put(csrOf(n, links, 'out'))];
  const weightsAt = arena.room(Float64Array, n);
  outWeights(arena.kernels, outAt, n, 0, 1, weightsAt);
  if (ratio !== 0) outWeights(arena.kernels, inAt, n, 0, ratio, weightsAt);
  const inverse = Array.from(arena.view(Float64Array, weightsAt, n), (weight) =>
    weight === 0 ? 0 : 1 / weight,
  );
  const [inverseAt, scoresAt, restartAt] = [arena.f64(inverse), arena.f64(restart), arena.f64(restart)];
  const contributionsAt = arena.room(Float64Array, n);
  for (let i = 0; i < steps; i++) {
    const dangling = pagerankContributions(arena.kernels, scoresAt, inverseAt, n, contributionsAt);
    const base = 1 - damping + damping * dangling;
    pagerankStep(
      arena.kernels,
      inAt,
      outAt,
      ratio,
      0,
      n,
      0,
      contributionsAt,
      restartAt,
      0,
      0,
      base,
      damping,
      scoresAt,
    );
  }
  return [...arena.view(Float64Array, scoresAt, n)];
}

const edge = (from: number, to: number): Link => ({ from, to, weight: 1 });
const close = (got: number[], expected: number[]) => {
  expect(got).toHaveLength(expected.length);
  got.forEach((score, row) => {
    expect(score).toBeCloseTo(expected[row]!, 12);
  });
};

describe('a walk of the kernels', () => {
  // alpha, bravo, charlie, delta, echo
  const G1 = [edge(0, 1), edge(1, 0), edge(0, 2), edge(1, 2), edge(2, 3), edge(3, 4)];

  it('gives the worked numbers of a small graph after 50 steps', () => {
    const restart = [0, 0, 1, 0, 0];
    const settings = { damping: 0.85, steps: 50 };
    const forward = walk(5, G1, restart, { ratio: 0, ...settings });
    close(forward, pagerank(restart, G1, settings));
    expect(forward.map((score) => score.toFixed(9))).toEqual([
      '0.000000000',
      '0.000000000',
      '0.388629193',
      '0.330334814',
      '0.281035992',
    ]);
    const both = walkSum(restart, G1, settings).map((score) => score.toFixed(9));
    expect(both).toEqual(['0.425000000', '0.425000000', '0.538629193', '0.330334814', '0.281035992']);
  });

  it('counts parallel edges and follows the restart of several seeds', () => {
    const settings = { damping: 0.85, steps: 50 };
    const parallel = walkSum([1, 0, 0], [edge(0, 1), edge(0, 1), edge(0, 2)], settings);
    expect(parallel.map((score) => score.toFixed(9))).toEqual(['1.540676432', '0.306215712', '0.153107856']);
    const seeds = walkSum([0.5, 0, 0, 0.5, 0], G1, settings).map((score) => score.toFixed(9));
    expect(seeds).toEqual(['0.673244040', '0.504756112', '0.198368806', '0.371557342', '0.252073700']);
  });

  it.each([
    ['one node without edges', 1, 0],
    ['parallel edges and self loops', 4, 40],
    ['sparse, with dangling nodes', 33, 30],
    ['dense', 65, 1000],
  ])('agrees with a push walk: %s', (_, n, edges) => {
    const links = randomLinks(n, edges, n);
    const restart = new Array(n).fill(0);
    restart[0] = 0.75;
    restart[n - 1] += 0.25;
    const settings = { damping: 0.7, steps: 30, selfLoops: 'keep' as const };
    close(walk(n, links, restart, { ratio: 0, ...settings }), pagerank(restart, links, settings));
    const mixed = walk(n, links, restart, { ratio: 0.5, ...settings });
    close(mixed, walkMixed(restart, links, 0.5, settings));
    expect(mixed.reduce((sum, score) => sum + score, 0)).toBeCloseTo(1, 12);
  });
});

describe('pagerankStep', () => {
  const n = 50;
  const links = randomLinks(n, 300, 1);
  const next = randoms(2);
  const values = () => Array.from({ length: n }, () => next(1));
  const [contributions, restart, loops, scores] = [values(), values(), values(), values()];
  const firsts = shapes(csrOf(n, links, 'in'));
  const seconds = shapes(csrOf(n, links, 'out'));

  function run(
    options: Omit<Parameters<typeof step>[0], 'isVisible'> & { isVisible?: (row: number) => boolean },
  ) {
    arena.reset();
    const rows = options.restart.length;
    const scoresAt = arena.f64(options.scores);
    const change = pagerankStep(
      arena.kernels,
      put(options.graph),
      options.second ? put(options.second) : 0,
      options.ratio,
      options.derived ? put(options.derived) : 0,
      rows,
      options.scores.length - rows,
      arena.f64(options.contributions),
      arena.f64(options.restart),
      options.loops ? arena.f64(options.loops) : 0,
      options.isVisible ? arena.bitmap(rows, options.isVisible) : 0,
      options.base,
      options.damping,
      scoresAt,
    );
    return { scores: [...arena.view(Float64Array, scoresAt, options.scores.length)], change };
  }

  it('adds in the order of the contract, for every shape of one and two graphs', () => {
    const common = { contributions, restart, base: 0.3, damping: 0.7, scores };
    for (const graph of firsts) {
      for (const second of [undefined, ...seconds]) {
        for (const options of [{}, { loops }, { isVisible: (row: number) => row % 3 !== 1 }]) {
          const all = { ...common, graph, ratio: second ? 0.37 : 0, ...(second && { second }), ...options };
          expect(run(all)).toEqual(step({ isVisible: () => true, ...all }));
        }
      }
    }
  });

  it('adds the links behind the others, and gives phrases nothing else', () => {
    const phrases = 7;
    const derived = csrOf(n + phrases, randomLinks(n + phrases, 200, 9), 'in');
    const more = (list: number[]) => [...list, ...Array.from({ length: phrases }, () => next(1))];
    const all = {
      ...{
        graph: firsts[3]!,
        second: seconds[1]!,
        ratio: 0.5,
        derived,
        loops,
        restart,
        base: 0.3,
        damping: 0.7,
      },
      contributions: more(contributions),
      scores: more(scores),
      isVisible: (row: number) => row % 3 !== 1,
    };
    expect(run(all)).toEqual(step(all));
  });

  it('ignores the second graph when the ratio is 0', () => {
    const options = { graph: firsts[1]!, ratio: 0, contributions, restart, base: 0.3, damping: 0.7, scores };
    expect(run({ ...options, second: seconds[1]! })).toEqual(run(options));
  });

  it('does nothing for an empty graph', () => {
    const empty = { graph: { starts: [0], ends: [] }, ratio: 0, contributions: [], restart: [], scores: [] };
    expect(run({ ...empty, base: 1, damping: 0.5 })).toEqual({ scores: [], change: 0 });
  });

  it('gives visible rows the same bits whatever hangs on hidden ones', () => {
    const property = fc.property(
      fc.array(fc.boolean(), { minLength: n, maxLength: n }),
      fc.nat(),
      (bits, seed) => {
        const isVisible = (row: number) => bits[row]!;
        const seen = links.filter(({ from, to }) => isVisible(from) && isVisible(to));
        const hidden = randomLinks(n, 80, seed).filter(({ from, to }) => !isVisible(from) || !isVisible(to));
        // Hidden rows have score 0, hence contribution 0.
        const shared = { restart, base: 0.3, damping: 0.7, scores, isVisible, ratio: 0.5 };
        const scoped = contributions.map((value, row) => (isVisible(row) ? value : 0));
        const result = (all: Link[]) =>
          run({ ...shared, contributions: scoped, graph: csrOf(n, all, 'in'), second: csrOf(n, all, 'out') });
        const mixed = [...seen, ...hidden].sort((a, b) => a.from - b.from);
        const plain = [...seen].sort((a, b) => a.from - b.from);
        expect(result(mixed)).toEqual(result(plain));
      },
    );
    fc.assert(property, { numRuns: 50 });
  });

  it('refuses a graph record that leaves the memory', () => {
    const end = arena.kernels.memory.buffer.byteLength;
    expect(() => pagerankStep(arena.kernels, end - 16, 0, 0, 0, 0, 0, 64, 64, 0, 0, 1, 1, 64)).toThrow(
      'graphAt: 5 x 4 bytes',
    );
  });
});

describe('pagerankContributions', () => {
  for (const n of [0, 1, 2, 3, 4, 5, 1000]) {
    it(`multiplies ${n} scores and sums the dangling ones in row order`, () => {
      arena.reset();
      const next = randoms(n);
      const scores = Array.from({ length: n }, () => next(1));
      const inverse = Array.from({ length: n }, () => (next(3) < 1 ? 0 : next(2)));
      const outAt = arena.room(Float64Array, n);
      const dangling = pagerankContributions(arena.kernels, arena.f64(scores), arena.f64(inverse), n, outAt);
      expect([...arena.view(Float64Array, outAt, n)]).toEqual(scores.map((score, i) => score * inverse[i]!));
      let expected = 0;
      scores.forEach((score, i) => {
        if (inverse[i] === 0) expected += score;
      });
      expect(dangling).toBe(expected);
    });
  }
});

describe('outWeights', () => {
  it('adds the weights of visible ends, in order, to visible rows', () => {
    const n = 40;
    const visible = (row: number) => row % 4 !== 2;
    for (const graph of shapes(csrOf(n, randomLinks(n, 200, 3), 'out'))) {
      for (const isVisible of [undefined, visible]) {
        arena.reset();
        const start = Array.from({ length: n }, (_, row) => row / 3);
        const outAt = arena.f64(start);
        const bitmapAt = isVisible ? arena.bitmap(n, isVisible) : 0;
        outWeights(arena.kernels, put(graph), n, bitmapAt, 0.37, outAt);
        const expected = start.map((old, row) => {
          if (isVisible && !isVisible(row)) return old;
          let sum = 0;
          for (let e = graph.starts[row]!; e < graph.starts[row + 1]!; e++) {
            if (!isVisible || isVisible(graph.ends[e]!)) sum += edgeWeight(graph, e) * 0.37;
          }
          return old + sum;
        });
        expect([...arena.view(Float64Array, outAt, n)]).toEqual(expected);
      }
    }
  });
});
