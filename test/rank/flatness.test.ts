import { describe, expect, it } from 'vitest';
import { flatnessOf } from '../../src/rank/flatness.js';

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
