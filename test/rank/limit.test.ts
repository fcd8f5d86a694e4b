import { describe, expect, it } from 'vitest';
import { MAX_DEPTH } from '../../src/memory/layout.js';
import { batchLimits, DEFAULT_DEPTH, searchLimits } from '../../src/rank/limit.js';
import { refusal } from '../index/small-index.js';

const NO_NUMBERS = [Number.NaN, 1.5, Number.POSITIVE_INFINITY, '8' as never, null as never, {} as never];

describe('a search', () => {
  it.each([
    [undefined, 8],
    [0, 8],
    [-1, 8],
    [1, 1],
    [50, 50],
  ])('for %s is for %i', (k, expected) => {
    expect(searchLimits(k, undefined)).toEqual({ k: expected, depth: 200, skipped: [] });
  });

  it.each([51, 1000, 1e9])('for %i is for 50 and says so', (k) => {
    const { k: clamped, skipped } = searchLimits(k, undefined);
    expect(clamped).toBe(50);
    expect(skipped).toEqual([
      { channel: 'search', code: 'k_clamped', message: expect.stringContaining(String(k)) },
    ]);
  });

  it.each(NO_NUMBERS.filter((k) => k !== null))('for %s is refused', async (k) => {
    await refusal((async () => searchLimits(k, undefined))(), 'INVALID_INPUT', 'k');
  });

  it('asks its channels for the depth given, whatever k', () => {
    expect(searchLimits(5, 70).depth).toBe(70);
    expect(searchLimits(50, 70).depth).toBe(70);
    expect(DEFAULT_DEPTH).toBe(200);
  });
});

describe('a depth of 3k', () => {
  it('is three times the k that counts', () => {
    expect(searchLimits(undefined, '3k')).toMatchObject({ k: 8, depth: 24 });
    expect(searchLimits(0, '3k')).toMatchObject({ k: 8, depth: 24 });
    expect(searchLimits(60, '3k')).toMatchObject({ k: 50, depth: 150 });
    expect(batchLimits(300, '3k')).toMatchObject({ k: 300, depth: 900 });
  });

  it('is refused where it is deeper than any channel goes', async () => {
    await refusal((async () => batchLimits(4000, '3k'))(), 'INVALID_INPUT', '12000', '10000');
  });

  it('is the only word that is a depth', async () => {
    await refusal((async () => searchLimits(8, '2k' as never))(), 'INVALID_INPUT', 'depth', '2k');
  });
});

describe('a batch', () => {
  it.each([
    [undefined, undefined, 100, 200],
    [1, undefined, 1, 200],
    [200, undefined, 200, 200],
    [10_000, 10_000, 10_000, 10_000],
  ])('for %s at depth %s is for %i at %i', (k, depth, expected, asked) => {
    expect(batchLimits(k, depth)).toEqual({ k: expected, depth: asked, skipped: [] });
  });

  it.each([0, -1, 10_001, ...NO_NUMBERS.filter((k) => k !== null)])('for %s is refused', async (k) => {
    await refusal((async () => batchLimits(k, 10_000))(), 'INVALID_INPUT', 'k');
  });

  it('for more than its depth is refused with what to give', async () => {
    await refusal((async () => batchLimits(201, undefined))(), 'INVALID_INPUT', '201', '200', 'depth');
    expect(batchLimits(201, 201).k).toBe(201);
  });
});

describe.each([
  ['search', searchLimits],
  ['batch', batchLimits],
])('the depth of a %s', (_, limits) => {
  it.each([0, -1, 1.5, Number.NaN, MAX_DEPTH + 1])('is refused when it is %s', async (depth) => {
    await refusal((async () => limits(1, depth))(), 'INVALID_INPUT', 'depth');
  });

  it('may be 1 and 10,000', () => {
    expect(limits(1, 1).depth).toBe(1);
    expect(limits(1, 10_000).depth).toBe(10_000);
  });
});
