import { sumLanes, visibleMask } from './lanes';

// A block of 32 rows (one bitmap word) with at most this many visible rows is gathered, four rows at a time
// from wherever they lie; above it one query scans the whole block, since gaps upset the prefetcher.
// @ts-ignore: decorator
@inline
const SPARSE_BLOCK: u32 = 8;

/**
 * out[q * stride + (row - from)] = dot(query q, row) in f32 lanes, for rows [from, to).
 * queriesAt: f32[queryCount][width]; rowsAt: f32[rows][width]; width: floats, a multiple of 16, zero padded.
 * bitmapAt: u32 words or 0; outAt: f32, written for visible rows at least; stride: floats.
 *
 * One query reads one row at a time into four accumulators. Four queries go through two rows at a time:
 * 8 accumulators and 3 operands are what 16 registers hold. How a row is reached changes no bit of its score,
 * only whether its query is one of a four.
 */
export function dotScan(
  queriesAt: usize,
  queryCount: u32,
  rowsAt: usize,
  width: u32,
  from: u32,
  to: u32,
  bitmapAt: usize,
  outAt: usize,
  stride: u32,
): void {
  const bytes = width << 2;
  const strideBytes = stride << 2;
  const inFours = queryCount & ~3;
  // Where the score of row 0 would be: may wrap below 0, and back when a row is added.
  const zeroAt = outAt - (from << 2);
  // Visible rows of sparse blocks that wait for a fourth.
  let waiting: u32 = 0;
  let a: u32 = 0;
  let b: u32 = 0;
  let c: u32 = 0;
  for (let row = from; row < to; row = (row | 31) + 1) {
    const base = row & ~31;
    let mask = visibleMask(bitmapAt, row, to);
    if (bitmapAt == 0 || popcnt(mask) > SPARSE_BLOCK) {
      for (let q: u32 = 0; q < inFours; q += 4) {
        scanBlock(queriesAt + q * bytes, rowsAt, bytes, base, mask, zeroAt + q * strideBytes, strideBytes);
      }
      const end = base + 32 < to ? base + 32 : to;
      for (let q = inFours; q < queryCount; q++) {
        const queryAt = queriesAt + q * bytes;
        const listAt = zeroAt + q * strideBytes;
        for (let r = row; r < end; r++) {
          store<f32>(listAt + (r << 2), dotRow(queryAt, rowsAt + r * bytes, bytes));
        }
      }
      continue;
    }
    for (; mask != 0; mask &= mask - 1) {
      const d = base + ctz(mask);
      if (waiting == 0) a = d;
      else if (waiting == 1) b = d;
      else if (waiting == 2) c = d;
      else scanFour(queriesAt, queryCount, rowsAt, bytes, a, b, c, d, zeroAt, strideBytes);
      waiting = (waiting + 1) & 3;
    }
  }
  if (waiting != 0) {
    if (waiting < 2) b = a;
    if (waiting < 3) c = a;
    scanFour(queriesAt, queryCount, rowsAt, bytes, a, b, c, a, zeroAt, strideBytes);
  }
}

// @ts-ignore: decorator
@inline
function dotRow(queryAt: usize, rowAt: usize, bytes: u32): f32 {
  let a = f32x4.splat(0);
  let b = a;
  let c = a;
  let d = a;
  for (let i: u32 = 0; i < bytes; i += 64) {
    a = f32x4.add(a, f32x4.mul(v128.load(queryAt + i), v128.load(rowAt + i)));
    b = f32x4.add(b, f32x4.mul(v128.load(queryAt + i, 16), v128.load(rowAt + i, 16)));
    c = f32x4.add(c, f32x4.mul(v128.load(queryAt + i, 32), v128.load(rowAt + i, 32)));
    d = f32x4.add(d, f32x4.mul(v128.load(queryAt + i, 48), v128.load(rowAt + i, 48)));
  }
  return sumLanes(f32x4.add(f32x4.add(a, b), f32x4.add(c, d)));
}

/**
 * Four rows that lie apart, for every query. One load of each cache line first, so that the misses of all
 * four rows overlap: it halves the time of a gather.
 */
function scanFour(
  queriesAt: usize,
  queryCount: u32,
  rowsAt: usize,
  bytes: u32,
  a: u32,
  b: u32,
  c: u32,
  d: u32,
  zeroAt: usize,
  strideBytes: u32,
): void {
  const r0 = rowsAt + a * bytes;
  const r1 = rowsAt + b * bytes;
  const r2 = rowsAt + c * bytes;
  const r3 = rowsAt + d * bytes;
  let touched: u32 = 0;
  for (let i: u32 = 0; i < bytes; i += 64) {
    touched |= load<u32>(r0 + i) | load<u32>(r1 + i) | load<u32>(r2 + i) | load<u32>(r3 + i);
  }
  // Kept from being optimised away; row a's score takes its place below.
  if (queryCount != 0) store<u32>(zeroAt + (a << 2), touched);
  let q: u32 = 0;
  for (; queryCount - q >= 4; q += 4) {
    scanPair(queriesAt, rowsAt, bytes, a, b, zeroAt, strideBytes);
    scanPair(queriesAt, rowsAt, bytes, c, d, zeroAt, strideBytes);
    queriesAt += 4 * bytes;
    zeroAt += 4 * strideBytes;
  }
  for (; q < queryCount; q++) {
    store<f32>(zeroAt + (a << 2), dotRow(queriesAt, r0, bytes));
    store<f32>(zeroAt + (b << 2), dotRow(queriesAt, r1, bytes));
    store<f32>(zeroAt + (c << 2), dotRow(queriesAt, r2, bytes));
    store<f32>(zeroAt + (d << 2), dotRow(queriesAt, r3, bytes));
    queriesAt += bytes;
    zeroAt += strideBytes;
  }
}

/**
 * Four queries against the visible rows of one block. A pair takes a row of the lower and one of the upper
 * half, so that two streams run on side by side instead of leaping over each other (1.5x at four queries).
 */
function scanBlock(
  queriesAt: usize,
  rowsAt: usize,
  bytes: u32,
  base: u32,
  mask: u32,
  zeroAt: usize,
  strideBytes: u32,
): void {
  while (mask != 0) {
    const first = ctz(mask);
    mask &= mask - 1;
    const upper = mask & 0xffff0000;
    // An odd last row is paired with itself.
    const second = mask == 0 ? first : ctz(upper != 0 ? upper : mask);
    mask &= ~(1 << second);
    scanPair(queriesAt, rowsAt, bytes, base + first, base + second, zeroAt, strideBytes);
  }
}

/** Four queries against two rows. */
function scanPair(
  queriesAt: usize,
  rowsAt: usize,
  bytes: u32,
  first: u32,
  second: u32,
  zeroAt: usize,
  strideBytes: u32,
): void {
  let q0 = queriesAt;
  let q1 = q0 + bytes;
  let q2 = q1 + bytes;
  let q3 = q2 + bytes;
  let r0 = rowsAt + first * bytes;
  let r1 = rowsAt + second * bytes;
  let s00 = f32x4.splat(0);
  let s01 = s00;
  let s10 = s00;
  let s11 = s00;
  let s20 = s00;
  let s21 = s00;
  let s30 = s00;
  let s31 = s00;
  for (let left = bytes; left != 0; left -= 16) {
    const x0 = v128.load(r0);
    const x1 = v128.load(r1);
    let y = v128.load(q0);
    s00 = f32x4.add(s00, f32x4.mul(y, x0));
    s01 = f32x4.add(s01, f32x4.mul(y, x1));
    y = v128.load(q1);
    s10 = f32x4.add(s10, f32x4.mul(y, x0));
    s11 = f32x4.add(s11, f32x4.mul(y, x1));
    y = v128.load(q2);
    s20 = f32x4.add(s20, f32x4.mul(y, x0));
    s21 = f32x4.add(s21, f32x4.mul(y, x1));
    y = v128.load(q3);
    s30 = f32x4.add(s30, f32x4.mul(y, x0));
    s31 = f32x4.add(s31, f32x4.mul(y, x1));
    q0 += 16;
    q1 += 16;
    q2 += 16;
    q3 += 16;
    r0 += 16;
    r1 += 16;
  }
  const o0 = zeroAt + (first << 2);
  const o1 = zeroAt + (second << 2);
  store<f32>(o0, sumLanes(s00));
  store<f32>(o1, sumLanes(s01));
  store<f32>(o0 + strideBytes, sumLanes(s10));
  store<f32>(o1 + strideBytes, sumLanes(s11));
  store<f32>(o0 + 2 * strideBytes, sumLanes(s20));
  store<f32>(o1 + 2 * strideBytes, sumLanes(s21));
  store<f32>(o0 + 3 * strideBytes, sumLanes(s30));
  store<f32>(o1 + 3 * strideBytes, sumLanes(s31));
}
