import { fc, it as property } from '@fast-check/vitest';
import { expect, it } from 'vitest';
import { byScoreThenId, byScoreThenRow } from '../../src/rank/order.js';

it('puts the higher score first, then the lower id in UTF-8 bytes', () => {
  const hits = [
    { id: '\u{1f600}', score: 1 },
    { id: '\uffff', score: 1 },
    { id: 'z', score: 2 },
    { id: 'a', score: -1 },
    { id: 'a0', score: 1 },
  ];
  expect(hits.sort(byScoreThenId).map(({ id }) => id)).toEqual(['z', 'a0', '\uffff', '\u{1f600}', 'a']);
});

it('takes 0 and -0 as equal', () => {
  expect(byScoreThenRow({ score: -0, row: 1 }, { score: 0, row: 2 })).toBeLessThan(0);
  expect(byScoreThenRow({ score: 0, row: 1 }, { score: -0, row: 2 })).toBeLessThan(0);
});

const ids = fc.uniqueArray(fc.string({ unit: 'binary', minLength: 1 }), { minLength: 1, maxLength: 20 });

property.prop([ids, fc.array(fc.constantFrom(0, 0.5, 1), { minLength: 20, maxLength: 20 })], { seed: 1 })(
  'orders rows as it orders their ids, rows being numbered in id order',
  (unsorted, scores) => {
    const sorted = unsorted.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    const hits = sorted.map((id, row) => ({ id, row, score: scores[row]! }));
    expect([...hits].sort(byScoreThenId)).toEqual([...hits].sort(byScoreThenRow));
  },
);
