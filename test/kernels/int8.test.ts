import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dotScanInt8, selectReach } from '../../src/kernels/int8.js';
import { int8Score } from '../reference/int8.js';
import { Arena, randoms } from './arena.js';

const arena = new Arena(32 * 65536);
const UNTOUCHED = -12345;

function scan(options: {
  rows: number;
  dimension: number;
  cosine?: boolean;
  isVisible?: (row: number) => boolean;
  seed?: number;
}) {
  const { rows, dimension, cosine = false, isVisible, seed = 1 } = options;
  const width = Math.ceil(dimension / 16) * 16;
  const next = randoms(seed);
  const levels = Math.min(32767, Math.floor((2 ** 31 - 1) / (127 * dimension)));
  const query = Array.from({ length: width }, (_, d) =>
    d < dimension ? Math.round((next(2) - 1) * levels) : 0,
  );
  const values = Array.from({ length: rows * width }, (_, i) =>
    i % width < dimension ? Math.round(next(254) - 127) : 0,
  );
  const scales = Float32Array.from({ length: rows }, () => next(1));
  const norms = Array.from({ length: rows }, (_, row) => (row % 7 === 3 ? 0 : next(3)));
  arena.reset();
  const queryAt = arena.u16(query.map((x) => x & 0xffff));
  const valuesAt = arena.bytes(values.map((x) => x & 0xff));
  const scalesAt = arena.f32(scales);
  const normsAt = cosine ? arena.f64(norms) : 0;
  const outAt = arena.f64(new Array(rows).fill(UNTOUCHED));
  const bitmapAt = isVisible === undefined ? 0 : arena.bitmap(rows, isVisible);
  const matrix = { values: valuesAt, scales: scalesAt, residuals: 0, width, count: rows };
  dotScanInt8(arena.kernels, queryAt, matrix, bitmapAt, 0.7, normsAt, 1.3, outAt);
  const expected = Array.from({ length: rows }, (_, row) =>
    int8Score({
      query,
      row: values.slice(row * width, (row + 1) * width),
      scale: scales[row]!,
      queryScale: 0.7,
      ...(cosine ? { norms: { row: norms[row]!, query: 1.3 } } : {}),
    }),
  );
  return { out: [...arena.view(Float64Array, outAt, rows)], expected };
}

describe('dotScanInt8', () => {
  for (const dimension of [1, 15, 16, 17, 32, 48, 384, 512, 1000, 4096]) {
    it(`gives the bits of exact sums for ${dimension} dimensions`, () => {
      for (const cosine of [false, true]) {
        const { out, expected } = scan({ rows: 5, dimension, cosine });
        expect(out).toEqual(expected);
      }
    });
  }

  for (const rows of [0, 1, 31, 32, 33, 100]) {
    it(`scores ${rows} rows`, () => {
      const { out, expected } = scan({ rows, dimension: 20, cosine: true });
      expect(out).toEqual(expected);
    });
  }

  it('gives visible rows the same bits in every scope', () => {
    const bits = fc.oneof(
      fc.array(fc.boolean(), { minLength: 130, maxLength: 130 }),
      fc.array(fc.nat(9), { minLength: 130, maxLength: 130 }).map((list) => list.map((x) => x === 0)),
    );
    const property = fc.property(bits, fc.boolean(), fc.nat(), (visible, cosine, seed) => {
      const options = { rows: 130, dimension: 20, cosine, seed };
      const { out, expected } = scan({ ...options, isVisible: (row) => visible[row]! });
      visible.forEach((seen, row) => {
        if (seen) expect(out[row]).toBe(expected[row]);
        else expect([UNTOUCHED, expected[row]]).toContain(out[row]);
      });
    });
    fc.assert(property, { numRuns: 60 });
  });

  it('adds the largest products there can be without overflow', () => {
    for (const dimension of [528, 1024, 65_536]) {
      arena.reset();
      const levels = Math.min(32767, Math.floor((2 ** 31 - 1) / (127 * dimension)));
      const queryAt = arena.u16(new Array(dimension).fill(-levels & 0xffff));
      const values = arena.bytes(new Array(dimension).fill(127));
      const matrix = { values, scales: arena.f32([1]), residuals: 0, width: dimension, count: 1 };
      const outAt = arena.room(Float64Array, 1);
      dotScanInt8(arena.kernels, queryAt, matrix, 0, 1, 0, 1, outAt);
      expect(arena.view(Float64Array, outAt, 1)[0]).toBe(-127 * levels * dimension);
    }
  });

  it('works up to the last byte of a 4 GiB memory', () => {
    const top = new Arena(65536, 2 ** 32 - 65536);
    const values = 2 ** 32 - 5 * 16;
    top.view(Uint8Array, values, 5 * 16).fill(3);
    const matrix = { values, scales: top.f32([1, 1, 1, 1, 2]), residuals: 0, width: 16, count: 5 };
    const outAt = top.room(Float64Array, 5);
    dotScanInt8(top.kernels, top.u16(new Array(16).fill(2)), matrix, 0, 1, 0, 1, outAt);
    expect([...top.view(Float64Array, outAt, 5)]).toEqual([96, 96, 96, 96, 192]);
  });

  it('refuses arrays that leave the memory, are misaligned or too short', () => {
    const end = arena.kernels.memory.buffer.byteLength;
    const call = (values: number, width: number, count: number, outAt = 64) => {
      const matrix = { values, scales: 64, residuals: 64, width, count };
      return () => dotScanInt8(arena.kernels, 64, matrix, 0, 1, 0, 1, outAt);
    };
    expect(call(end - 16, 16, 2)).toThrow(/values: 32 x 1 bytes/);
    expect(call(64, 15, 1)).toThrow('width is 15: expected a multiple of 16 numbers');
    expect(call(64, 16, 1.5)).toThrow('count is 1.5');
    expect(call(64, 16, 1, 68)).toThrow(/outAt is 68/);
  });
});

describe('selectReach', () => {
  const value = fc.constantFrom(-2, -1, -0.5, 0, 0.25, 0.5, 1, 2);
  const size = fc.constantFrom(0, 0.5, 1, 3);
  const row = fc.record({ score: value, residual: size, norm: size, visible: fc.boolean() });

  it('lists the visible rows that can reach the limit', () => {
    const property = fc.property(
      fc.array(row, { maxLength: 140, size: 'max' }),
      fc.constantFrom(0, 0.1, 0.5),
      fc.constantFrom(0, 0.1, 0.5),
      value,
      fc.boolean(),
      fc.boolean(),
      (rows, perResidual, perNorm, limit, cosine, all) => {
        arena.reset();
        const scoresAt = arena.f64(rows.map(({ score }) => score));
        const residuals = arena.f32(rows.map(({ residual }) => residual));
        const normsAt = arena.f64(rows.map(({ norm }) => norm));
        const bitmapAt = all ? 0 : arena.bitmap(rows.length, (i) => rows[i]!.visible);
        const outAt = arena.room(Uint32Array, rows.length);
        const found = selectReach(
          arena.kernels,
          scoresAt,
          { values: 0, scales: 0, residuals, width: 16, count: rows.length },
          bitmapAt,
          normsAt,
          cosine,
          perResidual,
          perNorm,
          limit,
          outAt,
        );
        const expected = rows.flatMap(({ score, residual, norm, visible }, i) => {
          const gap = score - limit;
          const divided = norm === 0 ? gap : (gap + perNorm) * norm + perResidual * residual;
          const reach = cosine ? divided : gap + perNorm * norm + perResidual * residual;
          return (all || visible) && reach >= 0 ? [i] : [];
        });
        expect([...arena.view(Uint32Array, outAt, found)]).toEqual(expected);
      },
    );
    fc.assert(property, { numRuns: 300 });
  });
});
