import { describe, expect, it } from 'vitest';
import {
  type Engine,
  type Node,
  type Retriever,
  type SeedRequest,
  seedMatchScore,
} from '../../dist/index.js';
import { seedTokens } from '../../dist/score/seed-tokens.js';
import { openIndex } from './collection.js';

const tokens = (query: string) => seedTokens(query);

describe('the tokenizer (C.2)', () => {
  it('takes the words of the specification', () => {
    expect(tokens('how does the AuthMiddleware authenticate users?')).toEqual([
      'authmiddleware',
      'authenticate',
      'users',
    ]);
    expect(tokens('New Run Get Set the database')).toEqual(['new', 'run', 'get', 'set', 'database']);
    expect(tokens('foo bar baz biz authenticator')).toEqual(['authenticator']);
    expect(tokens('How does it work, and where should this code return some value?')).toEqual([]);
  });

  it('counts bytes of UTF-8, not characters', () => {
    expect(tokens('éa')).toEqual([]);
    expect(tokens('日本')).toEqual(['日本']);
    expect(tokens('éab')).toEqual(['éab']);
  });

  it('trims punctuation from both ends, but no backtick, angle bracket or sign', () => {
    expect(tokens('("[router]!"), {parser}; \'lexer\':')).toEqual(['router', 'parser', 'lexer']);
    expect(tokens('`router` <router> #1234 @user *glob* -flag_ a/b/c')).toEqual([
      ...['`router`', '<router>', '#1234', '@user', '*glob*', '-flag_', 'a/b/c'],
    ]);
    expect(tokens('... ?! ()')).toEqual([]);
  });

  it('keeps repeats, order and whole identifiers', () => {
    expect(tokens('Router parseHttp router\u00a0snake_case\u2003io')).toEqual([
      ...['router', 'parsehttp', 'router', 'snake_case', 'io'],
    ]);
  });
});

describe('SeedMatchScore (C.4)', () => {
  it.each([
    ['router', 'router', 'pkg.router', 3],
    ['router', 'alphaHandler', 'pkg.router.alphaHandler', 1],
    ['isolationforest predict', 'same', 'pkg.IsolationForest.predict', 2],
    ['isolationforest predict', 'same', 'pkg.generic.predict', 1],
    ['isolationforest predict', 'predict', 'pkg.IsolationForest.predict', 5],
  ])('%s against %s, %s is %d', (query, name, qualifiedName, score) => {
    for (const boundaries of ['identifier', 'word'] as const)
      expect(seedMatchScore({ name, qualifiedName }, query, { boundaries })).toBe(score);
  });

  it('counts repeated tokens: E (T + 1) + Q', () => {
    // T = 3, E = 2, Q = 2.
    expect(seedMatchScore({ name: 'Router', qualifiedName: 'pkg.Router' }, 'router parser ROUTER')).toBe(
      2 * (3 + 1) + 2,
    );
  });

  it('is 1 without a match and without a node', () => {
    expect(seedMatchScore({ name: 'x', qualifiedName: 'pkg.x' }, 'router')).toBe(1);
    expect(seedMatchScore({}, 'router')).toBe(1);
    expect(seedMatchScore(undefined, 'router')).toBe(1);
    expect(seedMatchScore(null, 'router')).toBe(1);
    expect(seedMatchScore({ name: 'router' }, '')).toBe(1);
  });
});

/** Whether a token stands in a qualified name: a name of its own that matches nothing. */
const stands = (token: string, qualifiedName: string, boundaries?: 'word' | 'identifier') =>
  // T = 2 and Q = 2 for a token asked twice; the score is 1 when it stands nowhere.
  seedMatchScore({ name: '-', qualifiedName }, `${token} ${token}`, boundaries && { boundaries }) === 2;

describe('boundaries (C.3)', () => {
  const OF_OLD: [string, string, boolean][] = [
    ['router', 'crate.api.router.handler', true],
    ['router', 'crate.foo.router', true],
    ['router', 'router.bar.baz', true],
    ['router', 'a/router', true],
    ['router', 'a-router', true],
    ['router', 'crate.API.Router', true],
    ['router', 'crate.lib.routermanager', false],
    ['router', 'crate.routes.list', false],
    ['router', 'crate.foo.routerbar', false],
    ['router', 'router_handler', false],
    ['router', 'router2', false],
    ['router', 'RouterMode', false],
    ['router', 'é.routeré', true],
    ['`router`', 'a.`router`.b', false],
    ['#1234', 'a #1234', false],
    ['std::', 'std::', false],
    ['api.router', 'crate.api.router.handler', true],
    ['api.router', 'crate.apixrouter.handler', false],
  ];
  it.each(OF_OLD)("'word': %s in %s is %s, as the original", (token, qualifiedName, expected) => {
    expect(stands(token, qualifiedName, 'word')).toBe(expected);
  });

  const PARTS: [string, string, boolean][] = [
    ['router', 'crate.api.router.handler', true],
    ['router', 'a/router', true],
    ['router', 'router_handler', true],
    ['router', 'my_router', true],
    ['router', 'router2', true],
    ['router', '2router', true],
    ['router', 'RouterMode', true],
    ['router', 'defaultRouter', true],
    ['router', 'HTTPRouter', true],
    ['http', 'HTTPRouter', true],
    ['HTTPRouter', 'pkg.HTTPRouter.run', true],
    ['router_handler', 'x.router_handler', true],
    ['messageRouter', 'x.defaultMessageRouter', true],
    ['router', 'routermanager', false],
    ['router', 'crate.foo.routerbar', false],
    ['router', 'subrouter', false],
    ['httpr', 'HTTPRouter', false],
    ['outer', 'RouterMode', false],
    ['router', 'routeré', false],
    ['größe', 'maxGröße', true],
    ['größe', 'Größenwahn', false],
    ['parser', '日本Parser', true],
    ['api.router', 'crate.api.router.handler', true],
  ];
  it.each(PARTS)('by default: %s in %s is %s', (token, qualifiedName, expected) => {
    expect(stands(token, qualifiedName)).toBe(expected);
  });

  it('looks for tokens of three bytes or more in qualified names, for shorter ones in names alone', () => {
    expect(seedMatchScore({ name: 'x', qualifiedName: 'pkg.io.x' }, 'io')).toBe(1);
    expect(seedMatchScore({ name: 'io', qualifiedName: 'pkg.io' }, 'io')).toBe(2);
    // A name and a qualified name: E = 1, Q = 1, T = 1.
    expect(seedMatchScore({ name: 'get', qualifiedName: 'pkg.get' }, 'get')).toBe(3);
    expect(seedMatchScore({ name: 'run', qualifiedName: 'pkg.runtime' }, 'run')).toBe(2);
  });
});

const open = { principal: 'open' } as const;
const ids = async (asking: Promise<{ seeds: { id: string }[] }>) => (await asking).seeds.map(({ id }) => id);

const symbol = (id: string, qualifiedName: string, more: Partial<Node> = {}): Node => ({
  id,
  name: qualifiedName.split('.').at(-1)!,
  qualifiedName,
  kind: 'Function',
  path: 'a.go',
  ...more,
});

describe('substring seeds (C.3)', () => {
  const engine = openIndex({
    nodes: [
      symbol('1', 'pkg.router.zetaHandler', { path: 'z.go' }),
      symbol('2', 'pkg.router.alphaHandler', { path: 'a.go' }),
      symbol('3', 'pkg.router', { path: 'r.go' }),
      symbol('4', 'pkg.routermanager'),
      symbol('5', 'crate.runtime', { name: 'run' }),
      symbol('6', 'pkg.parser'),
      { id: '7', text: 'router' },
    ],
  });

  it('are the exact name, then qualified names by path', async () => {
    const { seeds, skipped } = await (await engine).matchSeedNodes({ text: 'router', ...open });
    expect(seeds).toEqual([
      { id: '3', score: 3, matched: ['name', 'qualifiedName'] },
      { id: '2', score: 1, matched: ['qualifiedName'] },
      { id: '1', score: 1, matched: ['qualifiedName'] },
    ]);
    expect(skipped).toEqual([]);
  });

  it('are joined by OR over tokens, found by name whatever the qualified name', async () => {
    const one = await engine;
    expect(await ids(one.matchSeedNodes({ text: 'parser run', ...open }))).toEqual(['6', '5']);
    expect(await ids(one.matchSeedNodes({ text: 'nothing of the sort', ...open }))).toEqual([]);
    for (const text of ['', ' \t', 'how does the code work'])
      expect(await ids(one.matchSeedNodes({ text, ...open }))).toEqual([]);
  });
});

it('orders seeds by names, qualified names, path, lines, qualified name, kind, name and id, in bytes', async () => {
  const at = (
    path: string,
    startLine?: number,
    endLine?: number,
    qualifiedName = 'q.router',
    kind = 'k',
  ) => ({
    ...{ path, qualifiedName, kind },
    ...(startLine === undefined ? {} : { startLine }),
    ...(endLine === undefined ? {} : { endLine }),
  });
  const nodes: Node[] = [
    { id: 'l', name: 'parser', qualifiedName: 'router.parser', path: 'z' },
    { id: 'k', name: 'parser', path: 'z' },
    { id: 'j', name: 'x', qualifiedName: 'router.parser', path: 'z' },
    { id: 'i', qualifiedName: 'q.router' },
    { id: 'h', name: 'x', ...at('A', 9, 9) },
    { id: 'g', name: 'x', ...at('a') },
    { id: 'f', name: 'x', ...at('a', 1, 3) },
    { id: 'e', name: 'x', ...at('a', 1, 10) },
    { id: 'd', name: 'x', ...at('a', 1, 10, 'r.router') },
    { id: 'c', name: 'x', ...at('a', 1, 10, 'r.router', 'm') },
    { id: 'b', name: 'y', ...at('a', 1, 10, 'r.router', 'm') },
    { id: 'ba', name: 'y', ...at('a', 1, 10, 'r.router', 'm') },
    // After "z", before "\u{1F600}" by bytes; the other way round by UTF-16 units.
    { id: 'a1', name: 'x', ...at('\uffee') },
    { id: 'a0', name: 'x', ...at('\u{1F600}') },
  ];
  const engine = await openIndex({ nodes });
  const expected = ['l', 'k', 'j', 'i', 'h', 'g', 'f', 'e', 'd', 'c', 'b', 'ba', 'a1', 'a0'];
  expect(await ids(engine.matchSeedNodes({ text: 'router parser', ...open }))).toEqual(expected);
});

const axis = (at: number, dimension = 4) => Array.from({ length: dimension }, (_, d) => (d === at ? 1 : 0));
const toward = (cosine: number) => [cosine, Math.sqrt(1 - cosine * cosine), 0, 0];

describe('embedding and hybrid seeds (C.5)', () => {
  const nodes = [
    symbol('exact', 'pkg.router'),
    symbol('qualified', 'pkg.router.list'),
    symbol('near', 'pkg.alpha', { embedding: toward(0.9) }),
    symbol('nearer', 'pkg.beta', { embedding: toward(0.95) }),
    symbol('twin', 'pkg.gamma', { embedding: toward(0.95) }),
    symbol('behind', 'pkg.delta', { embedding: toward(-0.5) }),
  ];
  const engine = openIndex({ nodes }, { embeddingModel: 'm' });
  const asked = { text: 'router', embedding: axis(0), ...open };

  it('come in the order of their cosine, ties by id, those below 0 left out', async () => {
    const { seeds } = await (await engine).matchSeedNodesByEmbedding(asked);
    expect(seeds.map(({ id }) => id)).toEqual(['nearer', 'twin', 'near']);
    expect(seeds.every(({ score, matched }) => score === 1 && matched.join() === 'embedding')).toBe(true);
    const strict = { ...asked, minCosine: 0.92 };
    expect(await ids((await engine).matchSeedNodesByEmbedding(strict))).toEqual(['nearer', 'twin']);
    const none = { ...asked, embedding: axis(3), minCosine: 0.5 };
    expect(await ids((await engine).matchSeedNodesByEmbedding(none))).toEqual([]);
  });

  it('are ten at most', async () => {
    const many = Array.from({ length: 12 }, (_, i) => ({ id: `n${i + 10}`, embedding: axis(0) }));
    const other = await openIndex({ nodes: many }, { embeddingModel: 'm' });
    const found = await ids(other.matchSeedNodesByEmbedding(asked));
    expect(found).toEqual(many.slice(0, 10).map(({ id }) => id));
  });

  it('of a zero vector are none', async () => {
    const { seeds, skipped } = await (await engine).matchSeedNodesByEmbedding({
      ...asked,
      embedding: [0, 0, 0, 0],
    });
    expect(seeds).toEqual([]);
    expect(skipped).toMatchObject([{ code: 'zero_vector' }]);
  });

  it('three by vector push out those that only a qualified name matched, and say so', async () => {
    const { seeds, skipped } = await (await engine).matchSeedNodesHybrid(asked);
    expect(seeds.map(({ id }) => id)).toEqual(['exact', 'nearer', 'twin', 'near']);
    expect(seeds[0]).toEqual({ id: 'exact', score: 3, matched: ['name', 'qualifiedName'] });
    expect(skipped).toMatchObject([{ channel: 'substring', code: 'dominated', count: 1 }]);
  });

  it('as the original, three by vector push out all others', async () => {
    const dominance = { threshold: 3, keepExactNames: false };
    const { seeds, skipped } = await (await engine).matchSeedNodesHybrid({ ...asked, dominance });
    expect(seeds.map(({ id }) => id)).toEqual(['nearer', 'twin', 'near']);
    expect(skipped).toMatchObject([{ code: 'dominated', count: 2 }]);
  });

  it('below the threshold seeds by words come first, then those by vector not among them', async () => {
    const one = await engine;
    const four = await ids(one.matchSeedNodesHybrid({ ...asked, dominance: { threshold: 4 } }));
    expect(four).toEqual(['exact', 'qualified', 'nearer', 'twin', 'near']);
    const both = await one.matchSeedNodesHybrid({ ...asked, text: 'beta router', minCosine: 0.92 });
    expect(both.seeds).toEqual([
      { id: 'nearer', score: 4, matched: ['name', 'qualifiedName', 'embedding'] },
      { id: 'exact', score: 4, matched: ['name', 'qualifiedName'] },
      { id: 'qualified', score: 1, matched: ['qualifiedName'] },
      { id: 'twin', score: 1, matched: ['embedding'] },
    ]);
    expect(both.skipped).toEqual([]);
  });

  it('refuses a vector of another length or model, naming both', async () => {
    const one = await engine;
    for (const ask of [
      (request: SeedRequest) => one.matchSeedNodesByEmbedding(request),
      (request: SeedRequest) => one.matchSeedNodesHybrid(request),
    ]) {
      await expect(ask({ ...asked, embedding: [1, 2, 3] })).rejects.toMatchObject({
        code: 'DIMENSION_MISMATCH',
        message: expect.stringMatching(/3 numbers.*has 4/),
      });
      await expect(ask({ ...asked, embeddingModel: 'other' })).rejects.toMatchObject({
        code: 'MODEL_MISMATCH',
        message: expect.stringMatching(/"other".*"m"/),
      });
    }
  });
});

describe('without vectors', () => {
  const cases: [string, () => Promise<Engine>, string][] = [
    [
      'no vectors in the index',
      () => openIndex({ nodes: [symbol('a', 'pkg.router')] }),
      'no_visible_vectors',
    ],
    [
      'no embedder',
      () => openIndex({ nodes: [symbol('a', 'pkg.router', { embedding: [1] })] }, { embeddingModel: 'm' }),
      'no_embedder',
    ],
  ];
  it.each(cases)('%s: hybrid goes on by words and says why, embedding is refused', async (_, make, code) => {
    const engine = await make();
    const { seeds, skipped } = await engine.matchSeedNodesByStrategy({ text: 'router', ...open });
    expect(seeds.map(({ id }) => id)).toEqual(['a']);
    expect(skipped).toMatchObject([{ channel: 'dense', code }]);
    await expect(engine.matchSeedNodesByEmbedding({ text: 'router', ...open })).rejects.toMatchObject({
      code: 'EMBEDDINGS_UNAVAILABLE',
      cause: { skip: { code } },
    });
  });

  it('an embedder without its credential is EMBEDDINGS_UNAVAILABLE, with NOT_CONFIGURED as its cause', async () => {
    const { CorankError, dense } = await import('../../dist/index.js');
    const engine = await openIndex(
      { nodes: [symbol('a', 'pkg.router', { embedding: [1] })] },
      { embeddingModel: 'm' },
    );
    const embed = async () => {
      throw new CorankError('NOT_CONFIGURED', 'no key');
    };
    const request = { text: 'router', dense: dense({ embed }), ...open };
    await expect(engine.matchSeedNodesByEmbedding(request)).rejects.toMatchObject({
      code: 'EMBEDDINGS_UNAVAILABLE',
      cause: { code: 'NOT_CONFIGURED' },
    });
    expect((await engine.matchSeedNodesHybrid(request)).skipped).toMatchObject([{ code: 'not_configured' }]);
  });
});

describe('strategies (C.5)', () => {
  const vectors = () =>
    openIndex(
      {
        nodes: [
          symbol('a', 'pkg.router', { text: 'one' }),
          symbol('b', 'x.y', { embedding: [1], text: 'router' }),
        ],
      },
      { embeddingModel: 'm' },
    );
  const asked = { text: 'router', embedding: [1], ...open };

  it('empty and absent mean hybrid', async () => {
    const engine = await vectors();
    for (const strategy of ['', undefined, 'hybrid'] as const) {
      const request = { ...asked, ...(strategy === undefined ? {} : { strategy }) };
      expect(await ids(engine.matchSeedNodesByStrategy(request))).toEqual(['a', 'b']);
    }
  });

  it('substring is literal, or hybrid where there are vectors when routed as the original', async () => {
    const engine = await vectors();
    expect(await ids(engine.matchSeedNodesByStrategy({ ...asked, strategy: 'substring' }))).toEqual(['a']);
    const auto = { ...asked, strategy: 'substring', route: 'auto' } as const;
    expect(await ids(engine.matchSeedNodesByStrategy(auto))).toEqual(['a', 'b']);
    const bare = await openIndex({ nodes: [symbol('a', 'pkg.router')] });
    const { seeds, skipped } = await bare.matchSeedNodesByStrategy({
      ...{ text: 'router', strategy: 'substring', route: 'auto' },
      ...open,
    });
    expect([seeds.length, skipped]).toEqual([1, []]);
  });

  it('an unknown one is refused with the known ones', async () => {
    const engine = await vectors();
    const request = { ...asked, strategy: 'magic' as 'hybrid' };
    await expect(engine.matchSeedNodesByStrategy(request)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('substring, embedding, hybrid, retriever'),
    });
    const misspelt = { ...asked, boundary: 'word' };
    await expect(engine.matchSeedNodesByStrategy(misspelt)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  it("retriever takes a retriever's first hits, by a power of their score or by rank", async () => {
    const engine = await openIndex({ nodes: ['a', 'b', 'c', 'd'].map((id) => ({ id })) });
    const retriever: Retriever = {
      name: 'mine',
      retrieve: async () => [
        { id: 'c', score: 8 },
        { id: 'a', score: 4 },
        { id: 'd', score: 2 },
        { id: 'b', score: 1 },
      ],
    };
    const request = { text: 'x', strategy: 'retriever', retriever, seedCount: 3, ...open } as const;
    const scores = async (more: Partial<SeedRequest>) =>
      (await engine.matchSeedNodesByStrategy({ ...request, ...more })).seeds.map(({ id, score }) => [
        id,
        score,
      ]);
    // Relative to the best: (4/8)^3 and (2/8)^3.
    expect(await scores({})).toEqual([
      ['c', 1],
      ['a', 1 / 8],
      ['d', 1 / 64],
    ]);
    expect(await scores({ seedPower: 1 })).toEqual([
      ['c', 1],
      ['a', 1 / 2],
      ['d', 1 / 4],
    ]);
    expect(await scores({ seedWeights: 'rank' })).toEqual([
      ['c', 1 / 1],
      ['a', 1 / 2],
      ['d', 1 / 3],
    ]);
    const { seeds } = await engine.matchSeedNodesByStrategy(request);
    expect(seeds[0]!.matched).toEqual(['retriever']);
    await expect(engine.matchSeedNodesByStrategy({ ...request, strategy: 'hybrid' })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    });
  });
});

it('scores one node by its id, a hidden one as an unknown one', async () => {
  const access = (acl: string[]) => ({ org: 'o', source: 's', acl });
  const engine = await openIndex({
    nodes: [
      { ...symbol('seen', 'pkg.router'), ...access(['t']) },
      { ...symbol('shut', 'pkg.router'), ...access([]) },
    ],
  });
  const who = { principal: { org: 'o', grants: ['t'] }, sources: ['s'] };
  const score = (node: string) => engine.seedMatchScore({ node, text: 'router', ...who });
  expect([await score('seen'), await score('shut'), await score('nope')]).toEqual([3, 1, 1]);
  await expect(engine.seedMatchScore({ node: 'seen', text: 'router' })).rejects.toMatchObject({
    code: 'NO_PRINCIPAL',
  });
});
