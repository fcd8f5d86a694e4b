import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Edge } from '../../dist/index.js';
import { readEdges } from '../../dist/ingest/edges.js';
import { readNpy } from '../../dist/ingest/npy.js';
import { readQueries } from '../../dist/ingest/queries.js';
import { readSource } from '../../dist/ingest/sources.js';
import { askAll, assertSame, difference } from './answers.js';
import {
  type Asked,
  type Caller,
  type Corpus,
  corpus,
  largeCorpus,
  type Row,
  randoms,
  visiblePart,
} from './corpora.js';
import { temporaryFolder, withIndex } from './indexes.js';
import { compare, hiddenChanges, question, scopedAnswers, worldOf } from './non-interference.js';
import { patience, runs } from './runs.js';

/**
 * A case is one index pair, one caller and one request, put to every retriever and to the bare walk. The pair is
 * an index of everything, asked with a scope, and either the index of only what the caller may read (80 corpora
 * of 5 callers with 8 requests each: 3,200 cases) or the same index with its hidden part changed (80 corpora, up
 * to 6 changes with 6 requests each: over 2,000 cases). Answers are compared number by number and as JSON text.
 */
const CORPORA = 80;
const CHANGED_CORPORA = 80;

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => folder.remove());

describe('non-interference', () => {
  it(
    'answers from a scoped index as from an index of only what the caller may read',
    async () => {
      const tally = { cases: 0, telling: 0 };
      await fc.assert(scopedAnswers(folder.path, tally), runs(CORPORA));
      expect(tally.cases).toBeGreaterThanOrEqual(3000);
      expect(tally.telling).toBeGreaterThanOrEqual(1000);
    },
    patience(),
  );

  it(
    'does not move when hidden rows, texts, edges, vectors and access lists change',
    async () => {
      const tally = { cases: 0, telling: 0 };
      await fc.assert(hiddenChanges(folder.path, tally), runs(CHANGED_CORPORA));
      expect(tally.cases).toBeGreaterThanOrEqual(2000);
      expect(tally.telling).toBeGreaterThanOrEqual(700);
    },
    patience(),
  );

  it(
    'holds whatever weights hidden edges have, up to the ends of what is allowed',
    async () => {
      const setting = corpus.chain((whole) =>
        fc.record({
          whole: fc.constant(whole),
          weights: fc.array(fc.constantFrom(1e100, 1e-100, 1e99, 3), {
            minLength: 4,
            maxLength: 4,
          }),
          asked: question(whole.settings),
        }),
      );
      const property = fc.asyncProperty(setting, async ({ whole, weights, asked: { who, requests } }) => {
        const part = visiblePart(whole, who);
        const seen = new Set(part.edges);
        const edges = whole.edges.map((edge, i) =>
          seen.has(edge) ? edge : { ...edge, weight: weights[i % weights.length]! },
        );
        await withIndex(folder.path, { ...whole, edges }, (full) =>
          withIndex(folder.path, part, (alone) =>
            compare(full, alone, { who, requests: requests.slice(0, 2) }, worldOf(who, whole)),
          ),
        );
      });
      await fc.assert(property, runs(20));
    },
    patience(),
  );

  it(
    'holds for hundreds of rows, whose bitmaps have many words and whose lists are cut at their depth',
    async () => {
      const setting = largeCorpus.chain((whole) =>
        fc.record({
          whole: fc.constant(whole),
          questions: fc.array(question(whole.settings), { minLength: 2, maxLength: 2 }),
        }),
      );
      const property = fc.asyncProperty(setting, ({ whole, questions }) =>
        withIndex(folder.path, whole, async (full) => {
          for (const { who, requests } of questions) {
            await withIndex(folder.path, visiblePart(whole, who), (part) =>
              compare(full, part, { who, requests: requests.slice(0, 3) }, worldOf(who, whole)),
            );
          }
        }),
      );
      await fc.assert(property, runs(6));
    },
    patience(),
  );
});

const data = fileURLToPath(new URL('../../../shared/data/2wiki-164/', import.meta.url));

describe.skipIf(!existsSync(data))('non-interference on 2wiki-164', () => {
  it('answers real questions over a half that is hidden as over the other half alone', async () => {
    const matrix = await readNpy(`${data}/embeddings/lsa-128.docs.npy`);
    const vectors = await readNpy(`${data}/embeddings/lsa-128.queries.npy`);
    const row = (of: typeof matrix, i: number) =>
      Array.from(of.data.subarray(i * of.columns, (i + 1) * of.columns));
    const random = randoms(164);
    const nodes: Row[] = [];
    for await (const { node } of readSource(data)) {
      const who = { org: 'a', source: 's', acl: [random(2) === 0 ? 'a' : 'b'] };
      nodes.push({ ...node, ...who, embedding: row(matrix, nodes.length) });
    }
    const edges: Edge[] = [];
    const resolve = (at: number) => nodes[at]?.id;
    for await (const { edge } of readEdges(`${data}/title_edges.csv.gz`, { resolve })) edges.push(edge);
    const requests: Asked[] = [];
    let place = 0;
    for await (const entry of readQueries(`${data}/queries.jsonl`)) {
      if ('error' in entry) throw entry.error;
      const walk = {
        seeds: [{ place: place * 17 }, { place: place * 31, weight: 2 }],
        any: false,
        options: {},
      };
      if (place % 20 === 0) {
        requests.push({
          ...entry.query,
          embedding: row(vectors, place),
          k: 50,
          explain: true,
          batch: true,
          walk,
        });
      }
      place++;
    }
    const whole: Corpus = {
      settings: {
        analyzer: 'english',
        fields: [],
        dimension: 128,
        embeddingModel: 'lsa-128',
        vectors: 'int8',
        accessTable: false,
      },
      nodes,
      edges,
    };
    const who: Caller = { principal: { org: 'a', grants: ['a'] }, sources: ['s'] };
    const answers = await withIndex(folder.path, whole, (full) =>
      withIndex(folder.path, visiblePart(whole, who), (part) =>
        compare(
          full,
          part,
          { who, requests },
          {
            ...worldOf(who, whole),
            ids: nodes.slice(0, 300).map(({ id }) => id),
          },
        ),
      ),
    );
    expect(answers).toBeGreaterThan(250);
  }, 300_000);
});

describe('the comparison itself', () => {
  const reader: Caller = { principal: { org: 'a', grants: ['a'] }, sources: ['s'] };
  const declared = {
    analyzer: 'english',
    fields: [],
    dimension: 3,
    embeddingModel: 'm1',
    vectors: 'f32',
    accessTable: false,
  } as const;
  const row = (id: string, words: string, acl: string[], embedding: number[]) => ({
    id,
    name: words.split(' ')[0]!,
    qualifiedName: words,
    text: words,
    title: words,
    org: 'a',
    source: 's',
    acl,
    embedding,
  });
  const whole: Corpus = {
    settings: { ...declared, fields: [] },
    nodes: [
      row('hidden', 'night shift night shift', ['b'], [1, 0.5, 0]),
      row('one', 'night shift policy', ['a'], [1, 0, 0]),
      row('two', 'late policy of the night', ['a'], [0, 1, 1]),
    ],
    edges: [
      { from: 'one', to: 'hidden' },
      { from: 'hidden', to: 'two' },
      { from: 'one', to: 'two' },
      { from: 'two', to: 'one' },
    ],
  };
  const asked: Asked = {
    text: 'night shift',
    embedding: [1, 1, 0],
    explain: true,
    batch: false,
    walk: { seeds: [{ place: 0 }], any: false, options: {} },
  };
  const opened: Corpus = { ...whole, nodes: whole.nodes.map((node) => ({ ...node, acl: ['a', 'b'] })) };
  const world = worldOf(reader, whole);
  /** Retrievers that never look at the corpus, only at the caller's vector, have nothing to leak here. */
  const blind = ['dense without embedder', 'dense, broken embedder', 'dense, another model'];

  it('finds that hidden rows were made visible, with every retriever and the walk', async () => {
    const honest = await withIndex(folder.path, visiblePart(whole, reader), (part) =>
      askAll(part, reader, asked, world),
    );
    const leaky = await withIndex(folder.path, opened, (full) => askAll(full, reader, asked, world));
    const unnoticed = [...honest.keys()].filter(
      (name) => difference(honest.get(name), leaky.get(name)) === undefined,
    );
    expect(unnoticed.filter((name) => !blind.includes(name))).toEqual([]);
    await expect(
      withIndex(folder.path, opened, (full) =>
        withIndex(folder.path, visiblePart(whole, reader), (part) =>
          compare(full, part, { who: reader, requests: [asked] }, world),
        ),
      ),
    ).rejects.toThrow(/against/);
  });

  it('finds statistics that leak although every hidden candidate is dropped from the answer', async () => {
    const honest = await withIndex(folder.path, visiblePart(whole, reader), (part) =>
      askAll(part, reader, asked, world),
    );
    const leaky = await withIndex(folder.path, opened, (full) => askAll(full, reader, asked, world));
    const caught = [...honest.keys()].filter((name) => {
      const filtered = postFiltered(leaky.get(name));
      return filtered !== undefined && difference(postFiltered(honest.get(name)), filtered) !== undefined;
    });
    expect(caught).toEqual(
      expect.arrayContaining(['bm25', 'bm25 joined', 'pagerank mixed', 'pagerank sum', 'default']),
    );
  });

  it('finds the smallest possible change of a number, the sign of a zero, and the order of keys', () => {
    expect(difference({ a: [0.1 + 0.2] }, { a: [0.3] })).toMatch(
      /^\.a\[0\]: 0\.30000000000000004 against 0\.3/,
    );
    expect(difference(0, -0)).toBeDefined();
    expect(difference(Number.NaN, Number.NaN)).toBeUndefined();
    expect(difference({ a: 1, b: 2 }, { b: 2, a: 1 })).toBeDefined();
    expect(difference({ a: undefined }, {})).toBeDefined();
    expect(difference(Float64Array.of(1, 2), Float64Array.of(1, 2))).toBeUndefined();
    expect(difference(Float64Array.of(1, 2), [1, 2])).toBeDefined();
    expect(() => assertSame('here', [1], [2])).toThrow('here\n  [0]: 1 against 2');
  });

  /** The ids and scores that are left of an answer once the hidden row is dropped, as a post-filter would. */
  function postFiltered(outcome: unknown): unknown {
    const { answer } = outcome as { answer?: { candidates?: { id: string; score: number }[] } };
    return answer?.candidates?.filter(({ id }) => id !== 'hidden').map(({ id, score }) => [id, score]);
  }
});
