import { describe, expect, it } from 'vitest';
import { bm25, evaluate, pagerank, parseMeasure, type Retriever, readQrels } from '../../dist/index.js';
import { answers, data, edgesOf, nodesOf, openIndex, queriesOf, runOf } from './collection.js';

const MEASURES = ['R@5', 'R@10'].map(parseMeasure);

/** Least figures of `pagerank` with its defaults: over stored title edges, and over links derived at build. */
const SETS = [
  { set: '2wiki-164', words: { 'R@5': 0.72, 'R@10': 0.76 }, stored: [0.91, 0.97], derived: [0.92, 0.975] },
  { set: 'musique-100', words: { 'R@5': 0.54, 'R@10': 0.62 }, stored: [0, 0.66], derived: [0, 0.72] },
] as const;

describe.each(SETS)('questions of several hops on $set', ({ set, words, stored, derived }) => {
  const measured = async (how: 'stored' | 'derived', retriever: Retriever) => {
    const nodes = await nodesOf(set);
    const engine =
      how === 'stored'
        ? await openIndex({ nodes, edges: await edgesOf(`${set}/title_edges.csv.gz`) })
        : await openIndex({ nodes }, { derive: 'links' });
    const asked = (await queriesOf(set)).map((query) => ({ ...query, principal: 'open' }));
    const run = runOf(await answers(engine.rank(asked, { retriever, k: 100, cite: false })));
    return evaluate(await readQrels(data(`${set}/qrels/test.tsv`)), run, MEASURES).measures;
  };

  it.each([
    ['stored', stored],
    ['derived', derived],
  ] as const)(
    'are answered over links: %s',
    async (how, [five, ten]) => {
      const found = await measured(how, pagerank());
      // Figures are shares of passages: of 1e-12 less than a bound none is missing.
      expect(found['R@5']! + 1e-12).toBeGreaterThanOrEqual(five);
      expect(found['R@10']! + 1e-12).toBeGreaterThanOrEqual(ten);
    },
    120_000,
  );

  it('are not by words alone', async () => {
    const found = await measured('stored', bm25());
    expect(found['R@5']).toBeLessThan(words['R@5']);
    expect(found['R@10']).toBeLessThan(words['R@10']);
  });
});
