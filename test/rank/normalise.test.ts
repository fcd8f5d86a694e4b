import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deviations, minMax, shares } from '../../src/rank/normalise.js';

const list = (length: number, score: (i: number) => number) => Array.from({ length }, (_, i) => score(i));

describe('scores from the first to the 101st', () => {
  it('lie between 1 and 0, and are 0 behind', () => {
    const scaled = minMax(
      list(150, (i) => 200 - i),
      101,
    );
    expect([scaled[0], scaled[50], scaled[100], scaled[149]]).toEqual([1, 0.5, 0, 0]);
  });

  it('go down to the last of a shorter list', () => {
    expect(minMax([0.9, 0.5, 0.1], 101)).toEqual([1, 0.5, 0]);
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
    expect(minMax(scores, 101)).toEqual(expected);
  });
});

it('shares of the first are 0 where it is not above 0', () => {
  expect(shares([4, 2, 1])).toEqual([1, 0.5, 0.25]);
  expect(shares([0, -1])).toEqual([0, 0]);
  expect(shares([])).toEqual([]);
});

describe('deviations from the mean', () => {
  it('put the mean at 0.5 and three sample deviations at 0 and 1', () => {
    expect(deviations([3, 2, 1])).toEqual([4 / 6, 0.5, 2 / 6].map((value) => expect.closeTo(value, 15)));
    // Mean 3, squares 9 + 1 + 1 + 9, sample variance 20 / 3.
    const sixfold = 6 * Math.sqrt(20 / 3);
    expect(deviations([6, 4, 2, 0])).toEqual(
      [3, 1, -1, -3].map((off) => expect.closeTo(0.5 + off / sixfold, 15)),
    );
  });

  it('go beyond 0 and 1 for what lies further off', () => {
    const far = deviations([100, ...new Array(30).fill(0)]);
    expect(far[0]).toBeGreaterThan(1);
  });

  it.each([
    [[], []],
    [[7], [0.5]],
    [
      [2, 2],
      [0.5, 0.5],
    ],
    [
      [0, 0],
      [0.5, 0.5],
    ],
    [
      [0.1, 0.1, 0.1],
      [0.5, 0.5, 0.5],
    ],
  ])('of %j are %j', (scores, expected) => {
    expect(deviations(scores)).toEqual(expected);
  });

  it('stay finite for the largest and smallest numbers', () => {
    expect(deviations([1.7e308, -1.7e308]).every(Number.isFinite)).toBe(true);
    expect(deviations([5e-324, 0]).every(Number.isFinite)).toBe(true);
  });
});

it('all keep the order of the list, and shares and ranges lie within 0 and 1', () => {
  const scores = fc
    .array(fc.double({ min: -1e9, max: 1e9, noNaN: true }), { maxLength: 250 })
    .map((values) => values.sort((a, b) => b - a));
  const property = fc.property(scores, (values) => {
    for (const scaled of [
      minMax(values, 101),
      minMax(values, values.length),
      shares(values),
      deviations(values),
    ]) {
      expect(scaled.every((value, i) => Number.isFinite(value) && (i === 0 || value <= scaled[i - 1]!))).toBe(
        true,
      );
    }
    for (const scaled of [minMax(values, 101), shares(values)])
      expect(scaled.every((value) => value >= 0 && value <= 1)).toBe(true);
  });
  fc.assert(property, { seed: 5 });
});
