import { checkBitmap, checkCount, checkRange } from './check.js';
import type { Kernels } from './load.js';

/** Scan scores of `queryCount` queries against rows [from, to): see KernelExports.dotScan. */
export function dotScan(
  { exports, memory }: Kernels,
  queriesAt: number,
  queryCount: number,
  rowsAt: number,
  width: number,
  from: number,
  to: number,
  bitmapAt: number,
  outAt: number,
  stride: number,
): void {
  const limit = memory.buffer.byteLength;
  checkCount('queryCount', queryCount);
  checkWidth(width);
  checkCount('from', from);
  checkCount('to', to);
  checkCount('stride', stride);
  if (from > to) throw new RangeError(`from is ${from}: expected at most to, which is ${to}`);
  if (queryCount > 1 && stride < to - from) {
    throw new RangeError(`stride is ${stride}: expected at least the ${to - from} rows of one query`);
  }
  checkRange(limit, 'queriesAt', queriesAt, queryCount * width, 4);
  checkRange(limit, 'rowsAt', rowsAt, to * width, 4);
  checkRange(limit, 'outAt', outAt, queryCount === 0 ? 0 : (queryCount - 1) * stride + to - from, 4);
  checkBitmap(limit, bitmapAt, to);
  exports.dotScan(queriesAt, queryCount, rowsAt, width, from, to, bitmapAt, outAt, stride);
}

/** Canonical scores of the rows listed (not checked: they are row numbers of the matrix): see KernelExports.dotExact. */
export function dotExact(
  { exports, memory }: Kernels,
  queryAt: number,
  rowsAt: number,
  width: number,
  dimension: number,
  listAt: number,
  count: number,
  outAt: number,
): void {
  const limit = memory.buffer.byteLength;
  checkWidth(width);
  checkCount('dimension', dimension);
  checkCount('count', count);
  if (dimension > width)
    throw new RangeError(`dimension is ${dimension}: expected at most the width, ${width}`);
  checkRange(limit, 'queryAt', queryAt, dimension, 4);
  checkRange(limit, 'rowsAt', rowsAt, count === 0 ? 0 : width, 4);
  checkRange(limit, 'listAt', listAt, count, 4);
  checkRange(limit, 'outAt', outAt, count, 8);
  exports.dotExact(queryAt, rowsAt, width, dimension, listAt, count, outAt);
}

/** Divides scan scores by the norms of their rows: see KernelExports.overNorms. */
export function overNorms(
  { exports, memory }: Kernels,
  scoresAt: number,
  normsAt: number,
  count: number,
  bitmapAt: number,
): void {
  const limit = memory.buffer.byteLength;
  checkCount('count', count);
  checkRange(limit, 'scoresAt', scoresAt, count, 4);
  checkRange(limit, 'normsAt', normsAt, count, 8);
  checkBitmap(limit, bitmapAt, count);
  exports.overNorms(scoresAt, normsAt, count, bitmapAt);
}

function checkWidth(width: number): void {
  checkCount('width', width);
  if (width % 16 !== 0) throw new RangeError(`width is ${width}: expected a multiple of 16 floats`);
}
