import { describe, expect, it } from 'vitest';
import { evaluate, toEvalJson } from '../../src/evaluate/evaluate.js';
import { parseMeasure } from '../../src/evaluate/measures/parse.js';
import type { Qrels } from '../../src/evaluate/qrels.js';
import type { Run } from '../../src/evaluate/run.js';

const qrels: Qrels = new Map([
  [
    'q1',
    new Map([
      ['a', 1],
      ['b', 1],
    ]),
  ],
  ['__proto__', new Map([['a', 1]])],
  ['gone', new Map([['a', 1]])],
  ['barren', new Map([['a', 0]])],
]);

const run: Run = new Map(
  Object.entries({ q1: ['x', 'a'], ['__proto__']: ['a'], barren: ['a'], extra: ['a'] }).map(
    ([query, ids]) => [query, ids.map((id, i) => ({ id, score: 1 / (i + 1) }))],
  ),
);

const measures = ['RR', 'R@10'].map(parseMeasure);

describe('evaluate', () => {
  it('means over the judged queries with a relevant document, a missing one as 0', () => {
    const { perQuery, ...means } = evaluate(qrels, run, measures);
    expect(means).toEqual({
      measures: { RR: (1 / 2 + 1 + 0) / 3, 'R@10': (1 / 2 + 1 + 0) / 3 },
      queries: 3,
      missing: 1,
      unjudged: 1,
      withoutRelevant: 1,
    });
    expect(Object.entries(perQuery)).toEqual([
      ['q1', { RR: 1 / 2, 'R@10': 1 / 2 }],
      ['__proto__', { RR: 1, 'R@10': 1 }],
      ['gone', { RR: 0, 'R@10': 0 }],
    ]);
  });

  it('means over the queries of the run only when asked', () => {
    const { measures: means, queries, missing } = evaluate(qrels, run, measures, { queriesInRun: true });
    expect({ means, queries, missing }).toEqual({
      means: { RR: (1 / 2 + 1) / 2, 'R@10': (1 / 2 + 1) / 2 },
      queries: 2,
      missing: 1,
    });
  });

  it('counts a query that returned nothing as present', () => {
    const empty: Run = new Map([['q1', []]]);
    expect(evaluate(qrels, empty, measures, { queriesInRun: true })).toMatchObject({
      queries: 1,
      missing: 2,
    });
  });

  it('gives the same bits whatever the order of the run', () => {
    const many: Qrels = new Map(Array.from({ length: 500 }, (_, i) => [`q${i}`, new Map([['a', 1]])]));
    const ranked = [...many.keys()].map((query, i): [string, { id: string; score: number }[]] => [
      query,
      [...Array.from({ length: i % 37 }, (_, j) => ({ id: `x${j}`, score: 1 })), { id: 'a', score: 0 }],
    ]);
    const forward = evaluate(many, new Map(ranked), measures).measures.RR;
    expect(evaluate(many, new Map(ranked.reverse()), measures).measures.RR).toBe(forward);
  });

  it('refuses to mean over nothing', () => {
    expect(() => evaluate(new Map([['q', new Map([['a', 0]])]]), run, measures)).toThrow(
      'nothing to evaluate',
    );
    expect(() => evaluate(qrels, new Map(), measures, { queriesInRun: true })).toThrow('that the run has');
  });
});

describe('toEvalJson', () => {
  const evaluation = evaluate(qrels, run, measures);

  it('holds names and means, and values per query on request', () => {
    const means = { RR: 1.5 / 3, 'R@10': 1.5 / 3 };
    expect(toEvalJson([{ name: 'a.trec', evaluation }])).toEqual({
      runs: [{ name: 'a.trec', measures: means }],
    });
    const detailed = toEvalJson([{ name: 'a.trec', evaluation }], { perQuery: true });
    expect(JSON.stringify(detailed)).toBe(
      `{"runs":[{"name":"a.trec","measures":{"RR":0.5,"R@10":0.5},"perQuery":${[
        '{"q1":{"RR":0.5,"R@10":0.5}',
        '"__proto__":{"RR":1,"R@10":1}',
        '"gone":{"RR":0,"R@10":0}}',
      ].join(',')}}]}`,
    );
  });
});
