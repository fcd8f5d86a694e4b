import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byScoreThenRow } from '../../../src/rank/order.js';
import { descending, nextBelow } from '../../../src/rank/rerank/descending.js';

describe('the number below', () => {
  it('is the next one', () => {
    expect(nextBelow(1)).toBe(1 - 2 ** -53);
    expect(nextBelow(0)).toBe(-5e-324);
    expect(nextBelow(-0)).toBe(-5e-324);
    expect(nextBelow(-1)).toBe(-1 - 2 ** -52);
    expect(nextBelow(5e-324)).toBe(0);
  });
});

describe('scores of an order', () => {
  const item = fc.record({ score: fc.constantFrom(0, 0.1, 1, 2, 2.5, -1), row: fc.nat(999) });
  const items = fc.uniqueArray(item, { selector: ({ row }) => row, maxLength: 20 });

  it('put lists of hits in that order, whatever was wanted', () => {
    fc.assert(
      fc.property(items, (ordered) => {
        const scores = descending(ordered, (one) => one);
        const hits = ordered.map(({ row }, i) => ({ row, score: scores[i]! }));
        expect([...hits].sort(byScoreThenRow)).toEqual(hits);
        expect(ordered.every(({ score }, i) => scores[i]! <= score)).toBe(true);
      }),
    );
  });

  it('are those wanted where they say the order already', () => {
    fc.assert(
      fc.property(items, (any) => {
        const ordered = [...any].sort(byScoreThenRow);
        expect(descending(ordered, (one) => one)).toEqual(ordered.map(({ score }) => score));
      }),
    );
  });
});
