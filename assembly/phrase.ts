import { isVisible, readVarint, varintEnd, varintValue } from './lanes';

// A term record is four u32: rows address, count, offsets address, cursor.
// @ts-ignore: decorator
@inline
const RECORD: u32 = 16;

/**
 * Rows in which the terms stand one after another, and how often: see KernelExports.phraseMatch.
 * The shortest list leads; the others leap to its row. Positions are decoded only where all lists meet.
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
  const lead = shortest(termsAt, termCount);
  const leadAt = termsAt + lead * RECORD;
  const rowsAt = load<u32>(leadAt);
  const count = load<u32>(leadAt, 4);
  let found: u32 = 0;
  for (let i: u32 = 0; i < count; ) {
    const row = load<u32>(rowsAt + (i << 2));
    if (bitmapAt != 0 && !isVisible(bitmapAt, row)) {
      i++;
      continue;
    }
    store<u32>(leadAt, i, 12);
    const reached = meet(termsAt, termCount, lead, row);
    if (reached != row) {
      if (reached == u32.MAX_VALUE) break;
      i = seek(rowsAt, i + 1, count, reached);
      continue;
    }
    let starts = adjacentStarts(termsAt, termCount, lead, positionsAt, scratchAt);
    if (gapsAt != 0 && starts != 0) {
      const from = gapsAt + load<u32>(gapOffsetsAt + (row << 2));
      const to = gapsAt + load<u32>(gapOffsetsAt + (row << 2), 4);
      for (let j: u32 = 1; j < termCount && starts != 0; j++) {
        starts = keepGap(scratchAt, starts, j, load<u32>(gapCountsAt + (j << 2)), from, to);
      }
    }
    if (starts != 0) {
      store<u32>(outRowsAt + (found << 2), row);
      store<u32>(outCountsAt + (found << 2), starts);
      found++;
    }
    i++;
  }
  return found;
}

/** The term with the fewest postings; also sets every cursor to 0. */
function shortest(termsAt: usize, termCount: u32): u32 {
  let best: u32 = 0;
  let least = u32.MAX_VALUE;
  for (let j: u32 = 0; j < termCount; j++) {
    const record = termsAt + j * RECORD;
    store<u32>(record, 0, 12);
    const count = load<u32>(record, 4);
    if (count < least) {
      least = count;
      best = j;
    }
  }
  return best;
}

/**
 * Moves the cursors of all terms but `lead` to `row`. Returns row when all have it, otherwise the first later
 * row at which one stands (the lead may leap there), or the largest u32 when a list is at its end.
 */
// @ts-ignore: decorator
@inline
function meet(termsAt: usize, termCount: u32, lead: u32, row: u32): u32 {
  for (let j: u32 = 0; j < termCount; j++) {
    if (j == lead) continue;
    const record = termsAt + j * RECORD;
    const rowsAt = load<u32>(record);
    const count = load<u32>(record, 4);
    const cursor = seek(rowsAt, load<u32>(record, 12), count, row);
    store<u32>(record, cursor, 12);
    if (cursor == count) return u32.MAX_VALUE;
    const reached = load<u32>(rowsAt + (cursor << 2));
    if (reached != row) return reached;
  }
  return row;
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
  const offsetAt = load<u32>(record, 8) + (load<u32>(record, 12) << 2);
  const end = positionsAt + load<u32>(offsetAt, 4);
  let at = positionsAt + load<u32>(offsetAt);
  let position: u32 = 0;
  let starts: u32 = 0;
  while (at != end) {
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
  const offsetAt = load<u32>(record, 8) + (load<u32>(record, 12) << 2);
  const end = positionsAt + load<u32>(offsetAt, 4);
  let at = positionsAt + load<u32>(offsetAt);
  let position: u32 = 0;
  let kept: u32 = 0;
  let i: u32 = 0;
  while (at != end) {
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
