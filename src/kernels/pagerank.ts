import { checkBitmap, checkCount, checkOptional, checkRange } from './check.js';
import type { Kernels } from './load.js';

/** u32 words of a graph record: starts, sources, weights, kinds, kindWeights. */
export const GRAPH_WORDS = 5;

/** contributions = scores * inverse; returns the dangling mass: see KernelExports.pagerankContributions. */
export function pagerankContributions(
  { exports, memory }: Kernels,
  scoresAt: number,
  inverseAt: number,
  n: number,
  contributionsAt: number,
): number {
  const limit = memory.buffer.byteLength;
  checkCount('n', n);
  checkRange(limit, 'scoresAt', scoresAt, n, 8);
  checkRange(limit, 'inverseAt', inverseAt, n, 8);
  checkRange(limit, 'contributionsAt', contributionsAt, n, 8);
  return exports.pagerankContributions(scoresAt, inverseAt, n, contributionsAt);
}

/** One pull step in place; returns the L1 change: see KernelExports.pagerankStep. */
export function pagerankStep(
  { exports, memory }: Kernels,
  graphAt: number,
  secondAt: number,
  ratio: number,
  n: number,
  contributionsAt: number,
  restartAt: number,
  loopsAt: number,
  bitmapAt: number,
  base: number,
  damping: number,
  scoresAt: number,
): number {
  const limit = memory.buffer.byteLength;
  checkCount('n', n);
  checkRange(limit, 'graphAt', graphAt, GRAPH_WORDS, 4);
  if (ratio !== 0) checkRange(limit, 'secondAt', secondAt, GRAPH_WORDS, 4);
  checkRange(limit, 'contributionsAt', contributionsAt, n, 8);
  checkRange(limit, 'restartAt', restartAt, n, 8);
  checkOptional(limit, 'loopsAt', loopsAt, n, 8);
  checkBitmap(limit, bitmapAt, n);
  checkRange(limit, 'scoresAt', scoresAt, n, 8);
  return exports.pagerankStep(
    graphAt,
    secondAt,
    ratio,
    n,
    contributionsAt,
    restartAt,
    loopsAt,
    bitmapAt,
    base,
    damping,
    scoresAt,
  );
}

/** Adds each visible row's out-weight to visible ends: see KernelExports.outWeights. */
export function outWeights(
  { exports, memory }: Kernels,
  graphAt: number,
  n: number,
  bitmapAt: number,
  factor: number,
  outAt: number,
): void {
  const limit = memory.buffer.byteLength;
  checkCount('n', n);
  checkRange(limit, 'graphAt', graphAt, GRAPH_WORDS, 4);
  checkBitmap(limit, bitmapAt, n);
  checkRange(limit, 'outAt', outAt, n, 8);
  exports.outWeights(graphAt, n, bitmapAt, factor, outAt);
}
