import { fc, it as property } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { quantizeQuery, quantizeRow } from '../../src/index/quantize.js';
import { exactly, squaredRest } from '../reference/int8.js';

const number = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(0, -0, 1, -1, 0.5, 1e-30, -1e15, 3.4e38, 1e-45, 1e-40) },
  { weight: 2, arbitrary: fc.float({ noNaN: true, noDefaultInfinity: true }) },
  { weight: 2, arbitrary: fc.float({ min: -1, max: 1, noNaN: true }) },
);
const vector = fc.array(number, { minLength: 1, maxLength: 40 }).map((values) => Float32Array.from(values));

describe('a quantised row', () => {
  property.prop([vector], { numRuns: 500, seed: 1 })('has a residual of at least the exact rest', (row) => {
    const values = new Int8Array(row.length);
    const { scale, residual } = quantizeRow(row, values);
    expect(Math.max(...values.map(Math.abs))).toBeLessThanOrEqual(127);
    expect([Math.fround(scale), Math.fround(residual)]).toEqual([scale, residual]);
    expect(exactly(residual) ** 2n).toBeGreaterThanOrEqual(squaredRest(row, values, scale));
    // Not much more either: half a level a number, where levels are not lost among the least float32 values.
    if (scale > 1e-36) expect(residual).toBeLessThanOrEqual(0.501 * scale * Math.sqrt(row.length));
  });

  it('is nothing but rest when its numbers are too small for a scale, and nothing at all when zero', () => {
    const values = new Int8Array(2);
    expect(quantizeRow(Float32Array.of(1e-45, 0), values)).toEqual({ scale: 0, residual: 2 ** -148 });
    expect(quantizeRow(Float32Array.of(0, -0), values)).toEqual({ scale: 0, residual: 0 });
    expect([...values]).toEqual([0, 0]);
  });

  it('keeps what whole numbers can say', () => {
    const values = new Int8Array(4);
    expect(quantizeRow(Float32Array.of(127, -127, 3, 0), values)).toEqual({ scale: 1, residual: 0 });
    expect([...values]).toEqual([127, -127, 3, 0]);
  });
});

describe('a quantised query', () => {
  property.prop([vector], { numRuns: 300, seed: 2 })('has a residual of at least the exact rest', (query) => {
    const values = new Int16Array(query.length);
    const { scale, residual } = quantizeQuery(query, values);
    expect(Math.max(...values.map(Math.abs))).toBeLessThanOrEqual(32767);
    // A few roundings of the numbers themselves are left to who uses it.
    const slack = query.reduce((sum, x) => sum + Math.abs(x), 0) * 2 ** -52;
    expect(exactly(residual + slack) ** 2n).toBeGreaterThanOrEqual(squaredRest(query, values, scale));
  });

  it.each([1, 17, 384, 516, 517, 1024, 65_536])('of %i numbers overflows with no row', (dimension) => {
    const values = new Int16Array(dimension);
    quantizeQuery(
      Float32Array.from({ length: dimension }, (_, d) => (d % 2 === 0 ? 1 : -1)),
      values,
    );
    const most = values.reduce((sum, x) => sum + Math.abs(x) * 127, 0);
    expect(most).toBeLessThan(2 ** 31);
    expect(Math.max(...values)).toBe(Math.min(32767, Math.floor((2 ** 31 - 1) / (127 * dimension))));
  });
});
