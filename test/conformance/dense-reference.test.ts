import { beforeAll, describe, expect, it } from 'vitest';
import {
  bm25,
  dense,
  type Engine,
  hybrid,
  type Query,
  type Result,
  type Retriever,
} from '../../dist/index.js';
import { answers, differences, matrixOf, nodesOf, openIndex, queriesOf, reference } from './collection.js';

const SETS = [
  ['2wiki-164', 'lsa-128', 128],
  ['cacm', 'lsa-128', 128],
  ['cacm', 'use-lite-512', 512],
  ['cranfield', 'lsa-128', 128],
  ['cranfield', 'use-lite-512', 512],
  ['scifact', 'lsa-128', 128],
  ['scifact', 'use-lite-512', 512],
] as const;

/** Ids that sort in corpus order: the reference breaks its ties by corpus row, corank by id. */
const inCorpusOrder = (row: number) => String(row).padStart(6, '0');

describe.each(SETS)('%s %s', (set, model, dimension) => {
  let engine: Engine;
  let queries: Query[];
  const nameOf = new Map<string, string>();

  beforeAll(async () => {
    const [nodes, documents, vectors] = await Promise.all([
      nodesOf(set),
      matrixOf(`${set}/embeddings/${model}.docs.npy`),
      matrixOf(`${set}/embeddings/${model}.queries.npy`),
    ]);
    expect(documents.columns).toBe(dimension);
    nodes.forEach((node, row) => {
      nameOf.set(inCorpusOrder(row), node.id);
    });
    engine = await openIndex(
      { nodes: nodes.map((node, row) => ({ ...node, id: inCorpusOrder(row) })), embeddings: documents },
      { analyzer: 'plain', embeddingModel: model },
    );
    queries = (await queriesOf(set)).map((query, row) => ({
      ...query,
      principal: 'open',
      embedding: vectors.data.subarray(row * dimension, (row + 1) * dimension),
      embeddingModel: model,
    }));
  });

  async function expectReference(file: string, retriever: Retriever): Promise<void> {
    const theirs = reference(`reference/dense/${set}-${model}/${file}`);
    expect(theirs.size).toBe(30);
    const asked = queries.filter((query) => theirs.has(query.id!));
    const ours: Map<string, Result> = await answers(
      engine.rank(asked, { retriever, k: 21, depth: 100, cite: false }),
    );
    for (const [query, list] of theirs) {
      const candidates = ours.get(query)!.candidates.map(({ id, score }) => ({ id: nameOf.get(id)!, score }));
      expect(Math.min(20, candidates.length), query).toBe(list.length);
      expect(differences(candidates, list, { within: 1e-8 }), query).toEqual([]);
    }
  }

  it('gives the cosine lists of the reference', () => expectReference('dense.top20.trec', dense()));

  it('fuses them with BM25 by reciprocal rank as the reference does', () =>
    expectReference(
      'rrf.top20.trec',
      hybrid([bm25({ form: 'joined', pairs: 0, phrases: false, k1: 0.9, b: 0.4 }), dense()], { k: 60 }),
    ));
});
