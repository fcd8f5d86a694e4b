import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareRuns, compareValues } from '../../src/evaluate/significance.js';

/** All 2^n ways to choose signs, one by one, and the share whose sum is as far from 0. */
function exactP(differences: readonly number[]): number {
  let sums = [0];
  for (const one of differences) sums = sums.flatMap((sum) => [sum + one, sum - one]);
  const observed = Math.abs(differences.reduce((sum, one) => sum + one, 0));
  return sums.filter((sum) => Math.abs(sum) >= observed - 1e-9).length / sums.length;
}

/** All n^n samples with replacement: their means, ascending. */
function exactMeans(differences: readonly number[]): number[] {
  let sums = [0];
  for (let draw = 0; draw < differences.length; draw++)
    sums = sums.flatMap((sum) => differences.map((one) => sum + one));
  return sums.map((sum) => sum / differences.length).sort((a, b) => a - b);
}

const against = (differences: readonly number[], options = {}) =>
  compareValues(
    differences.map(() => 0),
    differences,
    options,
  );

describe('the p-value of sign flips', () => {
  const values = fc.array(fc.constantFrom(0, 0.5, 1, -0.25, 0.125, -1), { minLength: 1, maxLength: 11 });

  it('is that of all flips where they are few', () => {
    fc.assert(
      fc.property(values, (differences) => {
        expect(against(differences).p).toBe(exactP(differences));
      }),
    );
  });

  it('is near it where flips are drawn', () => {
    const differences = [0.5, 0.25, 0.5, -0.25, 1, 0.5, -0.125, 0.25, 0.75, 0.5, -0.5, 0.25, 0.25, 0.5];
    const exact = exactP(differences);
    // 4 standard deviations of a share of 10,000 draws.
    const error = 4 * Math.sqrt((exact * (1 - exact)) / 10_000);
    for (const seed of [1, 2, 3])
      expect(Math.abs(against(differences, { seed }).p - exact)).toBeLessThan(error);
  });

  it('is 1 where nothing differs, and 2 of all flips where all are ahead', () => {
    expect(against([0, 0, 0]).p).toBe(1);
    expect(against([1, 1, 1, 1, 1]).p).toBe(2 / 32);
    expect(against(new Array(40).fill(1)).p).toBe(1 / 10_001);
  });
});

describe('the bootstrap interval', () => {
  it('is near that of all samples there are', () => {
    const differences = [1, 0, 0.5, -0.25, 0.75, 0.25];
    const means = exactMeans(differences);
    const { interval } = against(differences, { samples: 40_000 });
    // As a distribution: between the exact quantiles half a percent to either side.
    const at = (share: number) => means[Math.round(share * (means.length - 1))]!;
    expect(interval[0]).toBeGreaterThanOrEqual(at(0.02));
    expect(interval[0]).toBeLessThanOrEqual(at(0.03));
    expect(interval[1]).toBeGreaterThanOrEqual(at(0.97));
    expect(interval[1]).toBeLessThanOrEqual(at(0.98));
  });

  it('is a point where all queries differ alike', () => {
    expect(against([0.5, 0.5, 0.5])).toMatchObject({ difference: 0.5, interval: [0.5, 0.5], queries: 3 });
  });
});

describe('a comparison', () => {
  const differences = Array.from({ length: 30 }, (_, i) => Math.sin(i));

  it('is the same for the same seed, and another for another', () => {
    expect(against(differences, { seed: 4 })).toEqual(against(differences, { seed: 4 }));
    expect(against(differences, { seed: 4 })).not.toEqual(against(differences, { seed: 5 }));
  });

  it('turns round with its runs', () => {
    const zero = differences.map(() => 0);
    const [there, back] = [compareValues(zero, differences), compareValues(differences, zero)];
    expect(back.difference).toBeCloseTo(-there.difference, 12);
    expect(back.p).toBe(there.p);
    expect(back.interval[0]).toBeCloseTo(-there.interval[1], 1);
  });

  it('needs the same queries', () => {
    expect(() => compareValues([1], [1, 2])).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
    expect(() => compareValues([], [])).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
  });

  it('of runs is with the first, over queries that both have', () => {
    const run = (name: string, values: Record<string, number>) => ({
      name,
      evaluation: {
        measures: {},
        perQuery: Object.fromEntries(Object.entries(values).map(([query, AP]) => [query, { AP }])),
        queries: 0,
        missing: 0,
        unjudged: 0,
        withoutRelevant: 0,
      },
    });
    const [one, two] = compareRuns(
      [run('a', { q1: 0, q2: 0.5 }), run('b', { q1: 1, q2: 0.5, q3: 1 }), run('c', { q2: 0 })],
      ['AP'],
    );
    expect(one).toMatchObject({
      baseline: 'a',
      name: 'b',
      measures: { AP: { difference: 0.5, queries: 2, p: 1 } },
    });
    expect(two).toMatchObject({ name: 'c', measures: { AP: { difference: -0.5, queries: 1 } } });
    expect(() => compareRuns([run('a', { q1: 1 }), run('b', { q2: 1 })], ['AP'])).toThrow(
      'no query in common',
    );
  });
});
