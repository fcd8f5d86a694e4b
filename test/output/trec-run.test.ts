import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { readRun } from '../../src/evaluate/run.js';
import { trecLines } from '../../src/output/trec-run.js';
import { fileOf } from '../evaluate/temporary-file.js';
import { anyResults, asRun, candidate, result } from './results.js';

const anyId = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 12 })
  .filter((id) => !/[\s\p{Cc}\p{Cs}\p{White_Space}]/u.test(id));

describe('trecLines', () => {
  it('writes one line per candidate, ranks from 1, in the order given', () => {
    const lines = trecLines(
      result('q', [candidate('b', 0.1 + 0.2), candidate('a', 1e-7), candidate('c', -0)]),
      'tag',
    );
    expect(lines).toBe(`q Q0 b 1 0.30000000000000004 tag\nq Q0 a 2 1e-7 tag\nq Q0 c 3 0 tag\n`);
  });

  it('writes nothing for a query that found nothing', () => {
    expect(trecLines(result('q', []), 'tag')).toBe('');
  });

  it.each([
    '',
    ' ',
    'a b',
    'a\tb',
    'a\nb',
    'a\u00a0b',
    'a\u0085b',
    'a\u2028b',
    'a\u3000b',
    'a\u0000b',
    'a\u001bb',
    '\ufeffa',
    'a\ud800',
  ])('refuses %j as document, query or tag, and names jsonl', (id) => {
    const cases = { 'document id': ['q', id, 't'], 'query id': [id, 'd', 't'], tag: ['q', 'd', id] } as const;
    for (const [what, [query, document, tag]] of Object.entries(cases)) {
      const write = () => trecLines(result(query, [candidate(document, 1)]), tag);
      expect(write).toThrow(`the ${what} ${JSON.stringify(id)}`);
      expect(write).toThrow('use the jsonl format');
      expect(write).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
    }
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])(
    'refuses the score %s',
    (score) => {
      expect(() => trecLines(result('q', [candidate('d', score)]), 't')).toThrow(
        'a score of "d" is not finite',
      );
    },
  );

  test.prop([anyResults(anyId)], { numRuns: 200 })(
    'reads back with the same ids and bit-identical scores',
    async (results) => {
      const path = await fileOf('run.trec', [results.map((one) => trecLines(one, 'tag')).join('')]);
      expect(await readRun(path)).toEqual(asRun(results.filter(({ candidates }) => candidates.length > 0)));
    },
  );
});
