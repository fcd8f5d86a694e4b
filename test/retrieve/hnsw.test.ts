import { beforeAll, describe, expect, it } from 'vitest';
import { uniform } from '../../bench/generate.js';
import {
  bm25,
  buildIndex,
  dense,
  type Embed,
  type Engine,
  hnsw,
  hybrid,
  type Node,
  type Query,
  type Result,
  type Retriever,
  rrf,
} from '../../dist/index.js';
import { absent } from '../index/hnsw-package.js';
import { built, opened, openedAt, refusal } from '../index/small-index.js';

const DIMENSION = 12;
const options = { embeddingModel: 'm', ann: true } as const;
const next = uniform(7);
const vector = (): number[] => Array.from({ length: DIMENSION }, () => 2 * next() - 1);
const vectors = Array.from({ length: 600 }, vector);
const nodes: Node[] = vectors.map((embedding, i) => ({ id: `n${i}`, text: 'word', embedding }));
const asking = (embedding: ArrayLike<number>, more: Partial<Query> = {}): Query => ({
  text: 'word',
  principal: 'open',
  embedding,
  ...more,
});

const APPROXIMATE = { channel: 'hnsw', code: 'approximate' };

/** The whole answer, with one channel's name for the other's. */
const named = ({ candidates, ...result }: Result, name: string): string =>
  JSON.stringify({ ...result, candidates, skipped: [] }).replaceAll(`"${name}`, '"channel');

/** Expects the answer of the exact scan, to the byte, and the reason why it is that. */
async function expectExact(engine: Engine, query: Query, code: string): Promise<void> {
  const ask = (retriever: Retriever) => engine.search(query, { retriever, explain: true });
  const [ours, theirs] = [await ask(hnsw()), await ask(dense())];
  expect(ours.candidates.length).toBeGreaterThan(0);
  expect(named(ours, 'hnsw')).toBe(named(theirs, 'dense'));
  const message = expect.stringMatching(/^the exact scan answered: /);
  expect(ours.skipped).toEqual([{ channel: 'hnsw', code, message }]);
}

describe.skipIf(absent)('an index that is seen whole', () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await opened({ nodes }, options);
  });

  it('is walked, says that the list is approximate, and gives the scores of the exact scan', async () => {
    for (let q = 0; q < 50; q++) {
      const query = asking(vector(), { k: 50 });
      const ours = await engine.search(query, { retriever: hnsw(), explain: true });
      const theirs = await engine.search(query, { retriever: dense(), explain: true });
      expect(ours.skipped).toMatchObject([APPROXIMATE]);
      expect(named(ours, 'hnsw')).toBe(named(theirs, 'dense'));
    }
  });

  it('gives the same bytes with threads, and alone or in a batch', async () => {
    const { path } = await built({ nodes }, options);
    const threaded = await openedAt(path, { threads: 2 });
    const queries = Array.from({ length: 20 }, (_, i) => asking(vector(), { id: String(i), k: 20 }));
    const singles = [];
    for (const query of queries) singles.push(await engine.search(query, { retriever: hnsw() }));
    const batch = [];
    for await (const result of threaded.rank(queries, { retriever: hnsw() })) batch.push(result);
    expect(batch).toEqual(singles);
  });

  it('gives a list for few that begins the list for many', async () => {
    const embedding = vector();
    const ask = async (k: number) =>
      (await engine.search(asking(embedding, { k }), { retriever: hnsw() })).candidates;
    expect((await ask(50)).slice(0, 8)).toEqual(await ask(8));
  });

  it('can be asked for more than it has', async () => {
    const few = await opened({ nodes: nodes.slice(0, 5) }, options);
    const { candidates } = await few.search(asking(vector(), { k: 50 }), { retriever: hnsw({ ef: 10_000 }) });
    expect(candidates).toHaveLength(5);
    const deep = await engine.search(asking(vector()), { retriever: hnsw(), depth: 10_000 });
    expect(deep.candidates).toHaveLength(8);
  });

  it('finds more with more candidates', async () => {
    const poor = await opened({ nodes }, { ...options, ann: { m: 2, efConstruction: 2 } });
    const found = async (ef: number) => {
      let same = 0;
      for (let q = 0; q < 40; q++) {
        const query = asking(vectors[q]!.map((x, d) => x + vectors[q + 1]![d]!));
        const ask = async (retriever: Retriever) =>
          (await poor.search(query, { retriever, depth: 8 })).candidates.map(({ id }) => id);
        const exact = new Set(await ask(dense()));
        same += (await ask(hnsw({ ef }))).filter((id) => exact.has(id)).length;
      }
      return same;
    };
    const [few, many] = [await found(1), await found(600)];
    expect(few).toBeLessThan(many);
  });

  it('is a channel among others', async () => {
    const query = asking(vector());
    const { skipped, candidates } = await engine.search(query, {
      retriever: hybrid([bm25(), hnsw()], { fusion: rrf() }),
    });
    expect(skipped).toMatchObject([APPROXIMATE]);
    expect(candidates[0]!.ranks).toHaveProperty('hnsw');
  });

  it('may leave out a row of zeros, and finds nothing for a query of zeros', async () => {
    const zero = new Array(DIMENSION).fill(0);
    const some = await opened({ nodes: [...nodes.slice(0, 3), { id: 'zero', embedding: zero }] }, options);
    const { candidates } = await some.search(asking(vector()), { retriever: hnsw() });
    expect(candidates.map(({ id }) => id).sort()).toEqual(['n0', 'n1', 'n2']);
    const nothing = await some.search(asking(zero), { retriever: hnsw() });
    expect(nothing).toMatchObject({ candidates: [], skipped: [{ channel: 'hnsw', code: 'zero_vector' }] });
  });
});

describe.skipIf(absent)('a query that would harm the native code', () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await opened({ nodes: nodes.slice(0, 50) }, options);
  });
  const returning = (embedding: unknown): Embed => (async () => [embedding]) as unknown as Embed;
  const withFirst = (x: unknown) => [x, ...new Array(DIMENSION - 1).fill(1)];

  it.each([
    ['NaN', withFirst(Number.NaN)],
    ['infinity', withFirst(Number.POSITIVE_INFINITY)],
    ['a number that float32 cannot hold', withFirst(1e39)],
    ['an object', withFirst({})],
    ['too few numbers', [1]],
    ['text', 'x'.repeat(DIMENSION)],
    ['no list', 7],
  ])('(%s from an embedder) is a reason, and an error alone', async (_, embedding) => {
    const query: Query = { text: 'word', principal: 'open' };
    const retriever = hnsw({ embed: returning(embedding) });
    await refusal(engine.search(query, { retriever }), 'EMBEDDINGS_UNAVAILABLE', 'hnsw cannot run');
    const { skipped } = await engine.search(query, { retriever: hybrid([bm25(), retriever]) });
    expect(skipped).toMatchObject([{ channel: 'hnsw', code: 'embedder_unavailable' }]);
  });

  it.each([Number.NaN, 1e39, 'x', null, undefined, {}])('(%s from the caller) is refused', async (x) => {
    const query = asking(withFirst(x) as number[]);
    await refusal(engine.search(query, { retriever: hnsw() }), 'INVALID_INPUT', 'position 0');
  });

  it('is refused with a wrong number of numbers', async () => {
    await refusal(engine.search(asking([1]), { retriever: hnsw() }), 'DIMENSION_MISMATCH');
  });

  it('is welcome when it is only very small or very large', async () => {
    for (const x of [1e-45, 3e38]) {
      const { candidates, skipped } = await engine.search(asking(new Array(DIMENSION).fill(x)), {
        retriever: hnsw(),
      });
      expect(candidates).toHaveLength(8);
      expect(skipped).toMatchObject([APPROXIMATE]);
    }
  });
});

it.each([
  [{ ef: 0 }, 'hnsw.ef'],
  [{ ef: 10_001 }, 'hnsw.ef'],
  [{ ef: 1.5 }, 'hnsw.ef'],
  [{ ef: '9' as never }, 'hnsw.ef'],
  [{ timeout: 0 }, 'hnsw.timeout'],
  [{ metric: 'dot' } as never, '"metric"'],
])('refuses %j', (wrong, name) => {
  expect(() => hnsw(wrong)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
  expect(() => hnsw(wrong)).toThrow(name);
});

it('answers exactly where there are no graphs', async () => {
  const engine = await opened({ nodes }, { embeddingModel: 'm' });
  await expectExact(engine, asking(vector()), 'no_graph');
  const bytes = await opened({ nodes }, { embeddingModel: 'm', vectors: 'int8-only' });
  const { skipped } = await bytes.search(asking(vector()), { retriever: hnsw() });
  expect(skipped).toMatchObject([{ code: 'no_graph' }, APPROXIMATE]);
});

describe.skipIf(absent)('the exact scan answers, with the reason', () => {
  it('where a filter leaves out one row of the graph', async () => {
    const engine = await opened(
      { nodes: nodes.map((node, i) => ({ ...node, meta: { i } })) },
      { ...options, fields: [{ name: 'i', type: 'int' }] },
    );
    const query = (value: number) => asking(vector(), { filters: [{ field: 'i', op: '<', value }] });
    await expectExact(engine, query(599), 'partly_visible');
    const whole = await engine.search(query(600), { retriever: hnsw() });
    expect(whole.skipped).toMatchObject([APPROXIMATE]);
  });

  it('for a query of another model than that of the graph', async () => {
    const old: Node = { id: 'old', embedding: vector(), embeddingModel: 'old' };
    const engine = await opened({ nodes: [...nodes.slice(0, 20), old] }, options);
    await expectExact(engine, asking(vector(), { embeddingModel: 'old' }), 'no_graph_for_model');
    const { candidates } = await engine.search(asking(vector(), { k: 50 }), { retriever: hnsw() });
    expect(candidates.map(({ id }) => id)).not.toContain('old');
  });

  it('where the index was renewed before a graph was opened, and the graph where it was opened in time', async () => {
    const { path } = await built({ nodes }, options);
    const [late, early] = [await openedAt(path), await openedAt(path)];
    const query = asking(vector());
    const before = await early.search(query, { retriever: hnsw() });
    await buildIndex({ nodes: [{ id: 'other' }] }, { out: path, replace: true });
    await expectExact(late, query, 'graph_replaced');
    expect(await early.search(query, { retriever: hnsw() })).toEqual(before);
  });
});

describe.skipIf(absent)('a scoped index', () => {
  const placed = (org: string, source: string, acl: string, from: number, to: number): Node[] =>
    nodes.slice(from, to).map((node) => ({ ...node, org, source, acl: [acl] }));
  const text: Node = { id: 'text', text: 'word', org: 'x', source: 'whole', acl: ['secret'] };
  let engine: Engine;
  beforeAll(async () => {
    engine = await opened(
      {
        nodes: [
          ...placed('x', 'whole', 'all', 0, 200),
          ...placed('x', 'other', 'all', 200, 300),
          ...placed('x', 'partly', 'all', 300, 399),
          ...placed('x', 'partly', 'secret', 399, 400),
          ...placed('y', 'whole', 'all', 400, 600),
          text,
        ],
      },
      options,
    );
  });
  const by = (grants: string[], sources: string[], org = 'x') =>
    asking(vectors[0]!, { principal: { org, grants }, sources, k: 50 });

  it.each([
    ['a source, though a row without a vector is hidden', ['all'], ['whole'], 'x', 200],
    ['two of them', ['all'], ['whole', 'other'], 'x', 300],
    ['another organisation', ['all'], ['whole', 'other'], 'y', 200],
    ['a source where grants show all', ['all', 'secret'], ['whole', 'other', 'partly'], 'x', 400],
  ])('walks %s, and finds rows of it alone', async (_, grants, sources, org, count) => {
    const query = { ...by(grants, sources, org), k: 10_000 };
    const results: Result[] = [];
    for await (const result of engine.rank([{ ...query, id: 'q' }], {
      retriever: hnsw(),
      depth: 10_000,
    }))
      results.push(result);
    expect(results[0]!.skipped).toMatchObject([APPROXIMATE]);
    const exact: Result[] = [];
    for await (const result of engine.rank([{ ...query, id: 'q' }], {
      retriever: dense(),
      depth: 10_000,
    }))
      exact.push(result);
    expect(exact[0]!.candidates).toHaveLength(count);
    expect(named(results[0]!, 'hnsw')).toBe(named(exact[0]!, 'dense'));
  });

  it.each([
    ['one hidden row', ['all'], ['partly']],
    ['one hidden row in one of two sources', ['all'], ['whole', 'partly']],
    ['one visible row', ['secret'], ['partly']],
  ])('answers exactly for a source with %s', async (_, grants, sources) => {
    await expectExact(engine, by(grants, sources), 'partly_visible');
  });

  it('answers as an index of the visible rows alone does, where it answers exactly', async () => {
    const alone = await opened({ nodes: placed('x', 'partly', 'all', 300, 399) }, { embeddingModel: 'm' });
    const ours = await engine.search(by(['all'], ['partly']), { retriever: hnsw() });
    const theirs = await alone.search(by(['all'], ['partly']), { retriever: dense() });
    expect(named(ours, 'hnsw')).toBe(named(theirs, 'dense'));
  });

  it('answers as an index of the visible rows alone does, where it walks too', async () => {
    const alone = await opened({ nodes: placed('y', 'whole', 'all', 400, 600) }, options);
    const asked = by(['all'], ['whole'], 'y');
    const ours = await engine.search(asked, { retriever: hnsw({ ef: 1 }), depth: 60 });
    expect(ours.skipped).toMatchObject([APPROXIMATE]);
    expect(await alone.search(asked, { retriever: hnsw({ ef: 1 }), depth: 60 })).toEqual(ours);
  });

  it('says nothing of graphs to who sees no vector', async () => {
    const asked = engine.search(by(['nobody'], ['whole']), { retriever: hnsw() });
    await refusal(asked, 'EMBEDDINGS_UNAVAILABLE', 'no visible row has a vector');
  });
});
