import { describe, expect, it, vi } from 'vitest';
import { bm25, defaultRetriever, Engine, pagerank, type Query, type Retriever } from '../dist/index.js';
import { built, opened, openedAt, refusal } from './index/small-index.js';

const access = { org: 'acme', source: 'wiki', acl: ['everyone'] };
const caller = { principal: { org: 'acme', grants: ['everyone'] }, sources: ['wiki'] };

describe('a result', () => {
  const node = {
    id: 'n',
    kind: 'function',
    name: 'run',
    qualifiedName: 'pool.run',
    container: 'pool',
    path: 'src/pool.ts',
    documentId: 'doc',
    title: 'Title',
    uri: 'https://example.org',
    heading: 'Heading',
    ordinal: 0,
    startLine: 3,
    endLine: 9,
    signature: 'run(task)',
    text: 'word',
    tokenEstimate: 11,
    meta: { year: 1999, draft: false },
  };
  const engine = opened({
    nodes: [
      { ...node, ...access },
      { id: 'bare', text: 'word', ...access },
    ],
  });

  it('carries every field that a citation needs, and no access column but the source', async () => {
    const { candidates } = await (await engine).search({ text: 'pool', ...caller });
    const { score, ...rest } = candidates[0]!;
    const { id, ...shown } = node;
    expect(rest).toEqual({
      id,
      retriever: 'default',
      ranks: { bm25: 1 },
      scores: { bm25: score },
      source: 'wiki',
      ...shown,
    });
  });

  it('leaves out what a node does not have', async () => {
    const { candidates } = await (await engine).search({ text: 'word', ...caller });
    const bare = candidates.find(({ id }) => id === 'bare')!;
    expect(Object.keys(bare).sort()).toEqual(
      ['id', 'score', 'retriever', 'ranks', 'scores', 'source', 'text', 'tokenEstimate'].sort(),
    );
    expect(bare.tokenEstimate).toBe(Math.ceil('word'.length / 4));
  });

  it('is shorter without citations, and costs the same', async () => {
    const asked = { text: 'word', ...caller };
    const cited = await (await engine).search(asked);
    const bare = await (await engine).search(asked, { cite: false });
    expect(bare.candidates).toEqual(
      cited.candidates.map(({ id, score, retriever, ranks, scores, tokenEstimate }) => ({
        id,
        score,
        retriever,
        ranks,
        scores,
        tokenEstimate,
      })),
    );
    expect(bare.totalTokens).toBe(cited.totalTokens);
    expect(cited.totalTokens).toBe(11 + 1);
  });

  it("carries the query's id when it has one", async () => {
    expect((await (await engine).search({ id: 'q7', text: 'word', ...caller })).id).toBe('q7');
    expect('id' in (await (await engine).search({ text: 'word', ...caller }))).toBe(false);
  });

  it('is the same, byte for byte, when it is asked for again', async () => {
    const asked = { text: 'word pool "run task"', ...caller };
    const once = await (await engine).search(asked, { explain: true });
    expect(JSON.stringify(await (await engine).search(asked, { explain: true }))).toBe(JSON.stringify(once));
  });
});

describe('grantsFor', () => {
  it('turns an identity into what its bearer may see', async () => {
    const { path } = await built({
      nodes: ['jo', 'al'].map((name) => ({
        id: name,
        text: 'word',
        org: 'acme',
        source: 'wiki',
        acl: [`user:${name}`],
      })),
    });
    const grantsFor = vi.fn(async (identity: unknown) =>
      identity === 'nobody' ? null : { org: 'acme', grants: [`user:${identity}`] },
    );
    const engine = await openedAt(path, { grantsFor });
    const seen = async (principal: unknown) =>
      (await engine.search({ text: 'word', principal, sources: ['wiki'] })).candidates.map(({ id }) => id);
    expect([await seen('jo'), await seen('al'), await seen('eve')]).toEqual([['jo'], ['al'], []]);
    await refusal(seen('nobody'), 'NO_PRINCIPAL');
    await refusal(seen({ org: 'acme', grants: ['user:jo'] }), 'NO_PRINCIPAL');
    await refusal(seen('open'), 'ACCESS_MODE');
    expect(grantsFor).toHaveBeenCalledTimes(4);
  });
});

describe('a scoped index and an open one', () => {
  it('are each asked in their own way only', async () => {
    const scoped = await opened({ nodes: [{ id: 'a', text: 'word', ...access }] });
    const open = await opened({ nodes: [{ id: 'a', text: 'word' }] });
    expect((await scoped.search({ text: 'word', ...caller })).candidates).toHaveLength(1);
    expect((await open.search({ text: 'word', principal: 'open' })).candidates).toHaveLength(1);
    await refusal(scoped.search({ text: 'word', principal: 'open' }), 'ACCESS_MODE');
    await refusal(open.search({ text: 'word', ...caller }), 'ACCESS_MODE');
    await refusal(scoped.search({ text: 'word' }), 'NO_PRINCIPAL');
    await refusal(open.search({ text: 'word' }), 'NO_PRINCIPAL');
  });

  it('check a walk like a search', async () => {
    const edges = [{ from: 'a', to: 'a' }];
    const scoped = await opened({ nodes: [{ id: 'a', ...access }], edges });
    const seeds = [{ id: 'a' }];
    await refusal(scoped.walk({ seeds }), 'NO_PRINCIPAL');
    await refusal(scoped.walk({ seeds, principal: caller.principal, sources: [] }), 'NO_SOURCES');
    await refusal(scoped.walk({ seeds, principal: 'open' }), 'ACCESS_MODE');
    expect((await scoped.walk({ seeds, ...caller })).ids).toEqual(['a']);
  });
});

it('tells a caller without a principal so before anything else', async () => {
  const engine = await opened({ nodes: [{ id: 'a', text: 'word', ...access }] });
  const bad: Partial<Query>[] = [
    { text: 7 as never },
    { text: '' },
    { k: Number.NaN },
    { filters: [{ field: 'nope', op: '=', value: 1 }] },
    { embedding: [1, 2, 3] },
  ];
  for (const query of bad) await refusal(engine.search({ text: 'word', ...query }), 'NO_PRINCIPAL');
});

it.each([undefined, null, 7, {}, ['word']])('refuses %j for a text', async (text) => {
  const engine = await opened({ nodes: [{ id: 'a', text: 'word' }] });
  await refusal(engine.search({ text: text as never, principal: 'open' }), 'INVALID_INPUT', 'text');
});

describe('the usual retriever', () => {
  const nodes = ['a', 'b', 'c', 'd'].map((id, i) => ({
    id,
    text: i < 2 ? `word ${'more '.repeat(i)}` : 'other',
  }));
  const asked = { text: 'word', principal: 'open' };

  it('is bm25 on an index without edges', async () => {
    const engine = await opened({ nodes });
    const usual = await engine.search(asked);
    const words = await engine.search(asked, { retriever: bm25() });
    expect(usual.candidates.map(({ id, score }) => [id, score])).toEqual(
      words.candidates.map(({ id, score }) => [id, score]),
    );
    expect(usual.retriever).toBe('default');
  });

  it('is bm25, relative to its best, where no seed has an edge', async () => {
    const engine = await opened({ nodes, edges: [{ from: 'c', to: 'd' }] });
    const { candidates } = await engine.search(asked);
    const words = await engine.search(asked, { retriever: bm25() });
    const best = words.candidates[0]!.score;
    expect(candidates.map(({ id, score }) => [id, score])).toEqual(
      words.candidates.map(({ id, score }) => [id, score / best]),
    );
  });

  it('blends walk and words by the share of the restart weight on seeds that have an edge', async () => {
    // Scores 2 and 1: restart weights 1 and 1/8; a has edges, b none: g = 8/9, above .5, so G = 1.
    const listing = (name: string, hits: [string, number][]): Retriever => ({
      name,
      retrieve: async () => hits.map(([id, score]) => ({ id, score })),
    });
    const engine = await opened({ nodes, edges: [{ from: 'a', to: 'c' }] });
    const blended = async (first: number, second: number) => {
      const text = listing(
        'text',
        [
          ['a', first],
          ['b', second],
        ].sort((x, y) => Number(y[1]) - Number(x[1])) as never,
      );
      const walk = listing('walk', [
        ['c', 4],
        ['a', 1],
      ]);
      const { candidates } = await engine.search(asked, {
        retriever: defaultRetriever(text, walk),
        explain: true,
      });
      for (const { score, explain } of candidates)
        expect(Math.abs(explain!.reduce((sum, { value }) => sum + value, 0) - score)).toBeLessThanOrEqual(
          1e-9,
        );
      return Object.fromEntries(candidates.map(({ id, score }) => [id, score]));
    };
    const near = (scores: Record<string, number>, expected: Record<string, number>) => {
      expect(Object.keys(scores).sort()).toEqual(Object.keys(expected).sort());
      for (const [id, score] of Object.entries(expected)) expect(scores[id]).toBeCloseTo(score, 12);
    };
    near(await blended(2, 1), { c: 1, a: 1 / 4 + 0.1, b: 0.1 / 2 });
    // Scores 1 and 2 the other way round: g = 1/9, under .2, so G = 0 and the walk counts nothing.
    near(await blended(1, 2), { a: 1 / 2, b: 1 });
    // Equal scores: g = 1/2, G = 1. Scores 1 and 1.25: g = 1 / (1 + 1.25^3), G between.
    const g = 1 / (1 + 1.25 ** 3);
    const G = (g - 0.2) / 0.3;
    near(await blended(1, 1.25), { c: G, a: G / 4 + (1 - 0.9 * G) / 1.25, b: 1 - 0.9 * G });
  });
});

describe('pagerank', () => {
  const nodes = ['a', 'b', 'c'].map((id) => ({ id, text: `word ${id}` }));

  it('says so when the query finds no seed', async () => {
    const engine = await opened({ nodes, edges: [{ from: 'a', to: 'b' }] });
    const { candidates, skipped } = await engine.search(
      { text: 'zebra', principal: 'open' },
      { retriever: pagerank() },
    );
    expect(candidates).toEqual([]);
    expect(skipped).toMatchObject([{ channel: 'pagerank', code: 'no_seeds' }]);
  });

  it('is refused on an index without edges, and runs on one with an empty edge table', async () => {
    const asked = { text: 'word', principal: 'open' };
    const without = await opened({ nodes });
    await refusal(without.search(asked, { retriever: pagerank() }), 'INVALID_INPUT', 'edges');
    await refusal(without.walk({ seeds: [{ id: 'a' }], principal: 'open' }), 'INVALID_INPUT', 'edges');
    const empty = await opened({ nodes, edges: [] });
    expect((await empty.search(asked, { retriever: pagerank() })).candidates).toHaveLength(3);
  });

  it.each([
    { damping: 1 },
    { damping: -0.1 },
    { damping: Number.NaN },
    { tolerance: -1 },
    { maxIterations: 0 },
    { maxIterations: 1.5 },
    { selfLoops: 'drop' },
    { edgeWeights: 'none' },
    { walk: 'sideways' },
    { seedCount: 0 },
    { seedPower: -1 },
    { reverseRatio: Number.POSITIVE_INFINITY },
    { kindWeights: { calls: -1 } },
  ])('refuses %j', (options) => {
    expect(() => pagerank(options as never)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
    expect(() => pagerank(options as never)).toThrow(Object.keys(options)[0]);
  });

  it('takes seeds by the cube of their score, the first ten', async () => {
    const many = Array.from({ length: 12 }, (_, i) => ({ id: `n${String(i).padStart(2, '0')}` }));
    const engine = await opened({ nodes: many, edges: [] });
    const seeds: Retriever = {
      name: 'seeds',
      retrieve: async () => many.map(({ id }, i) => ({ id, score: 12 - i })),
    };
    const { candidates } = await engine.search(
      { text: 'any', principal: 'open', k: 50 },
      { retriever: pagerank({ seeds }) },
    );
    // Without edges everybody keeps the share of the restart weight.
    const cubes = many.slice(0, 10).map((_, i) => (12 - i) ** 3);
    const mass = cubes.reduce((sum, cube) => sum + cube, 0);
    expect(candidates).toHaveLength(10);
    candidates.forEach(({ id, score }, i) => {
      expect(id).toBe(many[i]!.id);
      expect(score).toBeCloseTo(cubes[i]! / mass, 12);
    });
  });
});

describe('bm25', () => {
  it.each([
    { k1: -1 },
    { k1: Number.NaN },
    { b: 1.1 },
    { b: -0.1 },
    { b: { title: 2 } },
    { b: { colour: 0.5 } },
    { form: 'bm25+' },
    { form: 'joined', b: { title: 0.5 } },
    { weights: { title: -1 } },
    { weights: { colour: 1 } },
    { pairs: -0.2 },
  ])('refuses %j', (options) => {
    expect(() => bm25(options as never)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
  });
});

it('opens no index twice the worse: engines on one folder answer alike', async () => {
  const { path } = await built({ nodes: [{ id: 'a', text: 'word' }] });
  const engines = [
    await openedAt(path),
    await openedAt(path, { threads: 1 }),
    await Engine.open(path, { threads: 0 }),
  ];
  const results = await Promise.all(
    engines.map((engine) => engine.search({ text: 'word', principal: 'open' })),
  );
  await engines[2]!.close();
  expect(results[1]).toEqual(results[0]);
  expect((await engines[0]!.search({ text: 'word', principal: 'open' })).candidates).toHaveLength(1);
});
