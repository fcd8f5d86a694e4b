import { visibleMask } from './lanes';

// A block is 32 rows, one bitmap word. With at most this many visible they are looked at one by one.
// @ts-ignore: decorator
@inline
const FEW: u32 = 4;

/** Whether all 32 rows of the block that starts at `row` lie before `end`. */
// @ts-ignore: decorator
@inline
function isWhole(row: u32, end: u32): bool {
  return (row & 31) == 0 && end - row >= 32;
}

// The heap lives in the output arrays: entry i is rows[i] (u32) and scores[i] (f64), the root the worst kept.
// Worse means a lower score, or at equal scores a higher row. Rows arrive in ascending order, so a newcomer
// whose score only equals the root's is the worse of the two: `score > threshold` alone decides.

/** The best k of f64 scores: see KernelExports.topK. */
export function topK(
  scoresAt: usize,
  count: u32,
  base: u32,
  bitmapAt: usize,
  floor: f64,
  k: u32,
  outRowsAt: usize,
  outScoresAt: usize,
): u32 {
  return select<f64>(scoresAt, count, base, bitmapAt, floor, k, outRowsAt, outScoresAt);
}

/** The best k of f32 scan scores. */
export function topK32(
  scoresAt: usize,
  count: u32,
  base: u32,
  bitmapAt: usize,
  floor: f64,
  k: u32,
  outRowsAt: usize,
  outScoresAt: usize,
): u32 {
  return select<f32>(scoresAt, count, base, bitmapAt, roundDown(floor), k, outRowsAt, outScoresAt);
}

/** The largest f32 that is not above the value: for every f32 s, s > value and s > roundDown(value) agree. */
function roundDown(value: f64): f32 {
  const nearest = <f32>value;
  if (!(<f64>nearest > value)) return nearest;
  if (nearest == 0) return reinterpret<f32>(0x80000001);
  const bits = reinterpret<u32>(nearest);
  return reinterpret<f32>(nearest > 0 ? bits - 1 : bits + 1);
}

// @ts-ignore: decorator
@inline
function select<T>(
  scoresAt: usize,
  count: u32,
  base: u32,
  bitmapAt: usize,
  floor: T,
  k: u32,
  outRowsAt: usize,
  outScoresAt: usize,
): u32 {
  if (k == 0) return 0;
  const end = base + count;
  let size: u32 = 0;
  let threshold = floor;
  let limits = v128.splat<T>(threshold);
  // In step with the bitmap's words: an empty word skips 32 rows.
  for (let row = base; row < end; row = (row | 31) + 1) {
    let mask = visibleMask(bitmapAt, row, end);
    const blockAt = scoresAt + ((row & ~31) - base) * sizeof<T>();
    if (isWhole(row, end) && popcnt(mask) > FEW) mask &= aboveMask<T>(blockAt, limits);
    for (; mask != 0; mask &= mask - 1) {
      const bit = ctz(mask);
      const score = load<T>(blockAt + bit * sizeof<T>());
      if (!(score > threshold)) continue;
      const at = (row & ~31) + bit;
      if (size < k) {
        siftUp(outRowsAt, outScoresAt, size++, at, <f64>score);
        if (size < k) continue;
      } else {
        siftDown(outRowsAt, outScoresAt, k, at, <f64>score);
      }
      threshold = <T>load<f64>(outScoresAt);
      limits = v128.splat<T>(threshold);
    }
  }
  for (let last = size; last > 1; ) {
    last--;
    const row = load<u32>(outRowsAt + (last << 2));
    const score = load<f64>(outScoresAt + (last << 3));
    store<u32>(outRowsAt + (last << 2), load<u32>(outRowsAt));
    store<f64>(outScoresAt + (last << 3), load<f64>(outScoresAt));
    siftDown(outRowsAt, outScoresAt, last, row, score);
  }
  return size;
}

/** One bit for each of 32 scores that is above the limit; mostly none is. */
// @ts-ignore: decorator
@inline
function aboveMask<T>(at: usize, limits: v128): u32 {
  let any = v128.gt<T>(v128.load(at), limits);
  for (let i: u32 = 16; i < 32 * sizeof<T>(); i += 16) {
    any = v128.or(any, v128.gt<T>(v128.load(at + i), limits));
  }
  if (!v128.any_true(any)) return 0;
  const lanes: u32 = 16 / sizeof<T>();
  let mask: u32 = 0;
  for (let i: u32 = 0; i < 32; i += lanes) {
    const above = v128.gt<T>(v128.load(at + i * sizeof<T>()), limits);
    mask |= (lanes == 2 ? i64x2.bitmask(above) : i32x4.bitmask(above)) << i;
  }
  return mask;
}

// @ts-ignore: decorator
@inline
function isWorse(scoreA: f64, rowA: u32, scoreB: f64, rowB: u32): bool {
  return scoreA < scoreB || (scoreA == scoreB && rowA > rowB);
}

/** Puts (row, score) into the free slot, moving better parents down. */
function siftUp(rowsAt: usize, scoresAt: usize, slot: u32, row: u32, score: f64): void {
  while (slot > 0) {
    const parent = (slot - 1) >> 1;
    const parentRow = load<u32>(rowsAt + (parent << 2));
    const parentScore = load<f64>(scoresAt + (parent << 3));
    if (!isWorse(score, row, parentScore, parentRow)) break;
    store<u32>(rowsAt + (slot << 2), parentRow);
    store<f64>(scoresAt + (slot << 3), parentScore);
    slot = parent;
  }
  store<u32>(rowsAt + (slot << 2), row);
  store<f64>(scoresAt + (slot << 3), score);
}

/** Puts (row, score) in place of the root of a heap of `size`, moving worse children up. */
function siftDown(rowsAt: usize, scoresAt: usize, size: u32, row: u32, score: f64): void {
  let slot: u32 = 0;
  for (;;) {
    let child: u32 = 2 * slot + 1;
    if (child >= size) break;
    let childRow = load<u32>(rowsAt + (child << 2));
    let childScore = load<f64>(scoresAt + (child << 3));
    if (child + 1 < size) {
      const otherRow = load<u32>(rowsAt + (child << 2), 4);
      const otherScore = load<f64>(scoresAt + (child << 3), 8);
      if (isWorse(otherScore, otherRow, childScore, childRow)) {
        child++;
        childRow = otherRow;
        childScore = otherScore;
      }
    }
    if (!isWorse(childScore, childRow, score, row)) break;
    store<u32>(rowsAt + (slot << 2), childRow);
    store<f64>(scoresAt + (slot << 3), childScore);
    slot = child;
  }
  store<u32>(rowsAt + (slot << 2), row);
  store<f64>(scoresAt + (slot << 3), score);
}

/**
 * Visible rows with NOT (scan[i] + slack * norms[i] < limit), ascending; returns how many.
 * scanAt: f32[count]; normsAt: f64[count] or 0 for 1; outRowsAt: u32, written, index + base.
 */
export function selectAbove(
  scanAt: usize,
  count: u32,
  base: u32,
  bitmapAt: usize,
  normsAt: usize,
  slack: f64,
  limit: f64,
  outRowsAt: usize,
): u32 {
  const end = base + count;
  let outAt = outRowsAt;
  for (let row = base; row < end; row = (row | 31) + 1) {
    const first = row & ~31;
    let mask = visibleMask(bitmapAt, row, end);
    const blockAt = scanAt + ((first - base) << 2);
    const normAt = normsAt + ((first - base) << 3);
    if (isWhole(row, end) && popcnt(mask) > FEW) {
      mask &= reachMask(blockAt, normsAt != 0, normAt, slack, limit);
    }
    for (; mask != 0; mask &= mask - 1) {
      const bit = ctz(mask);
      const norm: f64 = normsAt != 0 ? load<f64>(normAt + (bit << 3)) : 1;
      if (<f64>load<f32>(blockAt + (bit << 2)) + slack * norm < limit) continue;
      store<u32>(outAt, first + <u32>bit);
      outAt += 4;
    }
  }
  return <u32>((outAt - outRowsAt) >> 2);
}

/** One bit for each of 32 rows that may still reach the limit. */
// @ts-ignore: decorator
@inline
function reachMask(scanAt: usize, normed: bool, normAt: usize, slack: f64, limit: f64): u32 {
  const slacks = f64x2.splat(slack);
  const limits = f64x2.splat(limit);
  let below: u32 = 0;
  for (let i: u32 = 0; i < 32; i += 2) {
    const scan = f64x2.promote_low_f32x4(v128.load_zero<u64>(scanAt + (i << 2)));
    const add = normed ? f64x2.mul(slacks, v128.load(normAt + (i << 3))) : slacks;
    below |= i64x2.bitmask(f64x2.lt(f64x2.add(scan, add), limits)) << i;
  }
  return ~below;
}
