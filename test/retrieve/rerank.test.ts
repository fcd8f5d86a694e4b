import { describe, expect, it } from 'vitest';
import {
  bm25,
  type Candidate,
  dense,
  type Edge,
  type Engine,
  graphCompletion,
  hybrid,
  type Node,
  ORIGINAL_WEIGHTS,
  pagerank,
  type Query,
  type RerankOptions,
  type Retriever,
  rerank,
} from '../../dist/index.js';
import { opened, refusal } from '../index/small-index.js';

/** A channel of words that returns these ids in this order. */
const listing = (ids: readonly string[], channel = 'bm25'): Retriever => ({
  name: 'listing',
  retrieve: async () => ids.map((id, i) => ({ id, score: 9 - i / 1000, ranks: { [channel]: i + 1 } })),
});

const only = (weights: Record<string, number>): Record<string, number> => ({
  ...Object.fromEntries(Object.keys(ORIGINAL_WEIGHTS).map((name) => [name, 0])),
  ...weights,
});

const edge = (from: string, to: string, more: Partial<Edge> = {}): Edge => ({
  from,
  to,
  kind: 'calls',
  ...more,
});

async function ranked(
  engine: Engine,
  options: RerankOptions,
  query: Partial<Query> = {},
): Promise<Candidate[]> {
  const asked = { text: 'where is it', principal: 'open' as const, k: 50, ...query };
  return (await engine.search(asked, { retriever: rerank(options), explain: true })).candidates;
}

const idsOf = (candidates: readonly Candidate[]) => candidates.map(({ id }) => id);
const part = ({ explain }: Candidate, name: string) => explain!.find(({ from }) => from === `rerank:${name}`);
const raws = (candidates: readonly Candidate[], name: string) =>
  Object.fromEntries(candidates.map((one) => [one.id, part(one, name)?.raw]));

describe('over an index', () => {
  const callers = (to: string, count: number): { nodes: Node[]; edges: Edge[] } => {
    const ids = Array.from({ length: count }, (_, i) => `${to}-caller${i}`);
    return { nodes: ids.map((id) => ({ id })), edges: ids.map((id) => edge(id, to)) };
  };
  const code = async (pair: Node[], counts: number[]) => {
    const sides = pair.map(({ id }, i) => callers(id, counts[i]!));
    return opened({
      nodes: [...pair, ...sides.flatMap(({ nodes }) => nodes)],
      edges: sides.flatMap(({ edges }) => edges),
    });
  };
  // System A's tests have no walk, no vectors, and neither HITS nor communities.
  const weights = { hits: 0, community: 0, proximity: 0, semantic_cosine: 0 };

  it('gives the numbers of system A for Session', async () => {
    const engine = await code(
      [
        { id: 'a', name: 'Session', kind: 'type', path: 'a/session_store.go' },
        { id: 'b', name: 'urlSession', kind: 'method', path: 'b/url.go' },
      ],
      [1, 30],
    );
    const options = { retriever: listing(['b', 'a']), blend: 'class', weights } as const;
    const [first, second] = await ranked(engine, options, { text: 'Session' });
    expect([first!.id, second!.id]).toEqual(['a', 'b']);
    expect(first!.score).toBeCloseTo(2.751754613, 9);
    expect(second!.score).toBeCloseTo(2.2, 12);
  });

  it('gives the numbers of system A for Model', async () => {
    const engine = await code(
      [
        { id: 'a', name: 'Model', kind: 'type', path: 'a/llm.go' },
        { id: 'b', name: 'Model', kind: 'type', path: 'a/llm_test.go' },
      ],
      [1, 15],
    );
    const options = { retriever: listing(['b', 'a']), blend: 'class', weights } as const;
    const [first, second] = await ranked(engine, options, { text: 'Model' });
    expect([first!.id, second!.id]).toEqual(['a', 'b']);
    expect(first!.score).toBeCloseTo(3.380645161, 9);
    expect(second!.score).toBeCloseTo(3.215, 12);
  });

  it('takes ranks of words and of vectors from the channels, and no others', async () => {
    const engine = await opened(
      {
        nodes: [
          { id: 'a', text: 'night shift', embedding: [1, 0] },
          { id: 'b', text: 'night', embedding: [0, 1] },
        ],
        edges: [edge('a', 'b')],
      },
      { embeddingModel: 'm', dimension: 2 },
    );
    const query = { text: 'night shift', embedding: [0, 1], embeddingModel: 'm' };
    const both = await ranked(engine, { retriever: hybrid([bm25(), dense()]) }, query);
    expect(raws(both, 'bm25')).toEqual({ a: 1, b: 61 / 62 });
    expect(raws(both, 'semantic')).toEqual({ a: 61 / 62, b: 1 });
    expect(raws(both, 'semantic_cosine')).toEqual({ a: 0, b: 1 });
    const walked = await ranked(engine, { retriever: pagerank() }, query);
    expect(part(walked[0]!, 'bm25')).toMatchObject({ value: 0, absent: expect.stringContaining('words') });
    const odd: Retriever = {
      name: 'odd',
      retrieve: async () => [{ id: 'a', score: 1, ranks: { bm25: 0.5, dense: -1 } }],
    };
    expect(raws(await ranked(engine, { retriever: odd }, query), 'bm25')).toEqual({ a: undefined });
  });
});

describe('what edges say', () => {
  const nodes = ['a', 'b', 'c', 'd'].map((id) => ({ id, path: `${id}.ts` }));
  const retriever = listing(['a', 'b', 'c', 'd']);

  it('is counted over visible ones, self loops apart', async () => {
    const engine = await opened({
      nodes,
      edges: [edge('a', 'b'), edge('c', 'b'), edge('b', 'b'), edge('b', 'c'), edge('b', 'c', { kind: 'x' })],
    });
    const candidates = await ranked(engine, { retriever });
    expect(raws(candidates, 'fan_in')).toEqual({ a: 0, b: 1, c: 1, d: 0 });
    const third = Math.log(2) / Math.log(3);
    expect(raws(candidates, 'fan_out')).toEqual({ a: third, b: 1, c: third, d: 0 });
  });

  it('weighs by how calls and references were found', async () => {
    const engine = await opened({
      nodes,
      edges: [
        edge('b', 'a', { provenance: 'ast-resolved' }),
        edge('c', 'a', { provenance: 'AST_INFERRED', kind: 'references' }),
        edge('d', 'a', { provenance: 'lsp', kind: 'contains' }),
        edge('a', 'b', { fields: { semantic_source: 'tsserver' } }),
        edge('a', 'c', { confidence: 0.95 }),
        edge('b', 'c', { confidence: 0.5 }),
        edge('d', 'c', { confidence: 0.4 }),
        edge('a', 'd'),
      ],
    });
    const found = raws(await ranked(engine, { retriever }), 'provenance');
    expect(found.a).toBeCloseTo((0.9 - 0.5) / 0.5, 12);
    expect(found.b).toBeCloseTo(0.2, 12);
    expect(found.c).toBeCloseTo(((1 + 0.8 + 0.5) / 3 - 0.5) / 0.5, 12);
    expect(found.d).toBe(0);
  });

  it('ties what is alike and what changes together', async () => {
    const engine = await opened({
      nodes: [...nodes, { id: 'b.ts', path: 'b.ts' }],
      edges: [
        edge('a', 'b', { kind: 'similar-to', fields: { similarity: '0.75' } }),
        edge('c', 'a', { kind: 'SIMILAR_TO', confidence: 0.25 }),
        edge('b.ts', 'c', { kind: 'co_change', weight: 0.5 }),
        edge('d', 'b', { kind: 'co_change', fields: { association: '0.25' } }),
      ],
    });
    const candidates = await ranked(engine, { retriever });
    expect(raws(candidates, 'minhash')).toEqual({ a: 0.5, b: 0.75, c: 0.25, d: undefined });
    expect(raws(candidates, 'co_change')).toEqual({ a: undefined, b: 0.375, c: 0.5, d: 0.25 });
  });

  it('draws communities and authorities', async () => {
    const pair = (x: string, y: string): Edge[] => [edge(x, y), edge(y, x)];
    const engine = await opened({
      nodes: [...nodes, { id: 'e' }],
      edges: [...pair('a', 'b'), ...pair('b', 'c'), ...pair('a', 'c'), edge('d', 'e')],
    });
    const candidates = await ranked(engine, { retriever });
    expect(raws(candidates, 'community')).toEqual({ a: 1, b: 1, c: 1, d: 0 });
    // In a triangle all are hubs and authorities alike; the lone edge is none beside it.
    const found = raws(candidates, 'hits');
    for (const id of ['a', 'b', 'c']) expect(found[id]).toBeCloseTo(0.5, 9);
    expect(found.d).toBeCloseTo(0, 9);
  });

  it('walks from the best along calls, references and plain links', async () => {
    const engine = await opened({
      nodes,
      edges: [edge('a', 'c'), { from: 'c', to: 'd' }, edge('a', 'b', { kind: 'x' })],
    });
    const found = raws(await ranked(engine, { retriever: listing(['a']), pool: 1 }), 'proximity');
    expect(found).toEqual({ a: 1 });
    const some = {
      ...listing([]),
      retrieve: async () => [
        { id: 'a', score: 3, ranks: { bm25: 1 } },
        ...['b', 'c', 'd'].map((id, i) => ({ id, score: 2 - i, ranks: {} })),
      ],
    };
    const near = raws(await ranked(engine, { retriever: some }), 'proximity');
    expect(near.a).toBe(1);
    // Forty steps leave .85 ** 40 of the mass unsettled.
    expect(near.c).toBeCloseTo(0.85, 2);
    expect(near.d).toBeCloseTo(0.85 ** 2, 2);
    expect(near.b).toBe(0);
    const prose = raws(await ranked(engine, { retriever: some, prose: true }), 'proximity');
    expect(prose.b).toBeCloseTo(0.425, 2);
  });
});

describe('what the index lacks', () => {
  const nodes = [{ id: 'a', meta: { churn: 7 } }, { id: 'b' }];
  const retriever = listing(['a', 'b']);

  it('is told as absent, with what is missing, and counts nothing', async () => {
    const [first] = await ranked(await opened({ nodes }), { retriever });
    expect(first!.explain!.map(({ from }) => from)).toEqual(
      Object.entries(ORIGINAL_WEIGHTS).flatMap(([name, weight]) => (weight === 0 ? [] : `rerank:${name}`)),
    );
    const absent = first!.explain!.filter((one) => one.absent !== undefined);
    expect(absent.every(({ value, raw, absent }) => value === 0 && raw === undefined && absent !== '')).toBe(
      true,
    );
    expect(absent.map(({ from }) => from)).toEqual(
      [
        ...[
          'semantic',
          'semantic_cosine',
          'fan_in',
          'hits',
          'fan_out',
          'churn',
          'co_change',
          'community',
          'minhash',
        ],
        ...['api_signature', 'type_signature', 'recency', 'feedback', 'file_coherence', 'definition_bias'],
        ...['source_bias', 'provenance', 'proximity', 'overload'],
      ].map((name) => `rerank:${name}`),
    );
  });

  it('may come from declared fields', async () => {
    const engine = await opened(
      {
        nodes: [
          {
            id: 'a',
            meta: { churn: 7, lastAuthored: '2024-03-01', repo: 'r', project: 'p', exported: true },
          },
          { id: 'b', meta: { churn: 1, lastAuthored: '2024-01-31T00:00:00Z' } },
          { id: 'c', meta: { lastAuthored: 'last week' } },
        ],
      },
      {
        fields: [
          { name: 'churn', type: 'int' },
          { name: 'lastAuthored', type: 'string' },
          { name: 'repo', type: 'string' },
          { name: 'project', type: 'string' },
          { name: 'exported', type: 'bool' },
        ],
      },
    );
    const options = { retriever: listing(['a', 'b', 'c']), home: { project: 'p' } };
    const candidates = await ranked(engine, options);
    expect(raws(candidates, 'churn')).toEqual({ a: 1, b: Math.log1p(1) / Math.log1p(7), c: undefined });
    expect(raws(candidates, 'recency')).toEqual({ a: 1, b: 0.5, c: undefined });
    expect(raws(candidates, 'community')).toEqual({ a: 0.7, b: undefined, c: undefined });
    const later = await ranked(engine, { ...options, now: Date.UTC(2024, 2, 31) });
    expect(raws(later, 'recency')).toEqual({ a: 0.5, b: 0.25, c: undefined });
  });

  it('may come from a provider, which is asked once, for visible candidates', async () => {
    const asked: unknown[] = [];
    const engine = await opened({ nodes });
    const provider: RerankOptions['provider'] = async (request) => {
      asked.push(request);
      return new Map<string, object>([
        ['a', { feedback: 0.5, churn: 3 }],
        ['b', { combo: 3, churn: 1, coChange: new Map([['x', 1]]) }],
        ['elsewhere', { feedback: 1 }],
      ]);
    };
    const candidates = await ranked(engine, { retriever, provider });
    expect(asked).toEqual([{ text: 'where is it', ids: ['a', 'b'] }]);
    expect(raws(candidates, 'feedback')).toEqual({ a: 0.5, b: 1 });
    expect(raws(candidates, 'churn')).toEqual({ a: 1, b: 0.5 });
  });

  it.each([
    ['throws', () => Promise.reject(new Error('the store is away')), 'the store is away'],
    ['gives no map', () => ({}), 'no Map'],
    ['gives what is unknown', () => new Map([['a', { churns: 1 }]]), 'churns'],
    ['gives what is no number', () => new Map([['a', { churn: Number.NaN }]]), 'churn'],
  ])('is said when a provider %s', async (_, provider, said) => {
    const engine = await opened({ nodes });
    const { candidates, skipped } = await engine.search(
      { text: 'any', principal: 'open' },
      { retriever: rerank({ retriever, provider: provider as never }) },
    );
    expect(idsOf(candidates)).toEqual(['a', 'b']);
    expect(skipped).toMatchObject([{ channel: 'rerank', code: 'provider_failed' }]);
    expect(skipped[0]!.message).toContain(said);
  });

  it('is said when an embedder fails, not when there is none', async () => {
    const engine = await opened(
      { nodes: [{ id: 'a', embedding: [1, 0] }] },
      { embeddingModel: 'm', dimension: 2 },
    );
    const skipped = async (options: RerankOptions) =>
      (
        await engine.search(
          { text: 'any', principal: 'open' },
          { retriever: rerank({ retriever: listing(['a']), ...options }) },
        )
      ).skipped.map(({ channel, code }) => [channel, code]);
    expect(await skipped({})).toEqual([]);
    const embed = () => Promise.reject(new Error('away'));
    expect(await skipped({ embed })).toEqual([['rerank', 'embedder_unavailable']]);
    expect(await skipped({ embed, cosine: 'fields' })).toEqual([['rerank', 'embedder_unavailable']]);
  });

  it('of vectors may be made of the fields, as system A makes them', async () => {
    const texts: string[] = [];
    const embed = async (list: readonly string[]) => {
      texts.push(...list);
      return list.map((text) => Float32Array.from([text.length, 1]));
    };
    const engine = await opened({
      nodes: [
        {
          id: 'a',
          name: 'f',
          qualifiedName: 'm.f',
          path: 'x.ts',
          signature: `(${'s'.repeat(300)}`,
          text: 'doc',
        },
        { id: 'b', name: 'g', qualifiedName: 'g' },
      ],
    });
    const candidates = await ranked(engine, { retriever, embed, cosine: 'fields' }, { text: 'g' });
    expect(texts.sort()).toEqual([`f m.f x.ts (${'s'.repeat(199)} doc`, 'g', 'g'].sort());
    expect(raws(candidates, 'semantic_cosine').b).toBeCloseTo(1, 12);
    expect(raws(candidates, 'semantic_cosine').a).toBeLessThan(0.75);
  });
});

describe('the list', () => {
  const ids = Array.from({ length: 130 }, (_, i) => `n${String((i * 37) % 130).padStart(3, '0')}`);
  const nodes = ids.map((id, i) => ({ id, path: `f${i % 3}.ts`, name: `name${i}` }));
  const list = async (options: RerankOptions, k: number, explain = true) => {
    const results = [];
    const engine = await opened({ nodes });
    const queries = [{ id: 'q', text: 'where is it', principal: 'open' as const }];
    for await (const result of engine.rank(queries, { retriever: rerank(options), k, explain }))
      results.push(result);
    return results[0]!;
  };

  it('has the first hundred in order by signals, and the rest behind them as they were', async () => {
    // The last of the pool is best by this signal.
    const signals = [
      {
        name: 'late',
        prepare:
          () =>
          ({ rank }: { rank: number }) =>
            rank / 1000,
      },
    ];
    const weights = only({ late: 1 });
    const { candidates } = await list(
      { retriever: listing(ids), signals, weights, queryClass: 'symbol' },
      130,
    );
    expect(idsOf(candidates)).toEqual([...ids.slice(0, 100).reverse(), ...ids.slice(100)]);
    candidates.forEach(({ score }, i) => {
      if (i > 0) expect(score).toBeLessThan(candidates[i - 1]!.score);
    });
    expect(candidates[100]!.explain).toEqual([{ from: 'rerank:behind_pool', value: candidates[100]!.score }]);
  });

  it('is only cut by k', async () => {
    const whole = await list({ retriever: listing(ids) }, 130);
    for (const k of [1, 7, 100, 101]) {
      const { candidates } = await list({ retriever: listing(ids) }, k);
      expect(candidates).toEqual(whole.candidates.slice(0, k));
    }
  });

  it('sums up, with what turns of files and ties moved', async () => {
    for (const weights of [only({}), only({ path_penalty: 1 }), {}]) {
      const { candidates } = await list({ retriever: listing(ids), weights }, 130);
      for (const { explain, score } of candidates)
        expect(Math.abs(explain!.reduce((sum, { value }) => sum + value, 0) - score)).toBeLessThanOrEqual(
          1e-9,
        );
    }
  });

  it('spreads files for a concept', async () => {
    const engine = await opened({
      nodes: ['b1', 'b2', 'b3', 'b4', 'b5', 's1'].map((id) => ({ id, path: `${id[0]}.ts` })),
    });
    const retriever = listing(['b1', 'b2', 'b3', 'b4', 'b5', 's1']);
    const weights = only({ bm25: 1 });
    expect(idsOf(await ranked(engine, { retriever, weights }))).toEqual(['b1', 'b2', 'b3', 's1', 'b4', 'b5']);
    expect(idsOf(await ranked(engine, { retriever, weights, queryClass: 'symbol' }))).toEqual([
      ...['b1', 'b2', 'b3', 'b4', 'b5', 's1'],
    ]);
  });

  it('halves tests, and says so', async () => {
    const engine = await opened({ nodes: [{ id: 'a', path: 'test/a.ts' }] });
    const [only1] = await ranked(engine, { retriever: listing(['a']), weights: only({ bm25: 1 }) });
    expect(only1!.explain).toEqual([
      { from: 'rerank:bm25', value: 1, raw: 1 },
      { from: 'rerank:test_file', value: -0.5 },
    ]);
    expect(only1!.score).toBe(0.5);
  });

  it('keeps ranks, scores and ways of what it puts in order', async () => {
    const engine = await opened({
      nodes: [{ id: 'a', text: 'night' }, { id: 'b' }],
      edges: [edge('a', 'b')],
    });
    const [first, second] = await ranked(
      engine,
      { retriever: graphCompletion({ seeder: bm25() }) },
      { text: 'night' },
    );
    expect(first!.ranks).toEqual({ bm25: 1 });
    expect(second!.via).toEqual({ from: 'a', edgeKind: 'calls', direction: 'out' });
    expect([first!.retriever, second!.retriever]).toEqual(['rerank', 'rerank']);
  });

  it('may be empty', async () => {
    expect(await ranked(await opened({ nodes: [{ id: 'a' }] }), { retriever: listing([]) })).toEqual([]);
  });
});

describe('options', () => {
  it.each([
    [{ wieghts: {} }, 'wieghts'],
    [{ weights: { bm52: 1 } }, 'bm52'],
    [{ weights: { bm25: -1 } }, 'rerank.weights.bm25'],
    [{ weights: 'mine' }, 'rerank.weights'],
    [{ blend: 'discrete' }, 'continuous, class'],
    [{ queryClass: 'words' }, 'rerank.queryClass'],
    [{ prose: 'yes' }, 'rerank.prose'],
    [{ pool: 0 }, 'rerank.pool'],
    [{ pool: 10_001 }, 'rerank.pool'],
    [{ signals: {} }, 'rerank.signals'],
    [{ signals: [{ name: 'x' }] }, 'prepare'],
    [{ signals: [{ name: 'bm25', prepare: () => () => 1 }] }, 'two signals named bm25'],
    [{ signals: [{ name: 'x', weight: Number.NaN, prepare: () => () => 1 }] }, 'weight of the signal x'],
    [{ provider: {} }, 'rerank.provider'],
    [{ now: Number.NaN }, 'rerank.now'],
    [{ home: { repos: 'x' } }, 'repos'],
    [{ cosine: 'fields' }, 'rerank.embed'],
    [{ timeout: 0 }, 'rerank.timeout'],
    [{ retriever: 'bm25' }, 'rerank.retriever'],
  ])('%j are refused', (options, said) => {
    const make = () => rerank(options as never);
    expect(make).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
    expect(make).toThrow(said);
  });

  it("take 'original' as the weights of system A", async () => {
    const engine = await opened({ nodes: [{ id: 'a', path: 'a.ts' }] });
    const [usual] = await ranked(engine, { retriever: listing(['a']) });
    const [original] = await ranked(engine, { retriever: listing(['a']), weights: 'original' });
    expect(original).toEqual(usual);
    expect(original!.score).toBeCloseTo(1 + 0.4, 12);
  });

  it('a signal that gives no number fails the search by its name', async () => {
    const signals = [{ name: 'mine', prepare: () => () => Number.NaN }];
    const engine = await opened({ nodes: [{ id: 'a' }] });
    await refusal(ranked(engine, { retriever: listing(['a']), signals }), 'RETRIEVE_FAILED', 'mine');
  });
});
