import { checkBitmap, checkCount, checkOptional, checkRange } from './check.js';
import type { Kernels } from './load.js';

/** The best k of f64 scores; returns how many: see KernelExports.topK. */
export function topK(
  kernels: Kernels,
  scoresAt: number,
  count: number,
  base: number,
  bitmapAt: number,
  floor: number,
  k: number,
  outRowsAt: number,
  outScoresAt: number,
): number {
  checkTopK(kernels.memory, 8, scoresAt, count, base, bitmapAt, k, outRowsAt, outScoresAt);
  return kernels.exports.topK(scoresAt, count, base, bitmapAt, floor, k, outRowsAt, outScoresAt) >>> 0;
}

/** The best k of f32 scan scores. */
export function topK32(
  kernels: Kernels,
  scoresAt: number,
  count: number,
  base: number,
  bitmapAt: number,
  floor: number,
  k: number,
  outRowsAt: number,
  outScoresAt: number,
): number {
  checkTopK(kernels.memory, 4, scoresAt, count, base, bitmapAt, k, outRowsAt, outScoresAt);
  return kernels.exports.topK32(scoresAt, count, base, bitmapAt, floor, k, outRowsAt, outScoresAt) >>> 0;
}

/** Rows whose scan score may still reach the limit; returns how many: see KernelExports.selectAbove. */
export function selectAbove(
  { exports, memory }: Kernels,
  scanAt: number,
  count: number,
  base: number,
  bitmapAt: number,
  normsAt: number,
  slack: number,
  limit: number,
  outRowsAt: number,
): number {
  const bytes = memory.buffer.byteLength;
  checkRows(count, base);
  checkRange(bytes, 'scanAt', scanAt, count, 4);
  checkBitmap(bytes, bitmapAt, base + count);
  checkOptional(bytes, 'normsAt', normsAt, count, 8);
  checkRange(bytes, 'outRowsAt', outRowsAt, 0, 4);
  return exports.selectAbove(scanAt, count, base, bitmapAt, normsAt, slack, limit, outRowsAt) >>> 0;
}

function checkTopK(
  memory: WebAssembly.Memory,
  scoreBytes: 4 | 8,
  scoresAt: number,
  count: number,
  base: number,
  bitmapAt: number,
  k: number,
  outRowsAt: number,
  outScoresAt: number,
): void {
  const bytes = memory.buffer.byteLength;
  checkRows(count, base);
  checkCount('k', k);
  checkRange(bytes, 'scoresAt', scoresAt, count, scoreBytes);
  checkBitmap(bytes, bitmapAt, base + count);
  checkRange(bytes, 'outRowsAt', outRowsAt, Math.min(k, count), 4);
  checkRange(bytes, 'outScoresAt', outScoresAt, Math.min(k, count), 8);
}

/** Row numbers stay below 2^32 - 32, so that the step to the next bitmap word does not wrap. */
function checkRows(count: number, base: number): void {
  checkCount('count', count);
  checkCount('base', base);
  if (base + count > 0xffffffe0) throw new RangeError(`base is ${base}: its ${count} rows pass 2^32 - 32`);
}
