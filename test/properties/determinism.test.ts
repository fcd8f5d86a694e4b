import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildIndex, Engine, type Node, type Query, type Result, type Retriever } from '../../dist/index.js';
import { readEdges } from '../../dist/ingest/edges.js';
import { readNpy } from '../../dist/ingest/npy.js';
import { readQueries } from '../../dist/ingest/queries.js';
import { readSource } from '../../dist/ingest/sources.js';
import { ask, askAll, assertSame, outcome } from './answers.js';
import { type Asked, type Caller, type Corpus, caller, corpus, requestOf, visiblePart } from './corpora.js';
import { build, temporaryFolder, withIndex } from './indexes.js';
import { OWN, type World } from './retrievers.js';
import { patience, runs } from './runs.js';

const THREADS = [1, 2, 4];

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => folder.remove());

interface Questions {
  whole: Corpus;
  asked: { who: Caller; request: Asked }[];
}

/** A corpus and questions of several callers, so that scopes change from one query to the next. */
const questions = (most: number): fc.Arbitrary<Questions> =>
  corpus.chain((whole) =>
    fc.record({
      whole: fc.constant(whole),
      asked: fc.array(fc.record({ who: caller, request: requestOf(whole.settings) }), {
        minLength: most,
        maxLength: most,
      }),
    }),
  );

const worldOf = (who: Caller, whole: Corpus): World => ({
  ids: [...whole.nodes.map(({ id }) => id), 'nobody'],
  visible: visiblePart(whole, who).nodes.map(({ id }) => id),
  dimension: whole.settings.dimension,
});

const answersOf = async (engine: Engine, { whole, asked }: Questions) => {
  const answers: unknown[] = [];
  for (const { who, request } of asked) {
    answers.push([...(await askAll(engine, who, request, worldOf(who, whole)))]);
  }
  return answers;
};

/** Opens the same index once more, with other threads. */
async function withThreads<T>(
  path: string,
  threads: number,
  use: (engine: Engine) => Promise<T>,
): Promise<T> {
  const engine = await Engine.open(path, { threads });
  try {
    return await use(engine);
  } finally {
    await engine.close();
  }
}

/** `of` in the order that `keys` sort to: a permutation that shrinks. */
const permuted = <T>(of: readonly T[], keys: readonly number[]): T[] =>
  of
    .map((item, i) => ({ item, key: keys[i % Math.max(1, keys.length)] ?? 0, i }))
    .sort((a, b) => a.key - b.key || b.i - a.i)
    .map(({ item }) => item);

const batchOf = (asked: Questions['asked']): Query[] =>
  asked.map(({ who, request: { depth: _d, explain: _e, batch: _b, walk: _w, ...query } }, i) => ({
    ...query,
    ...who,
    id: `q${i}`,
  }));

/** Results by id, in the order of the batch, each with its error as a program sees it. */
async function ranked(engine: Engine, queries: readonly Query[], retriever: Retriever, depth = 60) {
  const results: unknown[] = [];
  for await (const { error, ...result } of engine.rank(queries, { retriever, explain: true, k: 20, depth })) {
    results.push({ ...result, error: error && { code: error.code, message: error.message } });
  }
  return results as (Result & { error?: { code: string; message: string } })[];
}

describe('determinism on random corpora', () => {
  it(
    'gives the same bytes with 0, 1, 2 and 4 threads',
    async () => {
      const property = fc.asyncProperty(questions(4), async (setting) => {
        const { path } = await build(folder.path, setting.whole);
        const expected = await withThreads(path, 0, (engine) => answersOf(engine, setting));
        for (const threads of THREADS) {
          const got = await withThreads(path, threads, (engine) => answersOf(engine, setting));
          assertSame(`${threads} threads against none`, got, expected);
        }
      });
      await fc.assert(property, runs(8));
    },
    patience(),
  );

  it(
    'gives the same tables and the same answers when nodes, access rows and edges are shuffled',
    async () => {
      const setting = fc.record({
        questions: questions(3),
        keys: fc.array(fc.nat(100), { minLength: 60, maxLength: 60 }),
      });
      const property = fc.asyncProperty(setting, async ({ questions: asked, keys }) => {
        const { whole } = asked;
        const shuffled = {
          ...whole,
          nodes: permuted(whole.nodes, keys),
          edges: permuted(whole.edges, [...keys].reverse()),
        };
        const [one, other] = [await build(folder.path, whole), await build(folder.path, shuffled)];
        assertSame('answers', ...(await both(one.path, other.path, (engine) => answersOf(engine, asked))));
        assertSame('manifest', one.report.manifest, other.report.manifest);
      });
      await fc.assert(property, runs(40));
    },
    patience(),
  );

  it(
    'answers a query in a batch as alone, whatever the order of the batch and the number of threads',
    async () => {
      const setting = fc.record({
        questions: questions(12),
        keys: fc.array(fc.nat(100), { minLength: 12, maxLength: 12 }),
        threads: fc.constantFrom(0, 1, 2, 4),
      });
      const property = fc.asyncProperty(setting, async ({ questions: { whole, asked }, keys, threads }) => {
        const { path } = await build(folder.path, whole);
        const queries = batchOf(asked);
        await withThreads(path, threads, async (engine) => {
          for (const [name, make] of Object.entries(OWN)) {
            const retriever = make(worldOf(asked[0]!.who, whole));
            const batch = await ranked(engine, queries, retriever);
            expect(batch.map(({ id }) => id)).toEqual(queries.map(({ id }) => id));
            for (const [i, query] of queries.entries()) {
              assertSame(
                `${name}, ${query.id} alone`,
                (await ranked(engine, [query], retriever))[0],
                batch[i],
              );
            }
            const otherwise = await ranked(engine, permuted(queries, keys), retriever);
            const expected = permuted(batch, keys);
            assertSame(`${name}, in another order`, otherwise, expected);
          }
        });
      });
      await fc.assert(property, runs(10));
    },
    patience(),
  );

  it(
    'answers questions asked at the same time as those asked one after another',
    async () => {
      const property = fc.asyncProperty(
        questions(20),
        fc.constantFrom(0, 2),
        async ({ whole, asked }, threads) => {
          const { path } = await build(folder.path, whole);
          await withThreads(path, threads, async (engine) => {
            const all = asked.flatMap(({ who, request }) =>
              Object.values(OWN).map((make) => () => ask(engine, who, request, make(worldOf(who, whole)))),
            );
            const together = await Promise.all(all.map((one) => one()));
            for (const [i, one] of all.entries()) assertSame(`question ${i}`, together[i], await one());
          });
        },
      );
      await fc.assert(property, runs(6));
    },
    patience(),
  );

  it('serves more callers at the same time than any cache could hold', async () => {
    const tags = Array.from({ length: 200 }, (_, i) => `t${i}`);
    const nodes = tags.map((tag, i) => ({
      id: `n${i}`,
      text: i % 3 === 0 ? 'night shift' : 'night',
      org: 'a',
      source: 's',
      acl: [tag, tags[(i * 7) % 200]!],
    }));
    const settings = {
      analyzer: 'plain',
      fields: [],
      dimension: 1,
      embeddingModel: 'm1',
      vectors: 'f32',
      accessTable: false,
    } as const;
    const whole: Corpus = { settings: { ...settings, fields: [] }, nodes, edges: [] };
    const queries = tags.map((tag) => ({
      id: tag,
      text: 'night shift',
      principal: { org: 'a', grants: [tag] },
      sources: ['s'],
    }));
    for (const threads of [0, 2]) {
      await withIndex(
        folder.path,
        whole,
        async (engine) => {
          const retriever = OWN.bm25!(worldOf({ principal: { org: 'a', grants: [] }, sources: [] }, whole));
          const together = await Promise.all(
            queries.map(({ id: _, ...query }) => engine.search(query, { retriever })),
          );
          for (const [i, query] of queries.entries()) {
            const expected = nodes.filter(({ acl }) => acl.includes(query.id)).map(({ id }) => id);
            expect(together[i]!.candidates.map(({ id }) => id).sort()).toEqual(expected.sort());
            const { id, ...result } = (await ranked(engine, [query], retriever, 200))[0]!;
            expect(id).toBe(query.id);
            expect(together[i]!.candidates.map(({ id, score }) => [id, score])).toEqual(
              result.candidates.map(({ id, score }) => [id, score]),
            );
          }
        },
        threads,
      );
    }
  }, 60_000);
});

/** The same use of two indexes. */
async function both<T>(one: string, other: string, use: (engine: Engine) => Promise<T>): Promise<[T, T]> {
  return [await withThreads(one, 0, use), await withThreads(other, 0, use)];
}

const data = fileURLToPath(new URL('../../../shared/data/2wiki-164/', import.meta.url));

describe.skipIf(!existsSync(data))('determinism on 2wiki-164', () => {
  const open = { principal: 'open' } as const;
  const QUERIES = 12;
  let nodes: Node[];
  let edges: { from: string; to: string; kind?: string; weight?: number }[];
  let queries: Query[];
  let ordered: Awaited<ReturnType<typeof buildIndex>>;
  const path = (name: string) => `${folder.path}/${name}`;
  const RETRIEVERS = [
    'bm25',
    'bm25 joined',
    'dense without embedder',
    'hybrid weighted',
    'pagerank mixed',
    'pagerank sum',
    'fused',
    'graph completion',
    'default',
  ];
  const retriever = (name: string): Retriever => OWN[name]!({ ids: [], visible: [], dimension: 128 });

  beforeAll(async () => {
    const matrix = await readNpy(`${data}/embeddings/lsa-128.docs.npy`);
    const vectors = await readNpy(`${data}/embeddings/lsa-128.queries.npy`);
    const row = (of: typeof matrix, i: number) => of.data.subarray(i * of.columns, (i + 1) * of.columns);
    nodes = [];
    for await (const { node } of readSource(data)) {
      nodes.push({ ...node, embedding: row(matrix, nodes.length) });
    }
    edges = [];
    const resolve = (at: number) => nodes[at]?.id;
    for await (const { edge } of readEdges(`${data}/title_edges.csv.gz`, { resolve })) edges.push(edge);
    queries = [];
    for await (const entry of readQueries(`${data}/queries.jsonl`)) {
      if ('error' in entry) throw entry.error;
      queries.push({ ...entry.query, ...open, embedding: row(vectors, queries.length) });
    }
    expect([nodes.length, edges.length, queries.length]).toEqual([7005, 4126, 164]);
    queries = queries.filter((_, i) => i % Math.floor(164 / QUERIES) === 0);
    ordered = await buildIndex({ nodes, edges }, { out: path('ordered'), embeddingModel: 'lsa-128' });
  }, 300_000);

  const answers = (engine: Engine) =>
    Promise.all(RETRIEVERS.map((name) => ranked(engine, queries, retriever(name), 200)));

  it('gives the same bytes with 0, 1, 2 and 4 threads', async () => {
    const expected = await withThreads(path('ordered'), 0, answers);
    expect(expected.flat().every(({ candidates }) => candidates.length > 0)).toBe(true);
    for (const threads of THREADS) {
      assertSame(`${threads} threads`, await withThreads(path('ordered'), threads, answers), expected);
    }
  }, 300_000);

  it('gives the same tables and the same bytes from shuffled rows and edges', async () => {
    const keys = Array.from({ length: nodes.length }, (_, i) => (i * 7919 + 13) % 7001);
    const shuffled = await buildIndex(
      { nodes: permuted(nodes, keys), edges: permuted(edges, keys) },
      { out: path('shuffled'), embeddingModel: 'lsa-128' },
    );
    assertSame('manifest', shuffled.manifest, ordered.manifest);
    assertSame('answers', ...(await both(path('shuffled'), path('ordered'), answers)));
  }, 300_000);

  it('gives the same tables from a matrix of vectors as from vectors in the nodes', async () => {
    const bare = nodes.map(({ embedding: _, ...node }) => node);
    const values = Float32Array.from(nodes.flatMap(({ embedding }) => Array.from(embedding!)));
    const embeddings = { rows: nodes.length, columns: 128, data: values };
    const { manifest } = await buildIndex(
      { nodes: bare, edges, embeddings },
      { out: path('matrix'), embeddingModel: 'lsa-128' },
    );
    assertSame('manifest', manifest, ordered.manifest);
  }, 300_000);

  it('answers a query alone as in the batch, whatever the order, by search as by rank', async () => {
    await withThreads(path('ordered'), 2, async (engine) => {
      for (const name of RETRIEVERS) {
        const batch = await ranked(engine, queries, retriever(name), 200);
        const reversed = await ranked(engine, [...queries].reverse(), retriever(name), 200);
        assertSame(`${name}, reversed`, reversed.reverse(), batch);
        for (const [i, query] of queries.slice(0, 6).entries()) {
          const alone = await ranked(engine, [query], retriever(name), 200);
          assertSame(`${name}, ${query.id} alone`, alone[0], batch[i]);
          const found = await outcome(() =>
            engine.search({ ...query, k: 20 }, { retriever: retriever(name), explain: true }),
          );
          assertSame(`${name}, ${query.id} searched`, found, {
            answer: (({ error: _, ...result }) => result)(batch[i]!),
          });
        }
      }
    });
  }, 300_000);
});
