import { describe, expect, it } from 'vitest';
import type { Edge, Engine, LocalizeRequest, LocalizeResult, Node } from '../../dist/index.js';
import { openIndex } from './collection.js';

const open = { principal: 'open' } as const;
const edge = (text: string, kind = 'CALLS'): Edge => ({
  ...{ from: text.split('>')[0]!, to: text.split('>')[1]! },
  ...(kind === '' ? {} : { kind }),
});
const node = (name: string, more: Partial<Node> = {}): Node => ({
  ...{ id: name, name, qualifiedName: name, path: `${name}.go` },
  ...more,
});
const ask = async (engine: Engine | Promise<Engine>, text: string, more: Partial<LocalizeRequest> = {}) =>
  (await engine).localize({ text, strategy: 'substring', ...open, ...more });
const told = ({ candidates }: LocalizeResult) =>
  candidates.map(({ id, score, distance, kinds }) => [id, score, distance, kinds.join()]);

describe('the example of C.9', () => {
  const engine = openIndex({
    nodes: [
      node('handler', { path: 'h.go' }),
      node('validator', { path: 'v.go' }),
      node('sanitizer', { path: 's.go' }),
      node('logger', { path: 'l.go' }),
    ],
    edges: [edge('handler>validator'), edge('validator>sanitizer'), edge('validator>logger')],
  });

  it('gives the seed 3 and its neighbours in both directions 1.5, by path', async () => {
    const result = await ask(engine, 'validator');
    expect(told(result)).toEqual([
      ['validator', 3, 0, ''],
      ['handler', 1.5, 1, 'CALLS'],
      ['logger', 1.5, 1, 'CALLS'],
      ['sanitizer', 1.5, 1, 'CALLS'],
    ]);
    expect(result.seeds).toEqual([{ id: 'validator', score: 3, matched: ['name', 'qualifiedName'] }]);
    expect(result.candidates[1]).toMatchObject({ retriever: 'localize', path: 'h.go', name: 'handler' });
  });
});

const chain = openIndex({
  nodes: ['alpha', 'beta', 'gamma', 'delta', 'epsilon', 'zeta', 'theta'].map((name) => node(name)),
  edges: ['alpha>beta', 'beta>gamma', 'gamma>delta', 'delta>epsilon', 'epsilon>zeta', 'zeta>theta'].map((e) =>
    edge(e),
  ),
});

describe('explanations', () => {
  it('name what each seed gave, and along which edges', async () => {
    const { candidates } = await ask(chain, 'alpha delta', { depth: 3, explain: true });
    const gamma = candidates.find(({ id }) => id === 'gamma')!;
    const step = (direction: 'out' | 'in', to: string) => ({ kind: 'CALLS', direction, to });
    // Two words, each a name: a seed scores 1 * (2 + 1) + 1 = 4.
    expect(gamma.explain).toEqual([
      {
        from: 'localize:seed',
        value: 1,
        path: { seed: 'alpha', share: 1 / 3, steps: [step('out', 'beta'), step('out', 'gamma')] },
      },
      {
        from: 'localize:seed',
        value: 2,
        path: { seed: 'delta', share: 2 / 3, steps: [step('in', 'gamma')] },
      },
    ]);
    for (const { score, explain } of candidates)
      expect(explain!.reduce((sum, { value }) => sum + value, 0)).toBeCloseTo(score, 12);
    const silent = await ask(chain, 'alpha delta', { depth: 3 });
    expect(silent.candidates).toEqual(candidates.map(({ explain: _, ...rest }) => rest));
  });
});

describe('depth', () => {
  it('halves the score with every edge', async () => {
    expect(told(await ask(chain, 'alpha', { depth: 1 }))).toEqual([
      ['alpha', 3, 0, ''],
      ['beta', 3 / 2, 1, 'CALLS'],
    ]);
    const scores = (await ask(chain, 'alpha', { depth: 3 })).candidates.map(({ score }) => score);
    expect(scores).toEqual([3, 1.5, 0.75, 0.375]);
  });

  it.each([
    [undefined, 4, []],
    [0, 1, []],
    [5, 6, []],
    [-1, 4, ['depth_clamped']],
    [9, 6, ['depth_clamped']],
  ])('%s reaches %d nodes', async (depth, count, said) => {
    const { candidates, skipped } = await ask(chain, 'alpha', depth === undefined ? {} : { depth });
    expect(candidates).toHaveLength(count);
    expect(skipped.map(({ code }) => code)).toEqual(said);
  });

  it('that is no whole number is refused', async () => {
    await expect(ask(chain, 'alpha', { depth: 1.5 })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });
});

describe('k', () => {
  const nodes = Array.from({ length: 60 }, (_, i) => node(`leaf${i + 10}`));
  const star = openIndex({
    nodes: [node('centre'), ...nodes],
    edges: nodes.map(({ id }) => edge(`centre>${id}`)),
  });
  it.each([
    [undefined, 10, []],
    [0, 10, ['k_clamped']],
    [3, 3, []],
    [50, 50, []],
    [51, 50, ['k_clamped']],
  ])('%s gives %d', async (k, count, said) => {
    const { candidates, skipped } = await ask(star, 'centre', k === undefined ? {} : { k });
    const expected = ['centre', ...nodes.map(({ id }) => id)].slice(0, count);
    expect(candidates.map(({ id }) => id)).toEqual(expected);
    expect(skipped.map(({ code }) => code)).toEqual(said);
  });
});

it('adds up what several seeds give, with the least distance and the kinds of the first edges', async () => {
  const engine = await openIndex({
    nodes: ['alpha', 'bravo', 'middle', 'far'].map((name) => node(name)),
    edges: [
      edge('alpha>middle', 'CALLS'),
      edge('alpha>middle', 'CONTAINS'),
      edge('middle>far', 'IMPORTS'),
      edge('far>bravo', 'DEFINES'),
      edge('bravo>middle', 'USES_TYPE'),
    ],
  });
  // T = 2, so that a seed by name scores 1 x 3 + 1 = 4. bravo: far 1, middle 1, alpha 2; alpha: middle 1, then
  // bravo and far 2 (middle's edge out to far, its edge in from bravo).
  expect(told(await ask(engine, 'alpha bravo'))).toEqual([
    ['alpha', 4 + 4 / 4, 0, 'CALLS'],
    ['bravo', 4 + 4 / 4, 0, 'USES_TYPE'],
    ['middle', 4 / 2 + 4 / 2, 1, 'CALLS,USES_TYPE'],
    ['far', 4 / 4 + 4 / 2, 1, 'DEFINES,IMPORTS'],
  ]);
});

it('takes outgoing edges before incoming ones, each by id and kind', async () => {
  const engine = await openIndex({
    nodes: ['alpha', 'beta', 'gamma'].map((name) => node(name)),
    edges: [edge('alpha>beta', 'OVERRIDE'), edge('beta>alpha', 'CALLS'), edge('alpha>beta', 'MEMBER_OF')],
  });
  expect(told(await ask(engine, 'alpha'))).toEqual([
    ['alpha', 3, 0, ''],
    ['beta', 1.5, 1, 'MEMBER_OF'],
  ]);
});

describe('kinds of edges', () => {
  const WALKED = [
    ...['CALLS', 'DEFINES', 'DEFINES_METHOD', 'IMPORTS', 'CONTAINS', 'MEMBER_OF', 'USES_TYPE', 'IMPLEMENTS'],
    'OVERRIDE',
  ];
  const kinds = [...WALKED, 'calls', '', 'CO_CHANGE', 'SIMILAR_TO', 'MEMBER_OF_COMMUNITY'];
  const engine = openIndex({
    nodes: [node('alpha'), ...kinds.map((_, i) => node(`n${i + 10}`))],
    edges: kinds.map((kind, i) => edge(`alpha>n${i + 10}`, kind)),
  });
  const reached = async (more: Partial<LocalizeRequest>) =>
    (await ask(engine, 'alpha', { k: 50, ...more })).candidates
      .slice(1)
      .map(({ id }) => kinds[Number(id.slice(1)) - 10]);

  it('are those of the original, in small letters too, and edges without a kind', async () => {
    expect(await reached({})).toEqual([...WALKED, 'calls', '']);
  });

  it('can be named', async () => {
    expect(await reached({ kinds: ['CO_CHANGE', 'nowhere'] })).toEqual(['CO_CHANGE']);
    expect(await reached({ kinds: [] })).toEqual([]);
    const kinds = 'CALLS' as unknown as string[];
    await expect(ask(engine, 'alpha', { kinds })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });
});

it('walks from the first 20 seeds only, and says how many are left out', async () => {
  const nodes = Array.from({ length: 23 }, (_, i) => ({ id: `n${i + 10}`, name: 'router' }));
  const engine = await openIndex({ nodes, edges: [] });
  const { candidates, seeds, skipped } = await ask(engine, 'router', { k: 50 });
  expect(seeds.map(({ id }) => id)).toEqual(nodes.slice(0, 20).map(({ id }) => id));
  expect(candidates).toHaveLength(20);
  expect(skipped).toMatchObject([{ code: 'seeds_capped', count: 3 }]);
});

it('orders by score, distance, path, lines, qualified name, kind, name and id, in bytes of UTF-8', async () => {
  const near = (id: string, more: Partial<Node>): Node => ({
    id,
    path: 'b',
    startLine: 5,
    endLine: 6,
    ...more,
  });
  const leaves = [
    near('z', { path: 'B' }),
    near('y', { startLine: 2 }),
    near('x', { startLine: 10 }),
    near('w', { startLine: 10, endLine: 20 }),
    near('v', { startLine: 10, endLine: 20, qualifiedName: 'a' }),
    near('u', { startLine: 10, endLine: 20, qualifiedName: 'a', kind: 'K' }),
    near('t', { startLine: 10, endLine: 20, qualifiedName: 'a', kind: 'K', name: 'N' }),
    near('ta', { startLine: 10, endLine: 20, qualifiedName: 'a', kind: 'K', name: 'N' }),
    near('s', { path: '\uffee' }),
    near('r', { path: '\u{1F600}' }),
  ].map((leaf) => (leaf.id === 'x' ? { ...leaf, endLine: 10 } : leaf));
  const engine = await openIndex({
    nodes: [node('alpha'), ...leaves],
    edges: leaves.map(({ id }) => edge(`alpha>${id}`)),
  });
  const { candidates } = await ask(engine, 'alpha', { k: 50 });
  expect(candidates.map(({ id }) => id)).toEqual(['alpha', ...leaves.map(({ id }) => id)]);
});

it('puts the nearer of two equal scores first', async () => {
  // T = 2; alpha 4 by name. Two seeds of 1 by qualified name meet in `meet`: 1/2 + 1/2 = 1 at distance 1; they have 1.
  const engine = await openIndex({
    nodes: [
      { id: 'one', qualifiedName: 'x.router', path: 'z' },
      { id: 'two', qualifiedName: 'y.router', path: 'z' },
      { id: 'meet', path: 'a' },
    ],
    edges: [edge('one>meet'), edge('two>meet')],
  });
  expect(told(await ask(engine, 'router', { depth: 1 }))).toEqual([
    ['one', 1, 0, ''],
    ['two', 1, 0, ''],
    ['meet', 1, 1, 'CALLS'],
  ]);
});

it('passes through what may not surface on code', async () => {
  const engine = await openIndex({
    nodes: [node('alpha'), { id: 'c', kind: 'Community', path: 'c' }, { id: 'bare' }, node('omega')],
    edges: [edge('alpha>c'), edge('c>bare'), edge('bare>omega')],
  });
  expect(told(await ask(engine, 'alpha', { surface: 'code' }))).toEqual([
    ['alpha', 3, 0, ''],
    ['omega', 3 / 8, 3, 'CALLS'],
  ]);
  expect((await ask(engine, 'alpha')).candidates).toHaveLength(4);
});

it('ignores weights of edges and self loops', async () => {
  const engine = await openIndex({
    nodes: [node('alpha'), node('beta')],
    edges: [{ ...edge('alpha>beta'), weight: 7 }, edge('alpha>alpha')],
  });
  expect(told(await ask(engine, 'alpha'))).toEqual([
    ['alpha', 3, 0, ''],
    ['beta', 1.5, 1, 'CALLS'],
  ]);
});

describe('refusals', () => {
  const access = (acl: string[]) => ({ org: 'o', source: 's', acl });
  const scoped = openIndex({
    nodes: [node('alpha', access(['t'])), node('bravo', access([])), node('gamma', access(['t']))],
    edges: [edge('alpha>bravo'), edge('bravo>gamma')],
  });
  const who = { principal: { org: 'o', grants: ['t'] }, sources: ['s'] };

  it('blank text is refused, after whoever may not ask', async () => {
    for (const text of ['', ' ']) {
      await expect(ask(chain, text)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
      await expect((await scoped).localize({ text })).rejects.toMatchObject({ code: 'NO_PRINCIPAL' });
    }
    await expect(ask(chain, 'alpha', { depht: 1 } as object)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    });
  });

  it('no seeds is NO_SEEDS, a hidden name like an unknown one, and hidden nodes lead nowhere', async () => {
    const errorOf = async (text: string) =>
      (await scoped).localize({ text, ...who }).then(
        () => undefined,
        ({ code, message }) => ({ code, message }),
      );
    expect(await errorOf('bravo')).toMatchObject({ code: 'NO_SEEDS' });
    expect(await errorOf('bravo')).toEqual(await errorOf('unknown'));
    const { candidates } = await (await scoped).localize({ text: 'alpha', ...who });
    expect(candidates.map(({ id }) => id)).toEqual(['alpha']);
  });

  it('an index without edges has no walk', async () => {
    await expect(ask(openIndex({ nodes: [node('alpha')] }), 'alpha')).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    });
  });
});
