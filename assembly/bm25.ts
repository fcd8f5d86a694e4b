import { gather2, visibleBit } from './lanes';

/**
 * How many of the `count` ids at rowsAt (u32, read) have their bit set. Branch-free: at middling
 * visibility a mispredicted branch costs ten times the test.
 */
export function countVisible(rowsAt: usize, count: u32, bitmapAt: usize): u32 {
  if (bitmapAt == 0) return count;
  let a: u32 = 0;
  let b: u32 = 0;
  let left = count;
  for (; left >= 4; left -= 4) {
    a += visibleBit(bitmapAt, load<u32>(rowsAt)) + visibleBit(bitmapAt, load<u32>(rowsAt, 4));
    b += visibleBit(bitmapAt, load<u32>(rowsAt, 8)) + visibleBit(bitmapAt, load<u32>(rowsAt, 12));
    rowsAt += 16;
  }
  for (; left != 0; left--) {
    a += visibleBit(bitmapAt, load<u32>(rowsAt));
    rowsAt += 4;
  }
  return a + b;
}

/** Adds one term's postings, codes as u16: see KernelExports.bm25Accumulate16. */
export function bm25Accumulate16(
  rowsAt: usize,
  count: u32,
  fieldsAt: usize,
  fieldCount: u32,
  normsAt: usize,
  k1: f64,
  weight: f64,
  accAt: usize,
): void {
  accumulate<u16>(rowsAt, count, fieldsAt, fieldCount, normsAt, k1, weight, accAt);
}

/** The same with u32 codes. */
export function bm25Accumulate32(
  rowsAt: usize,
  count: u32,
  fieldsAt: usize,
  fieldCount: u32,
  normsAt: usize,
  k1: f64,
  weight: f64,
  accAt: usize,
): void {
  accumulate<u32>(rowsAt, count, fieldsAt, fieldCount, normsAt, k1, weight, accAt);
}

// One and two fields get loops of their own; the inner loop over fields costs as much as the divide.
// @ts-ignore: decorator
@inline
function accumulate<C>(
  rowsAt: usize,
  count: u32,
  fieldsAt: usize,
  fieldCount: u32,
  normsAt: usize,
  k1: f64,
  weight: f64,
  accAt: usize,
): void {
  if (fieldCount == 1) {
    if (normsAt == 0) postings<C>(1, false, rowsAt, count, fieldsAt, fieldCount, normsAt, k1, weight, accAt);
    else postings<C>(1, true, rowsAt, count, fieldsAt, fieldCount, normsAt, k1, weight, accAt);
  } else if (fieldCount == 2) {
    if (normsAt == 0) postings<C>(2, false, rowsAt, count, fieldsAt, fieldCount, normsAt, k1, weight, accAt);
    else postings<C>(2, true, rowsAt, count, fieldsAt, fieldCount, normsAt, k1, weight, accAt);
  } else {
    if (normsAt == 0) postings<C>(0, false, rowsAt, count, fieldsAt, fieldCount, normsAt, k1, weight, accAt);
    else postings<C>(0, true, rowsAt, count, fieldsAt, fieldCount, normsAt, k1, weight, accAt);
  }
}

// Two postings side by side, so that one vector divide serves both. Rows of a term are distinct, and each
// lane does what the scalar formula says, so the bits do not depend on where the pairs fall.
// @ts-ignore: decorator
@inline
function postings<C>(
  fields: u32,
  normed: bool,
  rowsAt: usize,
  count: u32,
  fieldsAt: usize,
  fieldCount: u32,
  normsAt: usize,
  k1: f64,
  weight: f64,
  accAt: usize,
): void {
  const k = f64x2.splat(k1);
  const w = f64x2.splat(weight);
  const codes0 = fields != 0 ? load<u32>(fieldsAt) : 0;
  const table0 = fields != 0 ? load<u32>(fieldsAt, 4) : 0;
  const codes1 = fields == 2 ? load<u32>(fieldsAt, 8) : 0;
  const table1 = fields == 2 ? load<u32>(fieldsAt, 12) : 0;
  let i: u32 = 0;
  for (; count - i >= 2; i += 2) {
    const rowAt = rowsAt + (i << 2);
    const a = load<u32>(rowAt) << 3;
    const b = load<u32>(rowAt, 4) << 3;
    let f: v128;
    if (fields == 0) f = sumFields<C>(true, fieldsAt, fieldCount, i);
    else f = lookup<C>(true, codes0, table0, i);
    if (fields == 2) f = f64x2.add(f, lookup<C>(true, codes1, table1, i));
    if (normed) f = f64x2.div(f, gather2(normsAt + a, normsAt + b));
    addPair(accAt + a, accAt + b, f, k, w);
  }
  if (i != count) {
    // An odd last posting fills both lanes.
    const a = load<u32>(rowsAt + (i << 2)) << 3;
    let f = sumFields<C>(false, fieldsAt, fieldCount, i);
    if (normed) f = f64x2.div(f, gather2(normsAt + a, normsAt + a));
    addPair(accAt + a, accAt + a, f, k, w);
  }
}

/** Table values of posting i and the next one, or of i twice. */
// @ts-ignore: decorator
@inline
function lookup<C>(two: bool, codesAt: usize, tableAt: usize, i: u32): v128 {
  const codeAt = codesAt + i * sizeof<C>();
  const a = <u32>load<C>(codeAt);
  const b = two ? <u32>load<C>(codeAt, sizeof<C>()) : a;
  return gather2(tableAt + (a << 3), tableAt + (b << 3));
}

// @ts-ignore: decorator
@inline
function sumFields<C>(two: bool, fieldsAt: usize, fieldCount: u32, i: u32): v128 {
  let f = f64x2.splat(0);
  for (let j: u32 = 0; j < fieldCount; j++) {
    const field = fieldsAt + (j << 3);
    f = f64x2.add(f, lookup<C>(two, load<u32>(field), load<u32>(field, 4), i));
  }
  return f;
}

/** acc += w * (f / (f + k)), with 0 where f and k are both 0. Lanes of one posting agree. */
// @ts-ignore: decorator
@inline
function addPair(firstAt: usize, secondAt: usize, f: v128, k: v128, w: v128): void {
  const whole = f64x2.add(f, k);
  const share = v128.and(f64x2.div(f, whole), f64x2.ne(whole, f64x2.splat(0)));
  const sum = f64x2.add(gather2(firstAt, secondAt), f64x2.mul(w, share));
  v128.store_lane<f64>(firstAt, sum, 0);
  v128.store_lane<f64>(secondAt, sum, 1);
}

/** Adds a pseudo-term given as rows and occurrences (u32 each): see KernelExports.bm25AccumulateCounts. */
export function bm25AccumulateCounts(
  rowsAt: usize,
  occurrencesAt: usize,
  count: u32,
  normsAt: usize,
  k1: f64,
  weight: f64,
  accAt: usize,
): void {
  const k = f64x2.splat(k1);
  const w = f64x2.splat(weight);
  for (let i: u32 = 0; i < count; i += 2) {
    // An odd last row fills both lanes.
    const second = min(i + 1, count - 1) << 2;
    const first = i << 2;
    const a = load<u32>(rowsAt + first) << 3;
    const b = load<u32>(rowsAt + second) << 3;
    let f = f64x2.splat(load<u32>(occurrencesAt + first));
    f = f64x2.replace_lane(f, 1, load<u32>(occurrencesAt + second));
    if (normsAt != 0) f = f64x2.div(f, gather2(normsAt + a, normsAt + b));
    addPair(accAt + a, accAt + b, f, k, w);
  }
}
