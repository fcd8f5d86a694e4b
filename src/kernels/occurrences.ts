import { checkCount, checkRange } from './check.js';
import type { Kernels } from './load.js';

/** Bytes of a field record: u32 address of the codes, u32 address of what a code stands for. */
const FIELD_RECORD = 8;

/** Adds how often each posting's row has the term, at most `most`: see KernelExports.addOccurrences16. */
export function addOccurrences(
  { exports, memory }: Kernels,
  codeBytes: 2 | 4,
  rowsAt: number,
  count: number,
  fieldsAt: number,
  fieldCount: number,
  most: number,
  accAt: number,
): void {
  const limit = memory.buffer.byteLength;
  checkCount('count', count);
  checkCount('fieldCount', fieldCount);
  checkCount('most', most);
  checkRange(limit, 'rowsAt', rowsAt, count, 4);
  checkRange(limit, 'fieldsAt', fieldsAt, fieldCount * 2, FIELD_RECORD / 2);
  checkRange(limit, 'accAt', accAt, count, 8);
  if (codeBytes === 2) exports.addOccurrences16(rowsAt, count, fieldsAt, fieldCount, most, accAt);
  else exports.addOccurrences32(rowsAt, count, fieldsAt, fieldCount, most, accAt);
}
