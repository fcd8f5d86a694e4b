import { describe, expect, it } from 'vitest';
import { type BareWalk, type Edge, type Engine, pagerank, type Retriever } from '../../dist/index.js';
import { openIndex } from './collection.js';

const d = 0.85;
/** As the original: always 50 steps, edges of weight 1, self loops left out. */
const ORIGINAL = { maxIterations: 50, tolerance: 0, selfLoops: 'ignore' } as const;

const edge = (text: string): Edge => ({ from: text.split('>')[0]!, to: text.split('>')[1]! });
const graph = (ids: readonly string[], edges: readonly string[]): Promise<Engine> =>
  openIndex({ nodes: ids.map((id) => ({ id, text: id })), edges: edges.map(edge) });

const NAMES = ['alpha', 'bravo', 'charlie', 'delta', 'echo'];
const g1 = () =>
  graph(NAMES, [
    'alpha>bravo',
    'bravo>alpha',
    'alpha>charlie',
    'bravo>charlie',
    'charlie>delta',
    'delta>echo',
  ]);
const g2 = () => graph(NAMES.slice(0, 3), ['alpha>bravo', 'bravo>charlie']);
const g3 = () => graph(['a', 'b', 'c'], ['a>b', 'a>b', 'a>c']);

const walkFrom = (engine: Engine, ids: readonly string[], options: object = ORIGINAL): Promise<BareWalk> =>
  engine.walk({ seeds: ids.map((id) => ({ id })), principal: 'open', ...options });

const nine = (scores: Iterable<number>) => Array.from(scores, (score) => score.toFixed(9));
const sums = ({ forward, reverse }: BareWalk) => forward.map((score, i) => score + reverse[i]!);

/** Brings exactly these ids as seeds, all of the same score. */
const seeding = (ids: readonly string[]): Retriever => ({
  name: 'seeds',
  retrieve: async () => ids.map((id) => ({ id, score: 1 })),
});

describe('G1, query charlie', () => {
  it('gives the published scores of both walks after 50 steps', async () => {
    const walk = await walkFrom(await g1(), ['charlie']);
    expect(walk.ids).toEqual(NAMES);
    expect(nine(walk.forward)).toEqual(nine([0, 0, 0.388629193, 0.330334814, 0.281035992]));
    expect(nine(walk.reverse)).toEqual(nine([0.425, 0.425, 0.15, 0, 0]));
    expect(nine(sums(walk))).toEqual(nine([0.425, 0.425, 0.538629193, 0.330334814, 0.281035992]));
    // The reverse walk stands still before: its scores no longer change, in any bit.
    expect(walk.iterations.forward).toBe(50);
    expect(walk.residual.forward).toBeGreaterThan(0);
    expect(walk.residual.reverse).toBe(0);
  });

  it('converges to the closed form', async () => {
    const walk = await walkFrom(await g1(), ['charlie'], { tolerance: 1e-13, maxIterations: 1000 });
    const charlie = 1 / (1 + d + d * d);
    const expected = [0, 0, charlie, d * charlie, d * d * charlie];
    expected.forEach((score, i) => {
      expect(Math.abs(walk.forward[i]! - score)).toBeLessThanOrEqual(1e-12);
    });
    // Against the edges charlie hands on to alpha and bravo, and no edge leads back to it: it keeps 1 - d.
    expect(Math.abs(walk.reverse[2]! - (1 - d))).toBeLessThanOrEqual(1e-12);
  });

  it('says how far it came: steps taken and the change of the last one', async () => {
    const engine = await g1();
    const early = await walkFrom(engine, ['charlie'], { maxIterations: 1, tolerance: 0 });
    // From x = charlie: (1 - d) stays and d moves on to delta. The change is d on either side.
    expect(early.iterations.forward).toBe(1);
    expect(early.residual.forward).toBeCloseTo(2 * d, 15);
    const usual = await walkFrom(engine, ['charlie'], {});
    expect(usual.residual.forward).toBeLessThanOrEqual(1e-9);
    expect(usual.iterations.forward).toBeGreaterThan(50);
    expect(usual.iterations.forward).toBeLessThanOrEqual(200);
    // What a tolerance of 1e-9 leaves unsettled: at most d / (1 - d) of it, 5.7e-9.
    expect(Math.abs(usual.forward[2]! - 1 / (1 + d + d * d))).toBeLessThanOrEqual((1e-9 * d) / (1 - d));
  });

  it('ranks charlie, alpha, bravo, delta, echo by the sum of both walks', async () => {
    const retriever = pagerank({ seeds: seeding(['charlie']), walk: 'sum', ...ORIGINAL });
    const { candidates } = await (await g1()).search({ text: 'charlie', principal: 'open' }, { retriever });
    expect(candidates.map(({ id, score }) => [id, score.toFixed(9)])).toEqual([
      ['charlie', '0.538629193'],
      ['alpha', '0.425000000'],
      ['bravo', '0.425000000'],
      ['delta', '0.330334814'],
      ['echo', '0.281035992'],
    ]);
  });

  it('finds its seed by words too', async () => {
    const retriever = pagerank({ walk: 'sum', ...ORIGINAL });
    const { candidates } = await (await g1()).search({ text: 'charlie', principal: 'open' }, { retriever });
    expect(candidates[0]!.id).toBe('charlie');
    expect(candidates[0]!.score.toFixed(9)).toBe('0.538629193');
  });
});

it('G2, query alpha: a chain', async () => {
  const walk = await walkFrom(await g2(), ['alpha']);
  expect(nine(sums(walk))).toEqual(nine([1.388629193, 0.330334814, 0.281035992]));
});

it('G3: parallel edges split two to one', async () => {
  const walk = await walkFrom(await g3(), ['a']);
  expect(nine(sums(walk))).toEqual(nine([1.540676432, 0.306215712, 0.153107856]));
  expect(walk.forward[1]! / walk.forward[2]!).toBeCloseTo(2, 12);
});

it('G4: G1 with two seeds', async () => {
  const walk = await walkFrom(await g1(), ['alpha', 'delta']);
  expect(nine(sums(walk))).toEqual(nine([0.67324404, 0.504756112, 0.198368806, 0.371557342, 0.2520737]));
});

it('keeps the mass at every number of steps', async () => {
  const engine = await g1();
  for (const maxIterations of [1, 2, 3, 10, 50]) {
    const walk = await walkFrom(engine, ['alpha', 'delta'], { ...ORIGINAL, maxIterations });
    for (const scores of [walk.forward, walk.reverse]) {
      expect(Math.abs(scores.reduce((sum, score) => sum + score, 0) - 1)).toBeLessThanOrEqual(1e-12);
    }
  }
});

it('walks one direction alone when asked, the other staying 0', async () => {
  const engine = await g1();
  const both = await walkFrom(engine, ['alpha']);
  for (const direction of ['forward', 'reverse'] as const) {
    const other = direction === 'forward' ? 'reverse' : 'forward';
    const walk = await walkFrom(engine, ['alpha'], { ...ORIGINAL, direction });
    expect(walk[direction]).toEqual(both[direction]);
    expect(walk[other].every((score) => score === 0)).toBe(true);
    expect(walk.iterations[other]).toBe(0);
  }
});

it('leaves self loops out unless told to keep them', async () => {
  const engine = await graph(['a', 'b'], ['a>a', 'a>b']);
  const ignoring = await walkFrom(engine, ['a'], { tolerance: 1e-13, maxIterations: 1000 });
  // a gets (1 - d) and, through dangling b, d x b; b gets d x a: a = 1 / (1 + d).
  expect(Math.abs(ignoring.forward[0]! - 1 / (1 + d))).toBeLessThanOrEqual(1e-12);
  const keeping = await walkFrom(engine, ['a'], { tolerance: 1e-13, maxIterations: 1000, selfLoops: 'keep' });
  // b = d x a / 2 and a + b = 1.
  expect(Math.abs(keeping.forward[0]! - 1 / (1 + d / 2))).toBeLessThanOrEqual(1e-12);
});

it('takes every edge as 1 with uniform weights, and multiplies weights by those of kinds', async () => {
  const nodes = ['a', 'b', 'c'].map((id) => ({ id }));
  const edges = [
    { from: 'a', to: 'b', kind: 'calls', weight: 3 },
    { from: 'a', to: 'c', kind: 'imports', weight: 1 },
  ];
  const engine = await openIndex({ nodes, edges });
  const share = async (options: object) => {
    const { forward } = await walkFrom(engine, ['a'], { tolerance: 1e-13, maxIterations: 1000, ...options });
    return forward[1]! / forward[2]!;
  };
  expect(await share({})).toBeCloseTo(3 / 1, 10);
  expect(await share({ edgeWeights: 'uniform' })).toBeCloseTo(1 / 1, 10);
  expect(await share({ kindWeights: { imports: 6 } })).toBeCloseTo(3 / 6, 10);
  expect(await share({ edgeWeights: 'uniform', kindWeights: { calls: 0.25 } })).toBeCloseTo(0.25, 10);
});

it('refuses no seeds, and an unknown seed with the words of a hidden one', async () => {
  const hidden = { org: 'acme', source: 'wiki', acl: [] };
  const seen = { org: 'acme', source: 'wiki', acl: ['everyone'] };
  const engine = await openIndex({
    nodes: [
      { id: 'open', ...seen },
      { id: 'shut', ...hidden },
    ],
    edges: [edge('open>shut')],
  });
  const caller = { principal: { org: 'acme', grants: ['everyone'] }, sources: ['wiki'] };
  const errorOf = (id: string) =>
    engine.walk({ seeds: [{ id }], ...caller }).then(
      () => undefined,
      ({ code, message }) => ({ code, message: message.replaceAll(id, '<id>') }),
    );
  expect(await errorOf('open')).toBeUndefined();
  expect(await errorOf('shut')).toMatchObject({ code: 'INVALID_INPUT' });
  expect(await errorOf('shut')).toEqual(await errorOf('nope'));
  await expect(engine.walk({ seeds: [], ...caller })).rejects.toMatchObject({ code: 'NO_SEEDS' });
});
