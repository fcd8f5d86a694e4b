import { checkBitmap, checkCount, checkOptional, checkRange } from './check.js';
import type { Kernels } from './load.js';

/** The rows of an int8 matrix and what belongs to each: see KernelExports.dotScanInt8. */
export interface Int8Rows {
  /** i8[count][width], f32[count], f32[count]. */
  values: number;
  scales: number;
  residuals: number;
  width: number;
  count: number;
}

/** One i16 query against all rows of an int8 matrix, f64 scores out: see KernelExports.dotScanInt8. */
export function dotScanInt8(
  { exports, memory }: Kernels,
  queryAt: number,
  { values, scales, width, count }: Int8Rows,
  bitmapAt: number,
  queryScale: number,
  normsAt: number,
  queryNorm: number,
  outAt: number,
): void {
  const limit = memory.buffer.byteLength;
  checkCount('count', count);
  checkCount('width', width);
  if (width % 16 !== 0) throw new RangeError(`width is ${width}: expected a multiple of 16 numbers`);
  checkRange(limit, 'queryAt', queryAt, width, 2);
  checkRange(limit, 'values', values, count * width, 1);
  checkRange(limit, 'scales', scales, count, 4);
  checkOptional(limit, 'normsAt', normsAt, count, 8);
  checkBitmap(limit, bitmapAt, count);
  checkRange(limit, 'outAt', outAt, count, 8);
  exports.dotScanInt8(queryAt, values, width, count, bitmapAt, scales, queryScale, normsAt, queryNorm, outAt);
}

/** Rows whose exact score may still reach the limit; returns how many: see KernelExports.selectReach. */
export function selectReach(
  { exports, memory }: Kernels,
  scoresAt: number,
  { residuals, count }: Int8Rows,
  bitmapAt: number,
  normsAt: number,
  divided: boolean,
  perResidual: number,
  perNorm: number,
  limit: number,
  outRowsAt: number,
): number {
  const bytes = memory.buffer.byteLength;
  checkCount('count', count);
  checkRange(bytes, 'scoresAt', scoresAt, count, 8);
  checkRange(bytes, 'residuals', residuals, count, 4);
  checkRange(bytes, 'normsAt', normsAt, count, 8);
  checkBitmap(bytes, bitmapAt, count);
  checkRange(bytes, 'outRowsAt', outRowsAt, 0, 4);
  const found = exports.selectReach(
    scoresAt,
    count,
    bitmapAt,
    residuals,
    normsAt,
    divided ? 1 : 0,
    perResidual,
    perNorm,
    limit,
    outRowsAt,
  );
  return found >>> 0;
}
