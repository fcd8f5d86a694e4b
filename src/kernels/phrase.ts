import { checkBitmap, checkCount, checkOptional, checkRange } from './check.js';
import type { Kernels } from './load.js';

/** Bytes of a term record: four u32. */
const TERM_RECORD = 16;

/**
 * Rows in which the terms stand one after another; returns how many were written: see KernelExports.phraseMatch.
 * How far the position and gap bytes and the output reach depends on the postings; only their addresses are checked.
 */
export function phraseMatch(
  { exports, memory }: Kernels,
  termsAt: number,
  termCount: number,
  positionsAt: number,
  gapCountsAt: number,
  gapOffsetsAt: number,
  gapsAt: number,
  bitmapAt: number,
  scratchAt: number,
  outRowsAt: number,
  outCountsAt: number,
): number {
  const limit = memory.buffer.byteLength;
  checkCount('termCount', termCount);
  if (termCount < 2) throw new RangeError(`termCount is ${termCount}: a phrase has at least 2 terms`);
  checkRange(limit, 'termsAt', termsAt, termCount * (TERM_RECORD / 4), 4);
  checkRange(limit, 'positionsAt', positionsAt, 0, 1);
  checkOptional(limit, 'gapsAt', gapsAt, 0, 1);
  if (gapsAt !== 0) {
    checkRange(limit, 'gapCountsAt', gapCountsAt, termCount, 4);
    checkRange(limit, 'gapOffsetsAt', gapOffsetsAt, 1, 4);
  }
  checkBitmap(limit, bitmapAt, 1);
  checkRange(limit, 'scratchAt', scratchAt, 0, 4);
  checkRange(limit, 'outRowsAt', outRowsAt, 0, 4);
  checkRange(limit, 'outCountsAt', outCountsAt, 0, 4);
  return (
    exports.phraseMatch(
      termsAt,
      termCount,
      positionsAt,
      gapCountsAt,
      gapOffsetsAt,
      gapsAt,
      bitmapAt,
      scratchAt,
      outRowsAt,
      outCountsAt,
    ) >>> 0
  );
}
