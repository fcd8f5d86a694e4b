import { describe, expect, it } from 'vitest';
import { bm25, dense, evaluate, hybrid, lsa, parseMeasure, readQrels } from '../../dist/index.js';
import { built, openedAt } from '../index/small-index.js';
import { answers, data, matrixOf, nodesOf, queriesOf, runOf } from './collection.js';

const MEASURES = ['nDCG@10', 'R@100'].map(parseMeasure);

/** Least figures of `hybrid` with its defaults and LSA 256: what issue and QUALITY section 2 ask for. */
const HYBRID: Record<string, Record<string, number>> = {
  scifact: { 'nDCG@10': 0.7, 'R@100': 0.935 },
  cranfield: { 'nDCG@10': 0.395 },
  cacm: { 'nDCG@10': 0.51 },
  '2wiki-164': { 'nDCG@10': 0.76 },
};

describe.each(Object.keys(HYBRID))('vectors learned from %s', (set) => {
  const asked = async () => (await queriesOf(set)).map((query) => ({ ...query, principal: 'open' }));
  const measured = async (path: string, retriever = dense(), queries?: object[]) => {
    const engine = await openedAt(path);
    const run = runOf(
      await answers(engine.rank((queries ?? (await asked())) as never, { retriever, k: 100, cite: false })),
    );
    return evaluate(await readQrels(data(`${set}/qrels/test.tsv`)), run, MEASURES).measures;
  };

  it('find at least what the stored ones of 128 numbers find', async () => {
    const nodes = await nodesOf(set);
    const own = await built({ nodes }, { embed: lsa() });
    const embeddings = await matrixOf(`${set}/embeddings/lsa-128.docs.npy`);
    const stored = await built({ nodes, embeddings }, { embeddingModel: 'lsa-128' });
    const vectors = await matrixOf(`${set}/embeddings/lsa-128.queries.npy`);
    const queries = (await asked()).map((query, i) => ({
      ...query,
      embedding: vectors.data.subarray(i * vectors.columns, (i + 1) * vectors.columns),
    }));
    const theirs = await measured(stored.path, dense(), queries);
    expect((await measured(own.path))['nDCG@10']).toBeGreaterThanOrEqual(theirs['nDCG@10']! - 0.01);
  }, 180_000);

  it('add to words, and never take more than .01 from them', async () => {
    const { path } = await built({ nodes: await nodesOf(set) }, { embed: lsa({ dimension: 256 }) });
    const both = await measured(path, hybrid([bm25(), dense()]));
    const words = await measured(path, bm25());
    for (const [measure, least] of Object.entries(HYBRID[set]!)) {
      expect(both[measure], measure).toBeGreaterThanOrEqual(least);
    }
    expect(both['nDCG@10']).toBeGreaterThanOrEqual(words['nDCG@10']! - 0.01);
  }, 180_000);
});
