import { describe, expect, it } from 'vitest';
import { evaluate } from '../../src/evaluate/evaluate.js';
import { parseMeasure } from '../../src/evaluate/measures/parse.js';
import { evalReport, searchReport, whyNotReport } from '../../src/output/report.js';
import { candidate, result } from './results.js';

describe('searchReport', () => {
  it('shows rank, id, score, the rank in each channel, and the title or the first words', () => {
    const words = 'word '.repeat(30);
    const report = searchReport(
      result(
        'q',
        [
          candidate('a', 1 / 61 + 1 / 62, { title: 'Title', text: 'unused', ranks: { dense: 2, bm25: 1 } }),
          candidate('bb', 1e-6 / 3, { text: words, ranks: { bm25: 10 } }),
          candidate('c', 0, { qualifiedName: 'f\u001b[2J' }),
        ],
        { retriever: 'hybrid' },
      ),
    );
    expect(report.split('\n')).toEqual([
      'rank  id      score  bm25  dense  what',
      `   1  a    0.032522     1      2  Title`,
      `   2  bb  3.3333e-7    10      -  ${'word '.repeat(11)}word…`,
      '   3  c           0     -      -  f\\u{1b}[2J',
      'scores of hybrid compare only within this result',
      '',
    ]);
  });

  it('says when there is nothing, and what was skipped', () => {
    const skipped = [{ channel: 'dense', code: 'not_configured', message: 'no\nembedder', count: 2 }];
    expect(searchReport(result('q', [], { skipped }))).toBe(
      'no candidates\nskipped dense: no embedder (2)\n',
    );
  });

  it('never prints a percentage', () => {
    expect(searchReport(result('q', [candidate('a', 0.99), candidate('b', 123456.789)]))).not.toContain('%');
  });
});

describe('evalReport', () => {
  it('shows runs against measures with 4 decimals, and what the means leave out', () => {
    const qrels = new Map([
      ['q', new Map([['a', 1]])],
      ['p', new Map([['a', 1]])],
      ['r', new Map([['a', 1]])],
    ]);
    const entries = [
      { id: 'x', score: 2 },
      { id: 'a', score: 1 },
    ];
    const all = new Map(['q', 'p', 'r'].map((query) => [query, entries]));
    const some = new Map(['q', 'other'].map((query) => [query, entries]));
    const measures = ['RR', 'Success@2'].map(parseMeasure);
    const report = evalReport([
      { name: 'all.trec', evaluation: evaluate(qrels, all, measures) },
      { name: 'some', evaluation: evaluate(qrels, some, measures) },
    ]);
    expect(report.split('\n')).toEqual([
      'run           RR  Success@2  queries',
      `all.trec  ${(1 / 2).toFixed(4)}     1.0000        3`,
      `some      ${(1 / 6).toFixed(4)}     0.3333        3`,
      'some: judged but not in the run: 2; in the run but not judged: 1',
      '',
    ]);
  });
});

describe('whyNotReport', () => {
  it('shows each retriever after those that asked it, and why one could not run', () => {
    const skip = { channel: 'dense', code: 'no_embedder', message: '' };
    const inner = { retriever: 'bm25', limit: 200, returned: 7, rank: 3, score: 1.5, stages: [] };
    const away = { retriever: 'dense', limit: 200, returned: 0, unavailable: skip, stages: [] };
    const stages = [{ retriever: 'hybrid', limit: 50, returned: 50, stages: [inner, away] }];
    expect(whyNotReport({ id: 'a\u001b', outcome: 'lost', message: 'gone', stages }).split('\n')).toEqual([
      'a\\u{1b}: gone',
      'retriever       rank        score  returned  asked for',
      'hybrid             -            -        50         50',
      'hybrid > bm25      3       1.5000         7        200',
      'hybrid > dense     -  no_embedder         0        200',
      '',
    ]);
  });

  it('has no table for a node out of sight', () => {
    expect(whyNotReport({ id: 'x', outcome: 'not_visible', message: 'gone', stages: [] })).toBe('x: gone\n');
  });
});
