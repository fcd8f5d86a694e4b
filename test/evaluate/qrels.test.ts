import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readQrels } from '../../src/evaluate/qrels.js';
import { fileOf, rejection } from './temporary-file.js';

const data = new URL('../../../shared/data/', import.meta.url);

const expected = new Map([
  [
    'q1',
    new Map([
      ['a', 2],
      ['b', 0],
    ]),
  ],
  ['__proto__', new Map([['constructor', -1]])],
]);

describe('readQrels', () => {
  it('reads TREC judgments, however the columns are spaced', async () => {
    const path = await fileOf('a.qrels', ['q1 0 a 2', '', ' q1\t0\tb  0 ', '__proto__ Q0 constructor -1']);
    expect(await readQrels(path)).toEqual(expected);
  });

  it('reads BEIR judgments, known by their header', async () => {
    const lines = ['query-id\tcorpus-id\tscore', 'q1\ta\t2', 'q1\tb\t0', '__proto__\tconstructor\t-1'];
    expect(await readQrels(await fileOf('test.tsv', lines))).toEqual(expected);
  });

  it('reads either form gzipped, with CRLF and a byte order mark', async () => {
    const trec = '\ufeffq1 0 a 2\r\nq1 0 b 0\r\n__proto__ 0 constructor -1\r\n';
    expect(await readQrels(await fileOf('a.gz', gzipSync(trec)))).toEqual(expected);
    const beir = '\ufeffquery-id\tcorpus-id\tscore\r\nq1\ta\t2\r\nq1\tb\t0\r\n__proto__\tconstructor\t-1\r\n';
    expect(await readQrels(await fileOf('a.tsv.gz', gzipSync(beir)))).toEqual(expected);
  });

  it('lets a BEIR id hold spaces', async () => {
    const path = await fileOf('test.tsv', ['query-id\tcorpus-id\tscore', 'my query\tmy file.ts\t1']);
    expect(await readQrels(path)).toEqual(new Map([['my query', new Map([['my file.ts', 1]])]]));
  });

  it('takes a judgment given twice as one', async () => {
    expect(await readQrels(await fileOf('q', ['q 0 d 1', 'q 0 d 01']))).toEqual(
      new Map([['q', new Map([['d', 1]])]]),
    );
  });

  it.each([
    [
      'too few columns',
      ['q 0 d 1', 'q 0 d'],
      ':2: expected 4 columns (query iteration document relevance), got 3',
    ],
    ['too many columns', ['q 0 d 1 x'], ':1: expected 4 columns (query iteration document relevance), got 5'],
    ['a fraction', ['q 0 d 0.5'], ':1: relevance must be an integer, got "0.5"'],
    ['a word', ['q 0 d high'], ':1: relevance must be an integer, got "high"'],
    ['a relevance beyond exact integers', ['q 0 d 9007199254740993'], ':1: relevance must be an integer'],
    [
      'two judgments of one pair',
      ['q 0 d 1', 'q 0 e 1', 'q 0 d 2'],
      ':3: document "d" of query "q" is judged 2 here and 1 above',
    ],
    [
      'a BEIR row with two columns',
      ['query-id\tcorpus-id\tscore', '', 'q\td'],
      ':3: expected 3 tab-separated columns',
    ],
    ['an empty BEIR id', ['query-id\tcorpus-id\tscore', 'q\t\t1'], ':2: an id is empty'],
    [
      'an empty BEIR relevance',
      ['query-id\tcorpus-id\tscore', 'q\td\t'],
      ':2: relevance must be an integer, got ""',
    ],
    ['nothing', [''], ': no judgments'],
  ])('refuses %s with file and line', async (_, lines, message) => {
    const path = await fileOf('bad.qrels', lines);
    expect(await rejection(readQrels(path))).toContain(`INVALID_INPUT: ${path}${message}`);
  });

  it.each(['2wiki-164', 'cacm', 'cranfield', 'musique-100', 'scifact'])(
    'reads the same judgments of %s from both forms',
    async (set) => {
      const trec = await readQrels(new URL(`${set}/qrels/test.trec`, data).pathname);
      expect(trec.size).toBeGreaterThan(30);
      expect(await readQrels(new URL(`${set}/qrels/test.tsv`, data).pathname)).toEqual(trec);
    },
  );
});
