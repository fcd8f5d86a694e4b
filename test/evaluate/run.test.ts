import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readRun } from '../../src/evaluate/run.js';
import { fileOf, rejection } from './temporary-file.js';

const ids = async (path: string) =>
  Object.fromEntries(
    [...(await readRun(path))].map(([query, entries]) => [query, entries.map(({ id }) => id)]),
  );

describe('readRun', () => {
  it('reads a TREC run with its scores', async () => {
    const path = await fileOf('a.trec', [
      'q Q0 a 1 2.5 t',
      'q Q0 b 2 1e-7 t',
      'p Q0 a 1 -.5 t',
      'p Q0 c 2 -1. t',
    ]);
    expect(await readRun(path)).toEqual(
      new Map([
        [
          'q',
          [
            { id: 'a', score: 2.5 },
            { id: 'b', score: 1e-7 },
          ],
        ],
        [
          'p',
          [
            { id: 'a', score: -0.5 },
            { id: 'c', score: -1 },
          ],
        ],
      ]),
    );
  });

  it('orders by the rank column, not by score, and by place in the file where ranks are equal', async () => {
    const path = await fileOf('a.run', [
      'q Q0 third 7 9 t',
      'p Q0 x 0 1 t',
      'q Q0 first -1 1 t',
      'q Q0 second 2 5 t',
      'p Q0 y 0 2 t',
      'q Q0 fourth 7 10 t',
    ]);
    expect(await ids(path)).toEqual({ q: ['first', 'second', 'third', 'fourth'], p: ['x', 'y'] });
  });

  it('reads JSON lines in the order of the candidates, empty results included', async () => {
    const lines = [
      '{"id":"q 1","candidates":[{"id":"b","score":1},{"id":"a","score":2}]}',
      '{"id":"p","candidates":[]}',
    ];
    for (const name of ['a.jsonl', 'a.run']) {
      expect(await ids(await fileOf(name, lines))).toEqual({ 'q 1': ['b', 'a'], p: [] });
    }
    expect(await ids(await fileOf('a.jsonl.gz', gzipSync(lines.join('\r\n'))))).toEqual({
      'q 1': ['b', 'a'],
      p: [],
    });
  });

  it('takes a TREC query id that begins with a brace for what it is', async () => {
    expect(await ids(await fileOf('a.trec', ['{"q" Q0 {} 1 2 t']))).toEqual({ '{"q"': ['{}'] });
  });

  it('reads an empty file as a run without queries', async () => {
    expect(await readRun(await fileOf('a.trec', ['']))).toEqual(new Map());
  });

  it.each([
    ['five columns', 'q Q0 a 1 2', 'expected 6 columns'],
    ['a score that is not a number', 'q Q0 a 1 NaN t', 'score must be a finite number, got "NaN"'],
    ['a score beyond the numbers', 'q Q0 a 1 1e999 t', 'score must be a finite number, got "1e999"'],
    ['a score in another notation', 'q Q0 a 1 0x10 t', 'score must be a finite number, got "0x10"'],
    ['a rank that is not an integer', 'q Q0 a 1.5 2 t', 'rank must be an integer, got "1.5"'],
    ['a document listed twice', 'q Q0 d 3 1 t', 'document "d" is listed twice for query "q"'],
  ])('refuses %s with file and line', async (_, line, message) => {
    const path = await fileOf('a.trec', ['q Q0 d 1 9 t', line]);
    expect(await rejection(readRun(path))).toContain(`INVALID_INPUT: ${path}:2: ${message}`);
  });

  it.each([
    ['broken JSON', '{"id":"q"', 'not JSON'],
    ['something that is not an object', '7', 'expected a JSON object'],
    ['a query id that is a number', '{"id":7,"candidates":[]}', 'a result needs a string "id"'],
    ['a result without candidates', '{"id":"q"}', 'a result needs a list "candidates"'],
    [
      'a candidate without id',
      '{"id":"q","candidates":[null]}',
      'candidate 1 of query "q" needs a string "id"',
    ],
    [
      'a score that is null',
      '{"id":"q","candidates":[{"id":"a","score":null}]}',
      'candidate "a" of query "q" needs a finite "score"',
    ],
    [
      'a score beyond the numbers',
      '{"id":"q","candidates":[{"id":"a","score":1e999}]}',
      'candidate "a" of query "q" needs a finite',
    ],
    [
      'a document listed twice',
      '{"id":"q","candidates":[{"id":"a","score":2},{"id":"a","score":1}]}',
      'document "a" is listed twice',
    ],
    ['a query with two lines', '{"id":"p","candidates":[]}', 'query "p" has a line already'],
  ])('refuses %s in JSON lines with file and line', async (_, line, message) => {
    const path = await fileOf('a.jsonl', ['{"id":"p","candidates":[]}', line]);
    expect(await rejection(readRun(path))).toContain(`INVALID_INPUT: ${path}:2: ${message}`);
  });
});
