import { isVisible, readVarint, varintEnd, varintValue, visibleBit } from './lanes';

// A term record is four u32: rows address, count, offsets address, cursor (posting under inspection).
// @ts-ignore: decorator
@inline
const RECORD: u32 = 16;

// The longer list is searched instead of merged when it is this many times as long.
// @ts-ignore: decorator
@inline
const SKEW: u32 = 8;

/**
 * Rows in which the terms stand one after another, and how often: see KernelExports.phraseMatch.
 * First the two shortest lists are intersected, and the pairs of posting numbers left in the output arrays;
 * then each pair is read, the other terms sought, positions compared, and the result written over it.
 */
export function phraseMatch(
  termsAt: usize,
  termCount: u32,
  positionsAt: usize,
  gapCountsAt: usize,
  gapOffsetsAt: usize,
  gapsAt: usize,
  bitmapAt: usize,
  scratchAt: usize,
  outRowsAt: usize,
  outCountsAt: usize,
): u32 {
  for (let j: u32 = 0; j < termCount; j++) store<u32>(termsAt + j * RECORD, 0, 12);
  const lead = shortest(termsAt, termCount, termCount);
  const second = shortest(termsAt, termCount, lead);
  const leadAt = termsAt + lead * RECORD;
  const secondAt = termsAt + second * RECORD;
  const rowsAt = load<u32>(leadAt);
  const pairs = intersect(leadAt, secondAt, bitmapAt, outRowsAt, outCountsAt);
  const isPair = termCount == 2 && gapsAt == 0;
  let found: u32 = 0;
  for (let i: u32 = 0; i < pairs; i++) {
    const posting = load<u32>(outRowsAt + (i << 2));
    const row = load<u32>(rowsAt + (posting << 2));
    store<u32>(leadAt, posting, 12);
    store<u32>(secondAt, load<u32>(outCountsAt + (i << 2)), 12);
    let starts: u32;
    if (isPair) starts = countAdjacent(leadAt, secondAt, second - lead, positionsAt);
    else {
      starts = 0;
      if (termCount == 2 || meet(termsAt, termCount, lead, second, row)) {
        starts = adjacentStarts(termsAt, termCount, lead, positionsAt, scratchAt);
      }
      if (gapsAt != 0 && starts != 0) {
        starts = keepGaps(termCount, gapCountsAt, gapOffsetsAt + (row << 2), gapsAt, scratchAt, starts);
      }
    }
    store<u32>(outRowsAt + (found << 2), row);
    store<u32>(outCountsAt + (found << 2), starts);
    found += u32(starts != 0);
  }
  return found;
}

/** The term with the fewest postings, other than `without`. */
function shortest(termsAt: usize, termCount: u32, without: u32): u32 {
  let best = without == 0 ? 1 : 0;
  for (let j: u32 = 1; j < termCount; j++) {
    if (j != without && load<u32>(termsAt + j * RECORD, 4) < load<u32>(termsAt + best * RECORD, 4)) best = j;
  }
  return best;
}

/** Posting numbers of visible rows that both lists hold, ascending; a's list is not the longer one. */
function intersect(a: usize, b: usize, bitmapAt: usize, firstAt: usize, secondAt: usize): u32 {
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
  // Branch-free: which list is behind cannot be foretold. The pair is written always, and kept or written over.
  while (i < aCount && j < bCount) {
    const row = load<u32>(aAt + (i << 2));
    const other = load<u32>(bAt + (j << 2));
    store<u32>(firstAt + (pairs << 2), i);
    store<u32>(secondAt + (pairs << 2), j);
    const seen: u32 = bitmapAt == 0 ? 1 : visibleBit(bitmapAt, row);
    pairs += u32(row == other) & seen;
    i += u32(row <= other);
    j += u32(other <= row);
  }
  return pairs;
}

/** First index >= from whose row is >= the given one, or count. Steps double, then halve. */
// @ts-ignore: decorator
@inline
function seek(rowsAt: usize, from: u32, count: u32, row: u32): u32 {
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

/** Moves the cursors of all terms but two to `row`, and says whether all have it. */
function meet(termsAt: usize, termCount: u32, lead: u32, second: u32, row: u32): bool {
  for (let j: u32 = 0; j < termCount; j++) {
    if (j == lead || j == second) continue;
    const record = termsAt + j * RECORD;
    const rowsAt = load<u32>(record);
    const count = load<u32>(record, 4);
    const cursor = seek(rowsAt, load<u32>(record, 12), count, row);
    store<u32>(record, cursor, 12);
    if (cursor == count || load<u32>(rowsAt + (cursor << 2)) != row) return false;
  }
  return true;
}

/** Address and end of the positions under a term's cursor, as (end << 32) | address. */
// @ts-ignore: decorator
@inline
function positionsOf(record: usize, positionsAt: usize): u64 {
  const offsetAt = load<u32>(record, 8) + (load<u32>(record, 12) << 2);
  return (<u64>(positionsAt + load<u32>(offsetAt, 4)) << 32) | (positionsAt + load<u32>(offsetAt));
}

/** How often b stands `distance` (1 or -1) positions after a, in the row under their cursors. */
// @ts-ignore: decorator
@inline
function countAdjacent(a: usize, b: usize, distance: i32, positionsAt: usize): u32 {
  const aBytes = positionsOf(a, positionsAt);
  const bBytes = positionsOf(b, positionsAt);
  // Most rows that hold both hold them apart: no common residue modulo 64 proves it without comparing in order.
  if ((residues(aBytes, distance) & residues(bBytes, 0)) == 0) return 0;
  return countMeetings(aBytes, bBytes, distance);
}

/** Bit p % 64 for each position p, moved by `distance`. */
// @ts-ignore: decorator
@inline
function residues(bytes: u64, distance: i32): u64 {
  const end = <usize>(bytes >> 32);
  let position = <u32>distance;
  let mask: u64 = 0;
  for (let at = <usize>bytes; at != end; ) {
    const read = readVarint(at);
    at = varintEnd(read);
    position += varintValue(read);
    mask |= <u64>1 << (position & 63);
  }
  return mask;
}

/** The merge; neither list is empty. */
function countMeetings(aBytes: u64, bBytes: u64, distance: i32): u32 {
  const aEnd = <usize>(aBytes >> 32);
  const bEnd = <usize>(bBytes >> 32);
  let read = readVarint(<usize>aBytes);
  let aAt = varintEnd(read);
  let p: i64 = <i64>varintValue(read) + distance;
  read = readVarint(<usize>bBytes);
  let bAt = varintEnd(read);
  let q: i64 = varintValue(read);
  let count: u32 = 0;
  for (;;) {
    count += u32(p == q);
    if (p <= q) {
      if (aAt == aEnd) break;
      read = readVarint(aAt);
      aAt = varintEnd(read);
      p += <i64>varintValue(read);
    } else {
      if (bAt == bEnd) break;
      read = readVarint(bAt);
      bAt = varintEnd(read);
      q += <i64>varintValue(read);
    }
  }
  return count;
}

/** Writes the starts p of the phrase in the row under the cursors to scratch, ascending; returns how many. */
function adjacentStarts(termsAt: usize, termCount: u32, lead: u32, positionsAt: usize, scratchAt: usize): u32 {
  let starts = decodeStarts(termsAt + lead * RECORD, lead, positionsAt, scratchAt);
  for (let j: u32 = 0; j < termCount && starts != 0; j++) {
    if (j != lead) starts = keepAdjacent(termsAt + j * RECORD, j, positionsAt, scratchAt, starts);
  }
  return starts;
}

/** Positions of the term less its place in the phrase; positions before that place start no phrase. */
// @ts-ignore: decorator
@inline
function decodeStarts(record: usize, place: u32, positionsAt: usize, scratchAt: usize): u32 {
  const bytes = positionsOf(record, positionsAt);
  const end = <usize>(bytes >> 32);
  let position: u32 = 0;
  let starts: u32 = 0;
  for (let at = <usize>bytes; at != end; ) {
    const read = readVarint(at);
    at = varintEnd(read);
    position += varintValue(read);
    if (position < place) continue;
    store<u32>(scratchAt + (starts << 2), position - place);
    starts++;
  }
  return starts;
}

/** Keeps the starts p for which the term stands at p + place. */
// @ts-ignore: decorator
@inline
function keepAdjacent(record: usize, place: u32, positionsAt: usize, scratchAt: usize, starts: u32): u32 {
  const bytes = positionsOf(record, positionsAt);
  const end = <usize>(bytes >> 32);
  let position: u32 = 0;
  let kept: u32 = 0;
  let i: u32 = 0;
  for (let at = <usize>bytes; at != end; ) {
    const read = readVarint(at);
    at = varintEnd(read);
    position += varintValue(read);
    while (i < starts && load<u32>(scratchAt + (i << 2)) + place < position) i++;
    if (i == starts) break;
    const start = load<u32>(scratchAt + (i << 2));
    if (start + place != position) continue;
    store<u32>(scratchAt + (kept << 2), start);
    kept++;
    i++;
  }
  return kept;
}

/** Keeps the starts that have the wanted stop words before each further term. offsetsAt: the row's two offsets. */
function keepGaps(termCount: u32, gapCountsAt: usize, offsetsAt: usize, gapsAt: usize, scratchAt: usize, starts: u32): u32 {
  const from = gapsAt + load<u32>(offsetsAt);
  const to = gapsAt + load<u32>(offsetsAt, 4);
  for (let j: u32 = 1; j < termCount && starts != 0; j++) {
    starts = keepGap(scratchAt, starts, j, load<u32>(gapCountsAt + (j << 2)), from, to);
  }
  return starts;
}

/** Keeps the starts p that have exactly `expected` stop words before position p + place. */
// @ts-ignore: decorator
@inline
function keepGap(scratchAt: usize, starts: u32, place: u32, expected: u32, at: usize, end: usize): u32 {
  let position: u32 = 0;
  let gap: u32 = 0;
  let kept: u32 = 0;
  for (let i: u32 = 0; i < starts; i++) {
    const start = load<u32>(scratchAt + (i << 2));
    const target = start + place;
    while (position < target && at != end) {
      const delta = readVarint(at);
      const size = readVarint(varintEnd(delta));
      position += varintValue(delta);
      gap = varintValue(size);
      at = varintEnd(size);
    }
    if ((position == target ? gap : 0) != expected) continue;
    store<u32>(scratchAt + (kept << 2), start);
    kept++;
  }
  return kept;
}
