import { intersect, seek } from './intersect';
import { adjacentStarts, countAdjacent, keepGaps, RECORD } from './positions';

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
  const aOffsets = load<u32>(leadAt, 8);
  const bOffsets = load<u32>(secondAt, 8);
  const aLast = positionsAt + load<u32>(aOffsets + (load<u32>(leadAt, 4) << 2));
  const bLast = positionsAt + load<u32>(bOffsets + (load<u32>(secondAt, 4) << 2));
  let found: u32 = 0;
  for (let m: u32 = 0; m < pairs; m++) {
    const i = load<u32>(outRowsAt + (m << 2));
    const j = load<u32>(outCountsAt + (m << 2));
    const row = load<u32>(rowsAt + (i << 2));
    let starts: u32;
    if (isPair) {
      const aAt = aOffsets + (i << 2);
      const bAt = bOffsets + (j << 2);
      starts = countAdjacent(aAt, bAt, aLast, bLast, second - lead, positionsAt);
    } else {
      store<u32>(leadAt, i, 12);
      store<u32>(secondAt, j, 12);
      const all = termCount == 2 || meet(termsAt, termCount, lead, second, row);
      starts = all ? adjacentStarts(termsAt, termCount, lead, positionsAt, scratchAt) : 0;
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
  let best: u32 = without == 0 ? 1 : 0;
  for (let j: u32 = 1; j < termCount; j++) {
    if (j != without && load<u32>(termsAt + j * RECORD, 4) < load<u32>(termsAt + best * RECORD, 4)) best = j;
  }
  return best;
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
