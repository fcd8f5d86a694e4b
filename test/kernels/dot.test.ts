import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dotExact, dotScan, overNorms } from '../../src/kernels/dot.js';
import { dot } from '../reference/dot.js';
import { Arena, randoms } from './arena.js';

const arena = new Arena(32 * 65536);
const UNTOUCHED = -12345;

function matrix(rows: number, dimension: number, width: number, seed: number): Float32Array {
  const next = randoms(seed);
  const values = new Float32Array(rows * width);
  for (let r = 0; r < rows; r++) for (let d = 0; d < dimension; d++) values[r * width + d] = next(2) - 1;
  return values;
}

function rowOf(values: Float32Array, row: number, width: number, dimension = width): Float32Array {
  return values.subarray(row * width, row * width + dimension);
}

function norm(row: Float32Array): number {
  return Math.sqrt(dot(row, row));
}

/** The documented bound of a scan score, in units of the norms. */
function slack(queryCount: number, width: number): number {
  return (width / (queryCount < 4 ? 16 : 4) + 6) * 2 ** -24;
}

function scan(options: {
  queryCount: number;
  rows: number;
  dimension: number;
  from?: number;
  to?: number;
  isVisible?: (row: number) => boolean;
  stride?: number;
}) {
  const { queryCount, rows, dimension, from = 0, to = rows, isVisible } = options;
  const { stride = to - from } = options;
  const width = Math.ceil(dimension / 16) * 16;
  arena.reset();
  const queries = matrix(queryCount, dimension, width, 1);
  const values = matrix(rows, dimension, width, 2);
  const outAt = arena.f32(new Float32Array(queryCount * stride).fill(UNTOUCHED));
  const bitmapAt = isVisible ? arena.bitmap(rows, isVisible) : 0;
  dotScan(
    arena.kernels,
    arena.f32(queries),
    queryCount,
    arena.f32(values),
    width,
    from,
    to,
    bitmapAt,
    outAt,
    stride,
  );
  const out = arena.view(Float32Array, outAt, queryCount * stride).slice();
  return { out, queries, values, width, stride, from, to };
}

function expectScores(
  result: ReturnType<typeof scan>,
  queryCount: number,
  isVisible: (row: number) => boolean,
) {
  const { out, queries, values, width, stride, from, to } = result;
  for (let q = 0; q < queryCount; q++) {
    const query = rowOf(queries, q, width);
    for (let row = from; row < to; row++) {
      if (!isVisible(row)) continue;
      const vector = rowOf(values, row, width);
      const error = Math.abs(out[q * stride + row - from]! - dot(query, vector));
      expect(error).toBeLessThanOrEqual(slack(queryCount, width) * norm(query) * norm(vector));
    }
  }
}

describe('dotScan', () => {
  for (const queryCount of [1, 2, 3, 4, 5, 8, 9]) {
    for (const rows of [0, 1, 3, 4, 5, 31, 32, 33, 100]) {
      it(`scores ${queryCount} queries against ${rows} rows within its bound`, () => {
        expectScores(scan({ queryCount, rows, dimension: 40 }), queryCount, () => true);
      });
    }
  }

  for (const dimension of [1, 15, 16, 17, 384, 1000]) {
    it(`scores ${dimension} dimensions within its bound`, () => {
      expectScores(scan({ queryCount: 1, rows: 5, dimension }), 1, () => true);
      expectScores(scan({ queryCount: 4, rows: 5, dimension }), 4, () => true);
    });
  }

  it('writes at the stride and leaves the bytes between lists alone', () => {
    for (const queryCount of [3, 6]) {
      const result = scan({ queryCount, rows: 50, dimension: 16, from: 7, to: 45, stride: 41 });
      expectScores(result, queryCount, () => true);
      for (let q = 0; q < queryCount; q++) {
        for (let i = 38; i < 41; i++) expect(result.out[q * 41 + i]).toBe(UNTOUCHED);
      }
    }
  });

  it('gives the same bits for any part of the rows and any scope', () => {
    const bounds = fc
      .tuple(fc.nat(130), fc.nat(130))
      .map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const);
    const visibility = fc.array(fc.boolean(), { minLength: 130, maxLength: 130 });
    const sparse = fc.array(fc.nat(9), { minLength: 130, maxLength: 130 }).map((a) => a.map((x) => x === 0));
    const property = fc.property(
      fc.constantFrom(1, 2, 4, 7),
      bounds,
      fc.oneof(visibility, sparse),
      (q, [from, to], bits) => {
        const whole = scan({ queryCount: q, rows: 130, dimension: 20 });
        const part = scan({
          queryCount: q,
          rows: 130,
          dimension: 20,
          from,
          to,
          isVisible: (row) => bits[row]!,
        });
        for (let row = from; row < to; row++) {
          for (let i = 0; bits[row] && i < q; i++) {
            expect(part.out[i * part.stride + row - from]).toBe(whole.out[i * whole.stride + row]);
          }
        }
      },
    );
    fc.assert(property, { numRuns: 60 });
  });

  it('works up to the last byte of a 4 GiB memory', () => {
    const top = new Arena(65536, 2 ** 32 - 65536);
    const width = 16;
    const rowsAt = 2 ** 32 - 5 * width * 4;
    const values = matrix(5, width, width, 3);
    top.view(Float32Array, rowsAt, 5 * width).set(values);
    const queryAt = top.f32(matrix(4, width, width, 4));
    const outAt = top.room(Float32Array, 20);
    for (const queryCount of [1, 4]) {
      dotScan(top.kernels, queryAt, queryCount, rowsAt, width, 0, 5, 0, outAt, 5);
      const expected = dot(top.view(Float32Array, queryAt, width), rowOf(values, 4, width));
      expect(top.view(Float32Array, outAt, 5)[4]).toBeCloseTo(expected, 5);
    }
  });

  it('refuses arrays that leave the memory, are misaligned or too short', () => {
    const { kernels } = arena;
    const end = kernels.memory.buffer.byteLength;
    const call =
      (rowsAt: number, width: number, to: number, queries = 1, stride = to) =>
      () =>
        dotScan(kernels, 64, queries, rowsAt, width, 0, to, 0, 64, stride);
    expect(call(end - 64, 16, 2)).toThrow(/rowsAt: 32 x 4 bytes/);
    expect(call(end - 62, 16, 1)).toThrow(/rowsAt is \d+: expected an address that is a multiple of 4/);
    expect(call(64, 15, 1)).toThrow('width is 15: expected a multiple of 16 floats');
    expect(call(64, 16, 1.5)).toThrow('to is 1.5');
    expect(call(64, 16, Number.NaN)).toThrow(RangeError);
    expect(call(64, 16, 3, 2, 2)).toThrow('stride is 2');
    expect(call(-4, 16, 1)).toThrow('rowsAt is -4');
  });
});

describe('dotExact', () => {
  for (const count of [0, 1, 3, 4, 5, 7, 8, 9, 1000]) {
    it(`gives the bits of the plain loop for ${count} rows`, () => {
      const [rows, dimension, width] = [37, 21, 32];
      arena.reset();
      const query = matrix(1, dimension, width, 5);
      const values = matrix(rows, dimension, width, 6);
      const next = randoms(count);
      const list = Array.from({ length: count }, () => Math.floor(next(rows)));
      const outAt = arena.room(Float64Array, count);
      dotExact(
        arena.kernels,
        arena.f32(query),
        arena.f32(values),
        width,
        dimension,
        arena.u32(list),
        count,
        outAt,
      );
      const expected = list.map((row) =>
        dot(query.subarray(0, dimension), rowOf(values, row, width, dimension)),
      );
      expect([...arena.view(Float64Array, outAt, count)]).toEqual(expected);
    });
  }

  it('rounds each multiply and each add, whatever the values', () => {
    const float = fc.float({ noNaN: true, noDefaultInfinity: true });
    const vectors = fc.integer({ min: 1, max: 40 }).chain((n) => {
      const vector = fc.array(float, { minLength: n, maxLength: n });
      return fc.tuple(vector, vector, vector, vector, vector, vector);
    });
    const property = fc.property(vectors, ([query, ...rows]) => {
      const dimension = query.length;
      const width = Math.ceil(dimension / 16) * 16;
      arena.reset();
      const values = new Float32Array(rows.length * width);
      rows.forEach((row, r) => {
        values.set(row, r * width);
      });
      const outAt = arena.room(Float64Array, rows.length);
      dotExact(
        arena.kernels,
        arena.f32(query),
        arena.f32(values),
        width,
        dimension,
        arena.u32([0, 1, 2, 3, 4]),
        5,
        outAt,
      );
      const expected = rows.map((row) => dot(Float32Array.from(query), Float32Array.from(row)));
      expect([...arena.view(Float64Array, outAt, 5)]).toEqual(expected);
    });
    fc.assert(property);
  });

  it('refuses a dimension beyond the width', () => {
    expect(() => dotExact(arena.kernels, 64, 64, 16, 17, 64, 0, 64)).toThrow('dimension is 17');
  });
});

describe('overNorms', () => {
  const floats = fc.float({ noNaN: false, noDefaultInfinity: false });
  const norms = fc.oneof(fc.constant(0), fc.double({ min: 0, noNaN: true }));

  it('divides in f64 and rounds once, 0 where a norm is 0, whatever the count', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(floats, norms), { maxLength: 100 }), (rows) => {
        arena.reset();
        const scoresAt = arena.f32(rows.map(([score]) => score));
        const normsAt = arena.f64(rows.map(([, norm]) => norm));
        overNorms(arena.kernels, scoresAt, normsAt, rows.length, 0);
        const expected = rows.map(([score, norm]) => (norm === 0 ? 0 : Math.fround(score / norm)));
        expect([...arena.view(Float32Array, scoresAt, rows.length)]).toEqual(expected);
      }),
    );
  });

  it('divides whole words of the bitmap and leaves empty ones alone', () => {
    arena.reset();
    const scoresAt = arena.f32(new Array(100).fill(8));
    const normsAt = arena.f64(new Array(100).fill(2));
    overNorms(
      arena.kernels,
      scoresAt,
      normsAt,
      100,
      arena.bitmap(100, (row) => row === 40 || row === 98),
    );
    const divided = (row: number) => (row >= 32 && row < 64) || row >= 96;
    const expected = Array.from({ length: 100 }, (_, row) => (divided(row) ? 4 : 8));
    expect([...arena.view(Float32Array, scoresAt, 100)]).toEqual(expected);
  });
});
