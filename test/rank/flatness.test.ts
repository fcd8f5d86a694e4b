import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { flatnessOf, minMax, shares } from '../../src/rank/flatness.js';

const list = (length: number, score: (i: number) => number) => Array.from({ length }, (_, i) => score(i));

describe('the flatness of a list', () => {
  it('is its 20th score over its first', () => {
    expect(flatnessOf(list(30, (i) => 40 - i))).toBe(21 / 40);
    expect(flatnessOf(list(20, () => 3))).toBe(1);
  });

  it('is 0 where there is no 20th, and 1 where nothing was found', () => {
    expect(flatnessOf(list(19, () => 3))).toBe(0);
    expect(flatnessOf([])).toBe(1);
  });
});

describe('scores from the first to the 101st', () => {
  it('lie between 1 and 0, and are 0 behind', () => {
    const scaled = minMax(list(150, (i) => 200 - i));
    expect([scaled[0], scaled[50], scaled[100], scaled[149]]).toEqual([1, 0.5, 0, 0]);
  });

  it('go down to the last of a shorter list', () => {
    expect(minMax([0.9, 0.5, 0.1])).toEqual([1, 0.5, 0]);
  });

  it.each([
    [[], []],
    [[0.3], [1]],
    [[-0.2], [1]],
    [
      [2, 2, 2],
      [1, 1, 1],
    ],
  ])('of %j are %j', (scores, expected) => {
    expect(minMax(scores)).toEqual(expected);
  });
});

it('shares of the first are 0 where it is not above 0', () => {
  expect(shares([4, 2, 1])).toEqual([1, 0.5, 0.25]);
  expect(shares([0, -1])).toEqual([0, 0]);
  expect(shares([])).toEqual([]);
});

it('all keep the order of the list, within 0 and 1', () => {
  const scores = fc
    .array(fc.double({ min: -1e9, max: 1e9, noNaN: true }), { maxLength: 250 })
    .map((values) => values.sort((a, b) => b - a));
  const property = fc.property(scores, (values) => {
    for (const scaled of [minMax(values), shares(values)]) {
      expect(
        scaled.every((value, i) => value >= 0 && value <= 1 && (i === 0 || value <= scaled[i - 1]!)),
      ).toBe(true);
    }
  });
  fc.assert(property, { seed: 5 });
});
