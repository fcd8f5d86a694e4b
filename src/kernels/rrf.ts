import { checkCount, checkRange } from './check.js';
import type { Kernels } from './load.js';

/** acc[slots[i]] += weight / (k + i + 1): see KernelExports.rrfAdd. */
export function rrfAdd(
  { exports, memory }: Kernels,
  slotsAt: number,
  count: number,
  k: number,
  weight: number,
  accAt: number,
): void {
  const limit = memory.buffer.byteLength;
  checkCount('count', count);
  checkRange(limit, 'slotsAt', slotsAt, count, 4);
  checkRange(limit, 'accAt', accAt, 0, 8);
  exports.rrfAdd(slotsAt, count, k, weight, accAt);
}
