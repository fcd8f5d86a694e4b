import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { readRun } from '../../src/evaluate/run.js';
import { candidateJson, resultJson } from '../../src/output/candidate-json.js';
import { jsonLine } from '../../src/output/jsonl-run.js';
import type { Candidate } from '../../src/types.js';
import { fileOf } from '../evaluate/temporary-file.js';
import { anyResults, asRun, candidate, result } from './results.js';

const full: Required<Candidate> = {
  explain: [{ value: 0.5, from: 'bm25' }],
  via: { direction: 'in', edgeKind: 'cites', from: 's' },
  meta: { year: 1999, '10': true, author: 'x' },
  tokenEstimate: 3,
  text: 'te\nxt',
  signature: 'f()',
  endLine: 4,
  startLine: 2,
  ordinal: 0,
  heading: 'h',
  uri: 'u',
  title: 't',
  source: 's',
  documentId: 'd',
  path: 'p',
  qualifiedName: 'q',
  name: 'n',
  kind: 'k',
  scores: { dense: -0, bm25: 0.5 },
  ranks: { dense: 2, bm25: 1 },
  retriever: 'hybrid',
  score: 0.5,
  id: 'i',
};

describe('candidateJson', () => {
  it('writes every key in one order, whatever the order of the record', () => {
    expect(JSON.stringify(candidateJson(full))).toBe(
      '{"id":"i","score":0.5,"retriever":"hybrid","ranks":{"bm25":1,"dense":2},"scores":{"bm25":0.5,"dense":0},' +
        '"kind":"k","name":"n","qualifiedName":"q","path":"p","documentId":"d","source":"s","title":"t","uri":"u",' +
        '"heading":"h","ordinal":0,"startLine":2,"endLine":4,"signature":"f()","text":"te\\nxt","tokenEstimate":3,' +
        '"meta":{"10":true,"author":"x","year":1999},"via":{"from":"s","edgeKind":"cites","direction":"in"},' +
        '"explain":[{"from":"bm25","value":0.5}]}',
    );
  });

  it('leaves out what is not defined and channels without a rank', () => {
    const sparse = candidate('a', 1, { title: undefined, ranks: { bm25: 1, dense: -1, walk: 0 } });
    expect(candidateJson(sparse)).toEqual({
      id: 'a',
      score: 1,
      retriever: 'bm25',
      ranks: { bm25: 1 },
      scores: {},
      tokenEstimate: 1,
    });
    expect(Object.keys(candidateJson(sparse))).not.toContain('title');
  });

  it('keeps a meta key that is called __proto__', () => {
    const meta = JSON.parse('{"__proto__":"x","a":1}');
    expect(JSON.stringify(candidateJson(candidate('a', 1, { meta })))).toContain(
      '"meta":{"__proto__":"x","a":1}',
    );
  });

  it.each([
    { score: Number.NaN },
    { scores: { bm25: Number.POSITIVE_INFINITY } },
    { explain: [{ from: 'bm25', value: Number.NaN }] },
  ])('refuses %j, which JSON would write as null', (bad) => {
    expect(() => candidateJson({ ...candidate('a', 1), ...bad })).toThrow('a score of "a" is not finite');
  });
});

describe('resultJson', () => {
  it('has an id only when the query had one', () => {
    const { id: _, ...nameless } = result('q', [], {
      skipped: [{ message: 'm', code: 'c', channel: 'dense' }],
    });
    expect(JSON.stringify(resultJson(nameless))).toBe(
      '{"retriever":"bm25","candidates":[],"skipped":[{"channel":"dense","code":"c","message":"m"}],"totalTokens":0}',
    );
  });
});

describe('jsonLine', () => {
  it('is one line, the id first, whatever the texts hold', () => {
    const line = jsonLine(result('q\n1', [candidate('a\u2028b', 1, { text: 'x\r\ny' })]));
    expect(line.indexOf('\n')).toBe(line.length - 1);
    expect(line.startsWith('{"id":"q\\n1","retriever":')).toBe(true);
  });

  test.prop([anyResults(fc.string({ unit: 'binary', minLength: 1 }))], { numRuns: 50 })(
    'reads back with the same ids and scores, for any ids',
    async (results) => {
      expect(await readRun(await fileOf('run.jsonl', [results.map(jsonLine).join('')]))).toEqual(
        asRun(results),
      );
    },
  );
});
