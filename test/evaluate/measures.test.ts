import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { DEFAULT_MEASURES, parseMeasure } from '../../src/evaluate/measures/parse.js';

const judged = new Map([
  ['a', 3],
  ['b', 1],
  ['c', 2],
  ['zero', 0],
  ['minus', -2],
]);

const value = (name: string, ranked: string[], judgments = judged) =>
  parseMeasure(name).value(ranked, judgments);

const ideal = 3 / Math.log2(2) + 2 / Math.log2(3) + 1 / Math.log2(4);

describe('measures', () => {
  it.each<[string, string[], number]>([
    ['nDCG', ['x', 'b', 'zero', 'a'], (1 / Math.log2(3) + 3 / Math.log2(5)) / ideal],
    ['nDCG', ['a', 'c', 'b'], 1],
    ['nDCG', ['minus', 'a'], 3 / Math.log2(3) / ideal],
    ['nDCG@2', ['x', 'b', 'a'], 1 / Math.log2(3) / (3 / Math.log2(2) + 2 / Math.log2(3))],
    ['nDCG@10', [], 0],
    ['R@2', ['a', 'x', 'b'], 1 / 3],
    ['R@100', ['a', 'x', 'b', 'minus'], 2 / 3],
    ['P@2', ['a', 'x', 'b'], 1 / 2],
    ['P@10', ['a', 'b'], 2 / 10],
    ['RR', ['x', 'zero', 'c', 'a'], 1 / 3],
    ['RR@3', ['x', 'zero', 'c'], 1 / 3],
    ['RR@2', ['x', 'zero', 'c'], 0],
    ['RR', ['x'], 0],
    ['AP', ['a', 'x', 'b', 'zero', 'c'], (1 / 1 + 2 / 3 + 3 / 5) / 3],
    ['AP', ['x', 'a'], 1 / 2 / 3],
    ['AP@3', ['a', 'x', 'b', 'zero', 'c'], (1 / 1 + 2 / 3) / 3],
    ['Success@1', ['x', 'a'], 0],
    ['Success@5', ['x', 'a'], 1],
    ['Judged@2', ['zero', 'x', 'a'], 1 / 2],
    ['Judged@10', ['minus', 'x', 'a'], 2 / 3],
    ['Judged@10', [], 0],
  ])('%s of %j is its formula', (name, ranked, expected) => {
    expect(value(name, ranked)).toBeCloseTo(expected, 14);
  });

  it.each(['nDCG', 'nDCG@3', 'R@3', 'P@3', 'RR', 'AP', 'Success@3'])(
    '%s is 0 where nothing is relevant',
    (name) => {
      expect(
        value(
          name,
          ['zero', 'minus', 'x'],
          new Map([
            ['zero', 0],
            ['minus', -1],
          ]),
        ),
      ).toBe(0);
    },
  );

  test.prop([
    fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'zero', 'minus', 'x', 'y')),
    fc.integer({ min: 1, max: 9 }),
  ])('every measure lies between 0 and 1, and sees nothing beyond its cutoff', (ranked, k) => {
    for (const family of ['nDCG', 'R', 'P', 'RR', 'AP', 'Success', 'Judged']) {
      const whole = value(`${family}@${k}`, ranked);
      expect(whole).toBeGreaterThanOrEqual(0);
      expect(whole).toBeLessThanOrEqual(1);
      expect(value(`${family}@${k}`, ranked.slice(0, k))).toBe(whole);
    }
  });
});

describe('parseMeasure', () => {
  it('keeps the name it was asked by', () => {
    for (const name of ['nDCG@10', 'AP', 'RR@1', 'Judged@1000']) expect(parseMeasure(name).name).toBe(name);
  });

  it('knows the default measures', () => {
    expect(DEFAULT_MEASURES.map(({ name }) => name)).toEqual([
      'nDCG@10',
      'R@100',
      'RR@10',
      'AP',
      'Success@5',
    ]);
  });

  it.each([
    ['ndcg@10', 'unknown measure "ndcg@10"'],
    ['', 'unknown measure ""'],
    ['nDCG@10@5', 'unknown measure "nDCG@10@5"'],
    [' AP', 'unknown measure " AP"'],
    ['__proto__', 'unknown measure "__proto__"'],
    ['R', 'measure "R" needs a cutoff'],
    ['nDCG@0', 'the cutoff of measure "nDCG@0" must be a whole number from 1'],
    ['nDCG@-5', 'the cutoff of measure "nDCG@-5" must be'],
    ['R@1.5', 'the cutoff of measure "R@1.5" must be'],
    ['R@1e2', 'the cutoff of measure "R@1e2" must be'],
    ['P@', 'the cutoff of measure "P@" must be'],
    ['P@99999999999999999999', 'the cutoff of measure "P@99999999999999999999" must be'],
  ])('refuses %j and lists the known ones', (name, message) => {
    expect(() => parseMeasure(name)).toThrow(message);
    expect(() => parseMeasure(name)).toThrow(
      'known: nDCG[@k], R@k, P@k, RR[@k], AP[@k], Success@k, Judged@k',
    );
  });
});
