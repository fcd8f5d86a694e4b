import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { evaluate } from '../../src/evaluate/evaluate.js';
import { parseMeasure } from '../../src/evaluate/measures/parse.js';
import { type Qrels, readQrels } from '../../src/evaluate/qrels.js';
import { readRun } from '../../src/evaluate/run.js';

/** Figures made by tools/bm25_reference.py, which shares no code with corank. */
const data = new URL('../../../shared/data/', import.meta.url);

const QRELS: Record<string, string[]> = {
  '2wiki-164': ['2wiki-164/qrels/test.trec', '2wiki-164/qrels/test.tsv'],
  cacm: ['cacm/qrels/test.trec', 'cacm/qrels/test.tsv'],
  'code-hono-files': ['code-hono/qrels/files.tsv'],
  'code-hono-symbols': ['code-hono/qrels/symbols.tsv'],
  cranfield: ['cranfield/qrels/test.trec', 'cranfield/qrels/test.tsv'],
  'musique-100': ['musique-100/qrels/test.trec', 'musique-100/qrels/test.tsv'],
  scifact: ['scifact/qrels/test.trec', 'scifact/qrels/test.tsv'],
};

const NAMES: Record<string, string> = {
  ...Object.fromEntries([5, 10, 20].map((k) => [`ndcg@${k}`, `nDCG@${k}`])),
  ...Object.fromEntries([2, 5, 10, 20, 100].map((k) => [`recall@${k}`, `R@${k}`])),
  'p@10': 'P@10',
  'mrr@10': 'RR@10',
  map: 'AP',
};

const measures = Object.values(NAMES).map(parseMeasure);

const cases = Object.entries(QRELS).flatMap(([set, files]) =>
  files.flatMap((file) => ['k1_0.9_b_0.4', 'k1_1.2_b_0.75'].map((setting) => ({ set, file, setting }))),
);

const path = (name: string) => new URL(name, data).pathname;
const json = async (name: string) => JSON.parse(await readFile(path(name), 'utf8'));

/** Their figures are rounded to 6 decimals. */
function expectSame(ours: Record<string, number>, theirs: Record<string, number>) {
  for (const [name, value] of Object.entries(theirs)) {
    expect(Math.abs(ours[NAMES[name]!]! - value), name).toBeLessThanOrEqual(0.5e-6 + 1e-12);
  }
}

describe.each(cases)('$set $setting against $file', ({ set, file, setting }) => {
  const reference = `reference/bm25/${set}/`;

  it('gives the reference value of every query and the reference mean', async () => {
    const perQuery: Record<string, Record<string, number>> = await json(
      `${reference}bm25_${setting}.top20.perquery.json`,
    );
    const run = await readRun(path(`${reference}bm25_${setting}.top20.trec`));
    const all = await readQrels(path(file));
    const first30: Qrels = new Map([...all].filter(([query]) => Object.hasOwn(perQuery, query)));
    const evaluation = evaluate(first30, run, measures);
    expect(Object.keys(evaluation.perQuery).sort()).toEqual(Object.keys(perQuery).sort());
    for (const [query, theirs] of Object.entries(perQuery)) {
      expect(Object.keys(theirs).sort()).toEqual(Object.keys(NAMES).sort());
      expectSame(evaluation.perQuery[query]!, theirs);
    }
    const { queries, ...means } = (await json(`${reference}metrics.json`))[setting].first30_depth20;
    expect(evaluation.queries).toBe(queries);
    expectSame(evaluation.measures, means);
  });

  it('gives the reference mean over all judged queries, from the gzipped run of 100', async () => {
    const run = await readRun(path(`${reference}bm25_${setting}.top100.trec.gz`));
    const evaluation = evaluate(await readQrels(path(file)), run, measures);
    const {
      queries,
      map: _deeper,
      ...means
    } = (await json(`${reference}metrics.json`))[setting].all_queries_depth1000;
    expect(evaluation.queries).toBe(queries);
    expectSame(evaluation.measures, means);
  });
});
