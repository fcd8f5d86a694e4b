import { checkBitmap, checkCount, checkOptional, checkRange } from './check.js';
import type { Kernels } from './load.js';

// Row numbers and codes inside the arrays are the index's: load checks them once, not every call.

/** Bytes of a field record: u32 address of the codes, u32 address of the table. */
const FIELD_RECORD = 8;

/** How many of the ids have their bit set: see KernelExports.countVisible. */
export function countVisible(
  { exports, memory }: Kernels,
  rowsAt: number,
  count: number,
  bitmapAt: number,
): number {
  const limit = memory.buffer.byteLength;
  checkCount('count', count);
  checkRange(limit, 'rowsAt', rowsAt, count, 4);
  checkBitmap(limit, bitmapAt, 1);
  return exports.countVisible(rowsAt, count, bitmapAt) >>> 0;
}

/** Adds one term's postings into the accumulator, codes as u16 or u32: see KernelExports.bm25Accumulate16. */
export function bm25Accumulate(
  { exports, memory }: Kernels,
  codeBytes: 2 | 4,
  rowsAt: number,
  count: number,
  fieldsAt: number,
  fieldCount: number,
  normsAt: number,
  k1: number,
  weight: number,
  accAt: number,
): void {
  const limit = memory.buffer.byteLength;
  checkCount('count', count);
  checkCount('fieldCount', fieldCount);
  checkRange(limit, 'rowsAt', rowsAt, count, 4);
  checkRange(limit, 'fieldsAt', fieldsAt, fieldCount * 2, FIELD_RECORD / 2);
  checkOptional(limit, 'normsAt', normsAt, count, 8);
  checkRange(limit, 'accAt', accAt, count, 8);
  if (codeBytes === 2)
    exports.bm25Accumulate16(rowsAt, count, fieldsAt, fieldCount, normsAt, k1, weight, accAt);
  else exports.bm25Accumulate32(rowsAt, count, fieldsAt, fieldCount, normsAt, k1, weight, accAt);
}

/** Adds a pseudo-term given as rows and occurrences: see KernelExports.bm25AccumulateCounts. */
export function bm25AccumulateCounts(
  { exports, memory }: Kernels,
  rowsAt: number,
  occurrencesAt: number,
  count: number,
  normsAt: number,
  k1: number,
  weight: number,
  accAt: number,
): void {
  const limit = memory.buffer.byteLength;
  checkCount('count', count);
  checkRange(limit, 'rowsAt', rowsAt, count, 4);
  checkRange(limit, 'occurrencesAt', occurrencesAt, count, 4);
  checkOptional(limit, 'normsAt', normsAt, count, 8);
  checkRange(limit, 'accAt', accAt, count, 8);
  exports.bm25AccumulateCounts(rowsAt, occurrencesAt, count, normsAt, k1, weight, accAt);
}
