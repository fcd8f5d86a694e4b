import { WALK_LANES as LANES } from '../memory/layout.js';
import { checkBitmap, checkCount, checkOptional, checkRange } from './check.js';
import type { Kernels } from './load.js';
import { GRAPH_WORDS } from './pagerank.js';

/** contributions = scores * inverse, the dangling mass of each walk: see KernelExports.pagerankContributions8. */
export function pagerankContributions8(
  { exports, memory }: Kernels,
  scoresAt: number,
  inverseAt: number,
  n: number,
  contributionsAt: number,
  danglingAt: number,
): void {
  const limit = memory.buffer.byteLength;
  checkCount('n', n);
  checkRange(limit, 'scoresAt', scoresAt, n * LANES, 8);
  checkRange(limit, 'inverseAt', inverseAt, n, 8);
  checkRange(limit, 'contributionsAt', contributionsAt, n * LANES, 8);
  checkRange(limit, 'danglingAt', danglingAt, LANES, 8);
  exports.pagerankContributions8(scoresAt, inverseAt, n, contributionsAt, danglingAt);
}

/** Where a step of eight walks finds what. */
export interface BlockStep {
  graphAt: number;
  secondAt: number;
  ratio: number;
  n: number;
  contributionsAt: number;
  /** Rows with a restart, and their shares. */
  seedsAt: number;
  seedCount: number;
  restartAt: number;
  loopsAt: number;
  bitmapAt: number;
  baseAt: number;
  damping: number;
  scoresAt: number;
  changeAt: number;
}

/** One pull step of eight walks in place: see KernelExports.pagerankStep8. */
export function pagerankStep8({ exports, memory }: Kernels, at: BlockStep): void {
  const limit = memory.buffer.byteLength;
  checkCount('n', at.n);
  checkCount('seedCount', at.seedCount);
  checkRange(limit, 'graphAt', at.graphAt, GRAPH_WORDS, 4);
  if (at.ratio !== 0) checkRange(limit, 'secondAt', at.secondAt, GRAPH_WORDS, 4);
  checkRange(limit, 'contributionsAt', at.contributionsAt, at.n * LANES, 8);
  checkRange(limit, 'seedsAt', at.seedsAt, at.seedCount, 4);
  checkRange(limit, 'restartAt', at.restartAt, at.seedCount * LANES, 8);
  checkOptional(limit, 'loopsAt', at.loopsAt, at.n, 8);
  checkBitmap(limit, at.bitmapAt, at.n);
  checkRange(limit, 'baseAt', at.baseAt, LANES, 8);
  checkRange(limit, 'scoresAt', at.scoresAt, at.n * LANES, 8);
  checkRange(limit, 'changeAt', at.changeAt, LANES, 8);
  exports.pagerankStep8(
    at.graphAt,
    at.secondAt,
    at.ratio,
    at.n,
    at.contributionsAt,
    at.seedsAt,
    at.seedCount,
    at.restartAt,
    at.loopsAt,
    at.bitmapAt,
    at.baseAt,
    at.damping,
    at.scoresAt,
    at.changeAt,
  );
}

/** out[row] = block[row][lane]: see KernelExports.takeLane8. */
export function takeLane8(
  { exports, memory }: Kernels,
  blockAt: number,
  lane: number,
  n: number,
  outAt: number,
): void {
  const limit = memory.buffer.byteLength;
  checkCount('n', n);
  if (!Number.isInteger(lane) || lane < 0 || lane >= LANES)
    throw new RangeError(`lane is ${lane}: expected 0 to ${LANES - 1}`);
  checkRange(limit, 'blockAt', blockAt, n * LANES, 8);
  checkRange(limit, 'outAt', outAt, n, 8);
  exports.takeLane8(blockAt, lane, n, outAt);
}
