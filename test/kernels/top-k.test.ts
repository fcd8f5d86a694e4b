import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { selectAbove, topK, topK32 } from '../../src/kernels/top-k.js';
import { best, reaching, type Scored } from '../reference/top-k.js';
import { Arena, randoms } from './arena.js';

const arena = new Arena();

interface Options {
  k: number;
  floor?: number;
  base?: number;
  isVisible?: (row: number) => boolean;
}

function run(
  type: typeof Float64Array | typeof Float32Array,
  scores: ArrayLike<number>,
  options: Options,
): Scored[] {
  const { k, floor = Number.NEGATIVE_INFINITY, base = 0, isVisible } = options;
  arena.reset();
  const scoresAt = arena.put<Float64Array | Float32Array>(type, scores);
  const bitmapAt = isVisible ? arena.bitmap(base + scores.length, isVisible) : 0;
  const rowsAt = arena.room(Uint32Array, k);
  const outAt = arena.room(Float64Array, k);
  const kernel = type === Float64Array ? topK : topK32;
  const size = kernel(arena.kernels, scoresAt, scores.length, base, bitmapAt, floor, k, rowsAt, outAt);
  const rows = arena.view(Uint32Array, rowsAt, size);
  const out = arena.view(Float64Array, outAt, size);
  return Array.from(rows, (row, i) => ({ row, score: out[i]! }));
}

const rowsOf = (list: Scored[]) => list.map(({ row }) => row);

describe.each([
  ['topK', Float64Array],
  ['topK32', Float32Array],
])('%s', (_, type) => {
  const list = (length: number, value: (index: number) => number) =>
    new type(Array.from({ length }, (_, i) => value(i)));

  for (const n of [0, 1, 3, 4, 5, 31, 32, 33, 63, 64, 65, 1000]) {
    for (const k of [0, 1, 2, 10, 1001]) {
      it(`finds the best ${k} of ${n}`, () => {
        const next = randoms(n * 7 + k);
        const scores = list(n, () => next(20) - 10);
        expect(run(type, scores, { k })).toEqual(best(scores, { k, floor: Number.NEGATIVE_INFINITY }));
      });
    }
  }

  it('gives the lower row at equal scores, at the k-th place too', () => {
    const equal = new Array(100).fill(1);
    expect(rowsOf(run(type, equal, { k: 3 }))).toEqual([0, 1, 2]);
    expect(rowsOf(run(type, [1, 2, 1, 2, 1], { k: 3 }))).toEqual([1, 3, 0]);
    expect(rowsOf(run(type, [2, 1, 1, 1, 3], { k: 3 }))).toEqual([4, 0, 1]);
  });

  it('takes -0 for 0, and never a NaN', () => {
    expect(rowsOf(run(type, [-0, 0, Number.NaN, -0, 1], { k: 5 }))).toEqual([4, 0, 1, 3]);
    expect(rowsOf(run(type, new Array(64).fill(Number.NaN), { k: 5 }))).toEqual([]);
    expect(rowsOf(run(type, [0, -0], { k: 2, floor: -0 }))).toEqual([]);
  });

  it('asks for more than the floor, infinities included', () => {
    expect(rowsOf(run(type, [1, 2, 3], { k: 5, floor: 2 }))).toEqual([2]);
    expect(rowsOf(run(type, [1, -Infinity, Infinity], { k: 5 }))).toEqual([2, 0]);
    expect(run(type, [1, Infinity], { k: 5, floor: Infinity })).toEqual([]);
    expect(run(type, [1, Infinity], { k: 5, floor: Number.NaN })).toEqual([]);
  });

  it('is the sorted list for any scores, scope, base and floor', () => {
    const few = fc.constantFrom(-1, -0, 0, 0.5, 1, Number.NaN, Infinity, -Infinity);
    const score = fc.oneof(few, type === Float64Array ? fc.double() : fc.float());
    const property = fc.property(
      fc.array(fc.tuple(score, fc.boolean()), { maxLength: 200 }),
      fc.nat(80),
      fc.nat(70),
      fc.oneof(fc.constant(Number.NEGATIVE_INFINITY), few, fc.double()),
      fc.boolean(),
      (pairs, k, base, floor, scoped) => {
        const scores = list(pairs.length, (index) => pairs[index]![0]);
        const isVisible = scoped ? (row: number) => pairs[row - base]?.[1] ?? true : undefined;
        const options = { k, floor, base, ...(isVisible && { isVisible }) };
        const got = run(type, scores, options);
        const expected = best(scores, options);
        expect(rowsOf(got)).toEqual(rowsOf(expected));
        expect(got.every(({ score: s }, i) => s === expected[i]!.score)).toBe(true);
      },
    );
    fc.assert(property, { numRuns: 500 });
  });

  it('does not look at the scores of hidden rows', () => {
    const isVisible = (row: number) => row % 3 === 0;
    const next = randoms(9);
    const scores = list(200, () => next(5));
    const other = scores.map((score, row) => (isVisible(row) ? score : row % 2 ? 100 : Number.NaN));
    expect(run(type, other, { k: 20, isVisible })).toEqual(run(type, scores, { k: 20, isVisible }));
  });

  it('finds the shorter list at the head of the longer one', () => {
    const next = randoms(11);
    const scores = list(500, () => Math.floor(next(30)));
    expect(run(type, scores, { k: 17 })).toEqual(run(type, scores, { k: 90 }).slice(0, 17));
  });
});

describe('topK32', () => {
  it('compares f32 scores with an f64 floor that lies between two of them', () => {
    const up = Math.fround(0.1);
    expect(rowsOf(run(Float32Array, [up], { k: 1, floor: 0.1 }))).toEqual(up > 0.1 ? [0] : []);
    const down = Math.fround(0.3);
    expect(rowsOf(run(Float32Array, [down, -0], { k: 2, floor: -1e-60 }))).toEqual([0, 1]);
    expect(rowsOf(run(Float32Array, [Infinity], { k: 2, floor: 1e300 }))).toEqual([0]);
  });
});

describe('selectAbove', () => {
  function select(scan: ArrayLike<number>, options: Parameters<typeof reaching>[1]): number[] {
    const { slack, limit, norms, base = 0, isVisible } = options;
    arena.reset();
    const bitmapAt = isVisible ? arena.bitmap(base + scan.length, isVisible) : 0;
    const normsAt = norms ? arena.f64(norms) : 0;
    const outAt = arena.room(Uint32Array, scan.length);
    const scanAt = arena.f32(scan);
    const n = selectAbove(arena.kernels, scanAt, scan.length, base, bitmapAt, normsAt, slack, limit, outAt);
    return [...arena.view(Uint32Array, outAt, n)];
  }

  for (const n of [0, 1, 3, 4, 5, 31, 32, 33, 1000]) {
    it(`keeps what may reach the limit among ${n}`, () => {
      const next = randoms(n);
      const scan = Float32Array.from({ length: n }, () => next(1));
      const norms = Float64Array.from({ length: n }, () => next(3));
      for (const limit of [0, 0.5, 0.9, 2]) {
        expect(select(scan, { slack: 0.01, limit })).toEqual(reaching(scan, { slack: 0.01, limit }));
        expect(select(scan, { slack: 0.01, limit, norms })).toEqual(
          reaching(scan, { slack: 0.01, limit, norms }),
        );
      }
    });
  }

  it('keeps a NaN: it is not surely below', () => {
    expect(select([Number.NaN, 0], { slack: 0, limit: 1 })).toEqual([0]);
    expect(select(new Float32Array(32).fill(Number.NaN), { slack: 0, limit: 1 })).toHaveLength(32);
    expect(select([-Infinity, 0], { slack: Infinity, limit: 1 })).toEqual([0, 1]);
  });

  it('is the filter for any scan, scope, base and limit', () => {
    const value = fc.oneof(fc.constantFrom(0, 1, Number.NaN, Infinity, -Infinity), fc.float());
    const entry = fc.tuple(value, fc.double({ min: 0, noNaN: true }), fc.boolean());
    const property = fc.property(
      fc.array(entry, { maxLength: 150 }),
      fc.nat(70),
      fc.double({ min: 0 }),
      fc.double(),
      fc.boolean(),
      fc.boolean(),
      (entries, base, slack, limit, scoped, normed) => {
        const options = {
          slack,
          limit,
          base,
          ...(normed && { norms: entries.map(([, norm]) => norm) }),
          ...(scoped && { isVisible: (row: number) => entries[row - base]?.[2] ?? true }),
        };
        const scan = Float32Array.from(entries, ([score]) => score);
        expect(select(scan, options)).toEqual(reaching(scan, options));
      },
    );
    fc.assert(property, { numRuns: 300 });
  });
});
