import { isVisible, visibleBit } from './lanes';

// Posting lists: u32 rows, ascending. A list is named by its term record: {rows address, count, ...}.

// The longer list is searched instead of merged when it is this many times as long.
// @ts-ignore: decorator
@inline
const SKEW: u32 = 8;

/** Posting numbers of visible rows that both lists hold, ascending; a's list is not the longer one. */
export function intersect(a: usize, b: usize, bitmapAt: usize, firstAt: usize, secondAt: usize): u32 {
  const aAt = load<u32>(a);
  const bAt = load<u32>(b);
  const aCount = load<u32>(a, 4);
  const bCount = load<u32>(b, 4);
  let i: u32 = 0;
  let j: u32 = 0;
  let pairs: u32 = 0;
  if (bCount / SKEW > aCount) {
    for (; i < aCount; i++) {
      const row = load<u32>(aAt + (i << 2));
      if (bitmapAt != 0 && !isVisible(bitmapAt, row)) continue;
      j = seek(bAt, j, bCount, row);
      if (j == bCount) break;
      if (load<u32>(bAt + (j << 2)) != row) continue;
      store<u32>(firstAt + (pairs << 2), i);
      store<u32>(secondAt + (pairs << 2), j);
      pairs++;
    }
    return pairs;
  }
  // Two merges side by side, since a step waits for the one before: rows below the middle row, and the rest.
  const aMiddle = aCount >> 1;
  const bMiddle: u32 = aMiddle == 0 ? 0 : seek(bAt, 0, bCount, load<u32>(aAt + (aMiddle << 2)));
  let k = aMiddle;
  let l = bMiddle;
  let laterPairs = aMiddle;
  while (i < aMiddle && j < bMiddle && k < aCount && l < bCount) {
    const row = load<u32>(aAt + (i << 2));
    const other = load<u32>(bAt + (j << 2));
    store<u32>(firstAt + (pairs << 2), i);
    store<u32>(secondAt + (pairs << 2), j);
    pairs += u32(row == other) & bit(bitmapAt, row);
    i += u32(row <= other);
    j += u32(other <= row);
    const laterRow = load<u32>(aAt + (k << 2));
    const laterOther = load<u32>(bAt + (l << 2));
    store<u32>(firstAt + (laterPairs << 2), k);
    store<u32>(secondAt + (laterPairs << 2), l);
    laterPairs += u32(laterRow == laterOther) & bit(bitmapAt, laterRow);
    k += u32(laterRow <= laterOther);
    l += u32(laterOther <= laterRow);
  }
  pairs = merge(aAt, i, aMiddle, bAt, j, bMiddle, bitmapAt, firstAt, secondAt, pairs);
  laterPairs = merge(aAt, k, aCount, bAt, l, bCount, bitmapAt, firstAt, secondAt, laterPairs) - aMiddle;
  memory.copy(firstAt + (pairs << 2), firstAt + (aMiddle << 2), laterPairs << 2);
  memory.copy(secondAt + (pairs << 2), secondAt + (aMiddle << 2), laterPairs << 2);
  return pairs + laterPairs;
}

/** Branch-free: which list is behind cannot be foretold. A pair is always written, then kept or not. */
function merge(
  aAt: usize,
  i: u32,
  aEnd: u32,
  bAt: usize,
  j: u32,
  bEnd: u32,
  bitmapAt: usize,
  firstAt: usize,
  secondAt: usize,
  pairs: u32,
): u32 {
  while (i < aEnd && j < bEnd) {
    const row = load<u32>(aAt + (i << 2));
    const other = load<u32>(bAt + (j << 2));
    store<u32>(firstAt + (pairs << 2), i);
    store<u32>(secondAt + (pairs << 2), j);
    pairs += u32(row == other) & bit(bitmapAt, row);
    i += u32(row <= other);
    j += u32(other <= row);
  }
  return pairs;
}

// @ts-ignore: decorator
@inline
function bit(bitmapAt: usize, row: u32): u32 {
  return bitmapAt == 0 ? 1 : visibleBit(bitmapAt, row);
}

/** First index >= from whose row is >= the given one, or count. Steps double, then halve. */
// @ts-ignore: decorator
@inline
export function seek(rowsAt: usize, from: u32, count: u32, row: u32): u32 {
  let step: u32 = 1;
  let low = from;
  while (low < count && load<u32>(rowsAt + (low << 2)) < row) {
    // Here rows[low] < row, so the answer lies after low.
    from = low + 1;
    low += step;
    step <<= 1;
  }
  let high = low < count ? low : count;
  while (from < high) {
    const middle = from + ((high - from) >> 1);
    if (load<u32>(rowsAt + (middle << 2)) < row) from = middle + 1;
    else high = middle;
  }
  return high;
}
