import { readVarint, varintEnd, varintValue } from './lanes';

// A term record is four u32: rows address, count, offsets address, cursor (posting under inspection).
// @ts-ignore: decorator
@inline
export const RECORD: u32 = 16;

/** Address and end of the positions under a term's cursor, as (end << 32) | address. */
// @ts-ignore: decorator
@inline
function positionsOf(record: usize, positionsAt: usize): u64 {
  const offsetAt = load<u32>(record, 8) + (load<u32>(record, 12) << 2);
  return (<u64>(positionsAt + load<u32>(offsetAt, 4)) << 32) | (positionsAt + load<u32>(offsetAt));
}

/**
 * How often term b stands `distance` (1 or -1) positions after term a, in their postings i and j.
 * aLast, bLast: ends of the terms' bytes. Most rows that hold both terms hold them apart, and tests that need
 * no order prove most of that.
 */
// @ts-ignore: decorator
@inline
export function countAdjacent(
  aOffsetAt: usize,
  bOffsetAt: usize,
  aLast: usize,
  bLast: usize,
  distance: i32,
  positionsAt: usize,
): u32 {
  const aAt = positionsAt + load<u32>(aOffsetAt);
  const bAt = positionsAt + load<u32>(bOffsetAt);
  const aEnd = positionsAt + load<u32>(aOffsetAt, 4);
  const bEnd = positionsAt + load<u32>(bOffsetAt, 4);
  const aBytes = <u32>(aEnd - aAt);
  const bBytes = <u32>(bEnd - bAt);
  if (aBytes == 0 || bBytes == 0) return 0;
  if ((aBytes - 1 | bBytes - 1) < 4 && aLast - aAt >= 4 && bLast - bAt >= 4) {
    const x = load<u32>(aAt) & (0xffffffff >> ((4 - aBytes) << 3));
    const y = load<u32>(bAt) & (0xffffffff >> ((4 - bBytes) << 3));
    if (((x | y) & 0x80808080) == 0 && !mayMeet(x, y, distance)) return 0;
  } else if ((residues(aAt, aEnd, distance) & residues(bAt, bEnd, 0)) == 0) return 0;
  return countMeetings(aAt, aEnd, bAt, bEnd, distance);
}

/**
 * Whether positions may meet, from up to four one-byte deltas each (missing ones 0, which repeats the last
 * position): all 16 pairs compared modulo 256.
 */
// @ts-ignore: decorator
@inline
function mayMeet(x: u32, y: u32, distance: i32): bool {
  const p = prefixSums(x);
  const q = prefixSums(y);
  const spread = v128.shuffle<u8>(q, q, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
  return v128.any_true(i8x16.eq(i8x16.add(p, i8x16.splat(<i8>distance)), spread));
}

/** Sums of the bytes 0, 0..1, 0..2, 0..3, modulo 256, four times. */
// @ts-ignore: decorator
@inline
function prefixSums(bytes: u32): v128 {
  let v = i32x4.splat(bytes);
  v = i8x16.add(v, i32x4.shl(v, 8));
  return i8x16.add(v, i32x4.shl(v, 16));
}

/** Bit p % 64 for each position p, moved by `distance`. */
// @ts-ignore: decorator
@inline
function residues(at: usize, end: usize, distance: i32): u64 {
  let position = <u32>distance;
  let mask: u64 = 0;
  while (at != end) {
    const read = readVarint(at);
    at = varintEnd(read);
    position += varintValue(read);
    mask |= <u64>1 << (position & 63);
  }
  return mask;
}

/** The merge; neither list is empty. */
function countMeetings(aAt: usize, aEnd: usize, bAt: usize, bEnd: usize, distance: i32): u32 {
  let read = readVarint(aAt);
  aAt = varintEnd(read);
  let p: i64 = <i64>varintValue(read) + distance;
  read = readVarint(bAt);
  bAt = varintEnd(read);
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
export function adjacentStarts(
  termsAt: usize,
  termCount: u32,
  lead: u32,
  positionsAt: usize,
  scratchAt: usize,
): u32 {
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

/** Keeps the starts that have the wanted stop words before each further term; offsetsAt: the row's. */
export function keepGaps(
  termCount: u32,
  gapCountsAt: usize,
  offsetsAt: usize,
  gapsAt: usize,
  scratchAt: usize,
  starts: u32,
): u32 {
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
