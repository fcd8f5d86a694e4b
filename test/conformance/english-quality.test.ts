import { describe, expect, it } from 'vitest';
import { bm25, evaluate, parseMeasure, type Retriever, readQrels } from '../../dist/index.js';
import { answers, data, nodesOf, openIndex, queriesOf, runOf } from './collection.js';

const MEASURES = ['nDCG@10', 'R@10', 'R@100'].map(parseMeasure);

async function measured(set: string, retrievers: Record<string, Retriever>) {
  const engine = await openIndex({ nodes: await nodesOf(set) });
  const qrels = await readQrels(data(`${set}/qrels/test.tsv`));
  const asked = (await queriesOf(set)).map((query) => ({ ...query, principal: 'open' }));
  const values: Record<string, Record<string, number>> = {};
  for (const [name, retriever] of Object.entries(retrievers)) {
    const run = runOf(await answers(engine.rank(asked, { retriever, k: 100, cite: false })));
    values[name] = evaluate(qrels, run, MEASURES).measures;
  }
  return values;
}

/** Floors under QUALITY section 1 (row S1), a little below its figures. */
const FLOORS = [
  // biome-ignore lint/suspicious/noApproximativeNumericConstant: a measured figure, no logarithm of 2
  ['scifact', 'nDCG@10', 0.693],
  ['scifact', 'R@100', 0.93],
  ['cranfield', 'nDCG@10', 0.38],
  ['cacm', 'nDCG@10', 0.5],
  ['2wiki-164', 'nDCG@10', 0.76],
  ['musique-100', 'nDCG@10', 0.575],
] as const;

describe.each(['scifact', 'cranfield', 'cacm', '2wiki-164', 'musique-100'])('%s, all defaults', (set) => {
  it('finds what QUALITY says that words can find', async () => {
    const { words } = await measured(set, { words: bm25() });
    for (const [of, measure, floor] of FLOORS) {
      if (of === set) expect(words![measure], measure).toBeGreaterThanOrEqual(floor);
    }
  });
});
