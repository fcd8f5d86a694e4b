import { describe, expect, it } from 'vitest';
import {
  type Edge,
  type Engine,
  type Node,
  type PagerankOptions,
  pagerank,
  type RankByQueryRequest,
  type Retriever,
} from '../../dist/index.js';
import { usualSurface } from '../../dist/retrieve/surface.js';
import { walkSum } from '../reference/pagerank.js';
import { openIndex } from './collection.js';

const d = 0.85;
const open = { principal: 'open' } as const;
const ORIGINAL = {
  strategy: 'substring',
  boundaries: 'word',
  iterations: 50,
  tolerance: 0,
  edgeWeights: 'uniform',
  restart: 'uniform',
} as const;
const CONVERGED = { ...ORIGINAL, iterations: 1000, tolerance: 1e-12 } as const;

const edge = (text: string): Edge => ({ from: text.split('>')[0]!, to: text.split('>')[1]! });
const node = (name: string): Node => ({ id: name, name, qualifiedName: name, path: `${name}.go` });
const graph = (names: readonly string[], edges: readonly string[]): Promise<Engine> =>
  openIndex({ nodes: names.map(node), edges: edges.map(edge) });

const NAMES = ['alpha', 'bravo', 'charlie', 'delta', 'echo'];
const G1 = [
  ...['alpha>bravo', 'bravo>alpha', 'alpha>charlie', 'bravo>charlie'],
  ...['charlie>delta', 'delta>echo'],
];
const g1 = graph(NAMES, G1);
const g2 = graph(NAMES.slice(0, 3), ['alpha>bravo', 'bravo>charlie']);
const g3 = graph(['anna', 'bert', 'carl'], ['anna>bert', 'anna>bert', 'anna>carl']);

const ask = async (engine: Engine, text: string, more: Partial<RankByQueryRequest> = ORIGINAL) =>
  engine.rankByQuery({ text, ...open, ...more });

type Scores = Record<string, number>;

/** The list has these ids in this order, with these scores. */
function expectScores(candidates: readonly { id: string; score: number }[], scores: Scores, within: number) {
  expect(candidates.map(({ id }) => id)).toEqual(Object.keys(scores));
  for (const { id, score } of candidates)
    expect(Math.abs(score - scores[id]!), id).toBeLessThanOrEqual(within);
}

describe('worked numbers (C.7), 50 steps', () => {
  it.each<[string, Promise<Engine>, string, Scores]>([
    [
      ...(['G1', g1, 'charlie'] as const),
      { charlie: 0.538629193, alpha: 0.425, bravo: 0.425, delta: 0.330334814, echo: 0.281035992 },
    ],
    ['G2', g2, 'alpha', { alpha: 1.388629193, bravo: 0.330334814, charlie: 0.281035992 }],
    ['G3', g3, 'anna', { anna: 1.540676432, bert: 0.306215712, carl: 0.153107856 }],
    [
      ...(['G4', g1, 'alpha delta'] as const),
      { alpha: 0.67324404, bravo: 0.504756112, delta: 0.371557342, echo: 0.2520737, charlie: 0.198368806 },
    ],
  ])('%s', async (_, engine, text, scores) => {
    const { candidates, iterations } = await ask(await engine, text);
    expectScores(candidates, scores, 1e-9);
    expect(iterations.forward).toBeLessThanOrEqual(50);
  });
});

describe('converged', () => {
  it('G1 has its closed form', async () => {
    const { candidates, residual } = await ask(await g1, 'charlie', CONVERGED);
    const charlie = 1 / (1 + d + d * d);
    const half = d / 2;
    const scores = {
      ...{ charlie: charlie + 1 - d, alpha: half, bravo: half },
      ...{ delta: d * charlie, echo: d * d * charlie },
    };
    expectScores(candidates, scores, 1e-11);
    expect(Math.max(residual.forward, residual.reverse)).toBeLessThanOrEqual(1e-12);
    expect(candidates[0]!.score.toFixed(9)).toBe((0.388726919 + 0.15).toFixed(9));
    expect(candidates[3]!.score.toFixed(9)).toBe('0.330417881');
    expect(candidates[4]!.score.toFixed(9)).toBe('0.280855199');
  });

  it('G2 and G3 have theirs', async () => {
    const alpha = 1 / (1 + d + d * d);
    expectScores(
      (await ask(await g2, 'alpha', CONVERGED)).candidates,
      { alpha: 1 + alpha, bravo: d * alpha, charlie: d * d * alpha },
      1e-11,
    );
    const anna = 1 / (1 + d);
    expectScores(
      (await ask(await g3, 'anna', CONVERGED)).candidates,
      { anna: 1 + anna, bert: (d * anna * 2) / 3, carl: (d * anna) / 3 },
      1e-11,
    );
  });

  it('G4 is what a walk that pushes comes to', async () => {
    const links = G1.map(edge).map(({ from, to }) => ({
      ...{ from: NAMES.indexOf(from), to: NAMES.indexOf(to), weight: 1 },
    }));
    const expected = walkSum([0.5, 0, 0, 0.5, 0], links, { damping: d, steps: 1000 });
    const { candidates } = await ask(await g1, 'alpha delta', CONVERGED);
    for (const { id, score } of candidates)
      expect(Math.abs(score - expected[NAMES.indexOf(id)]!)).toBeLessThanOrEqual(1e-11);
  });

  it('both walks sum to 2', async () => {
    const { candidates } = await ask(await g1, 'alpha delta');
    expect(Math.abs(candidates.reduce((sum, { score }) => sum + score, 0) - 2)).toBeLessThanOrEqual(2e-12);
  });
});

describe('what it says', () => {
  it('seeds and how they matched, steps, the change of the last one, and what each walk gave', async () => {
    const result = await ask(await g1, 'charlie', { ...ORIGINAL, explain: true });
    expect(result.seeds).toEqual([{ id: 'charlie', score: 3, matched: ['name', 'qualifiedName'] }]);
    expect(result.iterations.forward).toBe(50);
    expect(result.residual.forward).toBeGreaterThan(0);
    const [charlie] = result.candidates;
    expect(charlie).toMatchObject({ retriever: 'rank_by_query', name: 'charlie', path: 'charlie.go' });
    expect(charlie!.explain!.map(({ from, path }) => [from, path?.seed, path?.steps])).toEqual([
      ['walk:forward', 'charlie', []],
      ['walk:forward:other ways', undefined, undefined],
      ['walk:reverse', 'charlie', []],
    ]);
    for (const { score, explain } of result.candidates)
      expect(explain!.reduce((sum, { value }) => sum + value, 0)).toBeCloseTo(score, 12);
  });

  it('by default stops at a change of 1e-9, or after 200 steps with what is left', async () => {
    const usual = await ask(await g1, 'charlie', {});
    expect(usual.residual.forward).toBeLessThanOrEqual(1e-9);
    expect(usual.iterations.forward).toBeLessThanOrEqual(200);
    expect(usual.iterations.forward).toBeGreaterThan(50);
    const stubborn = await ask(await g1, 'charlie', { damping: 0.999 });
    expect(stubborn.iterations.forward).toBe(200);
    expect(stubborn.residual.forward).toBeGreaterThan(1e-9);
  });

  it('that hybrid, the default, rests on words alone where there are no vectors', async () => {
    const { candidates, skipped } = await ask(await g1, 'charlie', {});
    expect(candidates[0]!.id).toBe('charlie');
    expect(skipped).toMatchObject([{ channel: 'dense', code: 'no_visible_vectors' }]);
    expect((await ask(await g1, 'charlie')).skipped).toEqual([]);
  });
});

describe('restart', () => {
  const engine = openIndex({
    nodes: [
      { id: 'a', name: 'router', qualifiedName: 'pkg.router' },
      { id: 'b', name: 'list', qualifiedName: 'pkg.router.list' },
    ],
    edges: [],
  });

  it('is proportional to SeedMatchScore, or uniform as in the original', async () => {
    // Without edges all mass stays at the seeds: 3 to 1 of each walk's 1.
    const scored = await ask(await engine, 'router', { strategy: 'substring' });
    expectScores(scored.candidates, { a: 2 * (3 / 4), b: 2 * (1 / 4) }, 1e-12);
    const uniform = await ask(await engine, 'router', { strategy: 'substring', restart: 'uniform' });
    expectScores(uniform.candidates, { a: 1, b: 1 }, 1e-12);
  });

  it("of a retriever's hits is by their rank or a power of their score", async () => {
    const retriever: Retriever = {
      name: 'mine',
      retrieve: async () => [
        { id: 'b', score: 4 },
        { id: 'a', score: 2 },
      ],
    };
    const seeds = { strategy: 'retriever', retriever } as const;
    const byRank = await ask(await engine, 'any', { ...seeds, seedWeights: 'rank' });
    expectScores(byRank.candidates, { b: 2 * (1 / (1 + 1 / 2)), a: 2 * (1 / 2 / (1 + 1 / 2)) }, 1e-12);
    const byScore = await ask(await engine, 'any', { ...seeds, seedPower: 2 });
    expectScores(byScore.candidates, { b: 2 * (1 / (1 + 1 / 4)), a: 2 * (1 / 4 / (1 + 1 / 4)) }, 1e-12);
  });
});

it('pagerank() weighs its seeds by a power of their score, or by their rank', async () => {
  const engine = await openIndex({ nodes: ['a', 'b'].map((id) => ({ id })), edges: [] });
  const seeds: Retriever = {
    name: 'mine',
    retrieve: async () => [
      { id: 'b', score: 4 },
      { id: 'a', score: 2 },
    ],
  };
  const scores = async (options: PagerankOptions) => {
    const retriever = pagerank({ seeds, ...options });
    return (await engine.search({ text: 'any', ...open }, { retriever })).candidates;
  };
  expectScores(await scores({}), { b: 1 / (1 + 1 / 8), a: 1 / 8 / (1 + 1 / 8) }, 1e-12);
  expectScores(await scores({ seedWeights: 'rank' }), { b: 1 / (1 + 1 / 2), a: 1 / 2 / (1 + 1 / 2) }, 1e-12);
  expect(() => pagerank({ seedWeights: 'place' as 'rank' })).toThrow(/score, rank/);
});

it('weighs edges by their weight and kind, or all alike as the original', async () => {
  const engine = await openIndex({
    nodes: ['anna', 'bert', 'carl'].map(node),
    edges: [
      { from: 'anna', to: 'bert', kind: 'CALLS', weight: 3 },
      { from: 'anna', to: 'carl', kind: 'IMPORTS' },
    ],
  });
  const share = async (more: Partial<RankByQueryRequest>) => {
    const { candidates } = await ask(engine, 'anna', { strategy: 'substring', ...more });
    const score = (id: string) => candidates.find((one) => one.id === id)!.score;
    return score('bert') / score('carl');
  };
  expect(await share({})).toBeCloseTo(3, 9);
  expect(await share({ edgeWeights: 'uniform' })).toBeCloseTo(1, 9);
  expect(await share({ kindWeights: { IMPORTS: 6 } })).toBeCloseTo(3 / 6, 9);
});

it('orders ties by path, qualified name, kind, name and id, in bytes of UTF-8', async () => {
  const same = { path: 'b', qualifiedName: 'q.router', kind: 'f', name: 'router' };
  const nodes: Node[] = [
    { id: 'h', ...same, path: '\u{1F600}' },
    { id: 'g', ...same, path: '\uffee' },
    { id: 'f', ...same },
    { id: 'fa', ...same },
    { id: 'e', ...same, name: 'ROUTER', startLine: 9 },
    { id: 'd', ...same, kind: 'F' },
    { id: 'c', ...same, qualifiedName: 'p.router' },
    { id: 'b', ...same, path: 'B' },
    { id: 'z', name: 'router', qualifiedName: 'x.router' },
  ];
  const engine = await openIndex({ nodes, edges: [] });
  const { candidates } = await ask(engine, 'router');
  expect(new Set(candidates.map(({ score }) => score)).size).toBe(1);
  expect(candidates.map(({ id }) => id)).toEqual(['z', 'b', 'c', 'd', 'e', 'f', 'fa', 'g', 'h']);
});

describe('k', () => {
  it.each([
    [0, 1, 1],
    [-3, 1, 1],
    [1, 1, 0],
    [2, 2, 0],
    [200, 3, 0],
    [9999, 3, 1],
  ])('%d of three nodes gives %d, clamped and said or not', async (k, count, said) => {
    const { candidates, skipped } = await ask(await g2, 'alpha', { ...ORIGINAL, k });
    expect(candidates).toHaveLength(count);
    expect(skipped.filter(({ code }) => code === 'k_clamped')).toHaveLength(said);
  });

  it('is 20 by default and 200 at most, and only cuts', async () => {
    const nodes = Array.from({ length: 250 }, (_, i) => ({ id: `n${i}`, name: 'router' }));
    const edges = [{ from: 'n7', to: 'n100' }];
    const engine = await openIndex({ nodes, edges });
    const list = async (k?: number) =>
      (await ask(engine, 'router', { ...ORIGINAL, ...(k === undefined ? {} : { k }) })).candidates;
    const most = await list(1000);
    expect(most).toHaveLength(200);
    expect(await list()).toEqual(most.slice(0, 20));
    expect(await list(33)).toEqual(most.slice(0, 33));
  });

  it('that is no whole number is refused', async () => {
    for (const k of [1.5, Number.NaN])
      await expect(ask(await g2, 'alpha', { k })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });
});

describe('what may surface (C.6, C.8)', () => {
  const engine = openIndex({
    nodes: [
      { id: 'f', kind: 'Function', name: 'alpha', path: 'a.go' },
      { id: 'm', kind: 'Module', path: 'm' },
      { id: 'c1', kind: 'Community', path: 'c' },
      { id: 'c2', kind: 'Community' },
      { id: 'g', kind: 'Function' },
      { id: 'h', kind: 'Method', path: '' },
      { id: 'end', kind: 'Function', path: 'e.go' },
    ],
    edges: [edge('f>c1'), edge('c1>end'), edge('f>m'), edge('f>c2'), edge('f>g'), edge('f>h')],
  });

  it('on code is a path and no Community; the others conduct rank', async () => {
    const code = await ask(await engine, 'alpha', { ...ORIGINAL, surface: 'code' });
    expect(code.candidates.map(({ id }) => id)).toEqual(['f', 'm', 'end']);
    const all = await ask(await engine, 'alpha', { ...ORIGINAL, surface: 'all' });
    expect(all.candidates).toHaveLength(7);
    // end is reached through c1 alone, with the score that it has among all.
    const score = (id: string) => all.candidates.find((one) => one.id === id)!.score;
    expect(code.candidates.map((one) => one.score)).toEqual(['f', 'm', 'end'].map(score));
    // After 50 steps, within what they leave unsettled.
    expect(score('end')).toBeCloseTo(d * score('c1'), 9);
  });

  it('is decided by the declared analyzer where nothing is said: all nodes on an index of prose', async () => {
    expect((await ask(await engine, 'alpha')).candidates).toHaveLength(7);
    const manifest = (name: string) => ({ analyzer: { name } }) as Parameters<typeof usualSurface>[0];
    expect(['code', 'english', 'plain'].map((name) => usualSurface(manifest(name)))).toEqual([
      ...['code', 'all', 'all'],
    ]);
  });
});

describe('refusals', () => {
  const access = (acl: string[]) => ({ org: 'o', source: 's', acl });
  const scoped = openIndex({
    nodes: [
      { ...node('alpha'), ...access(['t']) },
      { ...node('bravo'), ...access([]) },
    ],
    edges: [edge('alpha>bravo')],
  });
  const who = { principal: { org: 'o', grants: ['t'] }, sources: ['s'] };

  it('blank text and misspelt options are invalid, whoever may not ask is told so first', async () => {
    for (const text of ['', ' \n']) {
      await expect(ask(await g1, text)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
      await expect((await scoped).rankByQuery({ text })).rejects.toMatchObject({ code: 'NO_PRINCIPAL' });
      const { sources: _, ...principal } = who;
      await expect((await scoped).rankByQuery({ text, ...principal })).rejects.toMatchObject({
        code: 'NO_SOURCES',
      });
    }
    for (const odd of [{ strategy: 'magic' }, { restart: 'all' }, { surface: 'x' }, { dept: 3 }])
      await expect(ask(await g1, 'alpha', odd as object)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    const twice = { iterations: 50, maxIterations: 50 };
    await expect(ask(await g1, 'alpha', twice)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  it('no seeds is NO_SEEDS, a hidden name like an unknown one', async () => {
    const errorOf = async (text: string) =>
      (await scoped).rankByQuery({ text, ...who }).then(
        () => undefined,
        ({ code, message }) => ({ code, message }),
      );
    expect(await errorOf('alpha')).toBeUndefined();
    expect(await errorOf('bravo')).toMatchObject({ code: 'NO_SEEDS' });
    expect(await errorOf('bravo')).toEqual(await errorOf('unknown'));
    expect(await errorOf('how does it work')).toEqual(await errorOf('unknown'));
  });

  it('an index without edges has no walk', async () => {
    const engine = await openIndex({ nodes: [node('alpha')] });
    await expect(ask(engine, 'alpha')).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });
});
