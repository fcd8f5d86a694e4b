import { describe, expect, it } from 'vitest';
import {
  bm25,
  type Edge,
  evaluate,
  pagerank,
  parseMeasure,
  type Retriever,
  readQrels,
} from '../../dist/index.js';
import { answers, data, edgesOf, nodesOf, openIndex, queriesOf, runOf } from './collection.js';

const MEASURES = ['nDCG@10', 'R@10', 'R@100'].map(parseMeasure);

async function measured(set: string, retrievers: Record<string, Retriever>, edges?: Edge[]) {
  const engine = await openIndex({ nodes: await nodesOf(set), ...(edges === undefined ? {} : { edges }) });
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

it('finds through title edges on 2wiki-164 what words alone miss', async () => {
  const edges = await edgesOf('2wiki-164/title_edges.csv.gz');
  const { words, walk } = await measured('2wiki-164', { words: bm25(), walk: pagerank() }, edges);
  // QUALITY sections 1 and 3: R@10 of .742 by words, .95 and more by a walk over the titles.
  expect(Math.abs(words!['R@10']! - 0.742)).toBeLessThanOrEqual(0.01);
  expect(walk!['R@10']).toBeGreaterThanOrEqual(0.95);
});
