import { isVisible } from './lanes';
import { edgeWeight } from './pagerank';

// Eight walks side by side: [n][8] f64, one cache line a row, four vectors of two lanes. Every lane makes the
// additions and multiplications of pagerank.ts in the same order, so a walk has the same bits alone and in a block.

/** contributions[row][lane] = scores[row][lane] * inverse[row]; the dangling mass of each lane to danglingAt (f64[8]). */
export function pagerankContributions8(
  scoresAt: usize,
  inverseAt: usize,
  n: u32,
  contributionsAt: usize,
  danglingAt: usize,
): void {
  let d0 = f64x2.splat(0);
  let d1 = d0;
  let d2 = d0;
  let d3 = d0;
  for (let row: u32 = 0; row < n; row++) {
    const inverse = load<f64>(inverseAt + (row << 3));
    const s0 = v128.load(scoresAt);
    const s1 = v128.load(scoresAt, 16);
    const s2 = v128.load(scoresAt, 32);
    const s3 = v128.load(scoresAt, 48);
    const factor = f64x2.splat(inverse);
    v128.store(contributionsAt, f64x2.mul(s0, factor));
    v128.store(contributionsAt, f64x2.mul(s1, factor), 16);
    v128.store(contributionsAt, f64x2.mul(s2, factor), 32);
    v128.store(contributionsAt, f64x2.mul(s3, factor), 48);
    if (inverse == 0) {
      d0 = f64x2.add(d0, s0);
      d1 = f64x2.add(d1, s1);
      d2 = f64x2.add(d2, s2);
      d3 = f64x2.add(d3, s3);
    }
    scoresAt += 64;
    contributionsAt += 64;
  }
  v128.store(danglingAt, d0);
  v128.store(danglingAt, d1, 16);
  v128.store(danglingAt, d2, 32);
  v128.store(danglingAt, d3, 48);
}

/** One pull step of eight walks, in place; the L1 changes to changeAt (f64[8]): see KernelExports.pagerankStep8. */
export function pagerankStep8(
  graphAt: usize,
  secondAt: usize,
  ratio: f64,
  n: u32,
  contributionsAt: usize,
  seedsAt: usize,
  seedCount: u32,
  restartAt: usize,
  loopsAt: usize,
  bitmapAt: usize,
  baseAt: usize,
  damping: f64,
  scoresAt: usize,
  changeAt: usize,
): void {
  const weighted = load<u32>(graphAt, 8) != 0;
  if (load<u32>(graphAt, 12) == 0) {
    if (!weighted) step(false, false, graphAt, secondAt, ratio, n, contributionsAt, seedsAt, seedCount, restartAt, loopsAt, bitmapAt, baseAt, damping, scoresAt, changeAt);
    else step(true, false, graphAt, secondAt, ratio, n, contributionsAt, seedsAt, seedCount, restartAt, loopsAt, bitmapAt, baseAt, damping, scoresAt, changeAt);
  } else if (!weighted) step(false, true, graphAt, secondAt, ratio, n, contributionsAt, seedsAt, seedCount, restartAt, loopsAt, bitmapAt, baseAt, damping, scoresAt, changeAt);
  else step(true, true, graphAt, secondAt, ratio, n, contributionsAt, seedsAt, seedCount, restartAt, loopsAt, bitmapAt, baseAt, damping, scoresAt, changeAt);
}

// @ts-ignore: decorator
@inline
function step(
  weighted: bool,
  kinds: bool,
  graphAt: usize,
  secondAt: usize,
  ratio: f64,
  n: u32,
  contributionsAt: usize,
  seedsAt: usize,
  seedCount: u32,
  restartAt: usize,
  loopsAt: usize,
  bitmapAt: usize,
  baseAt: usize,
  damping: f64,
  scoresAt: usize,
  changeAt: usize,
): void {
  const startsAt = load<u32>(graphAt);
  const sourcesAt = load<u32>(graphAt, 4);
  const weightsAt = load<u32>(graphAt, 8);
  const kindsAt = load<u32>(graphAt, 12);
  const kindWeightsAt = load<u32>(graphAt, 16);
  const share = f64x2.splat(damping);
  let c0 = f64x2.splat(0);
  let c1 = c0;
  let c2 = c0;
  let c3 = c0;
  let seed: u32 = 0;
  let seedRow: u32 = seedCount == 0 ? n : load<u32>(seedsAt);
  for (let row: u32 = 0; row < n; row++) {
    if (bitmapAt != 0 && !isVisible(bitmapAt, row)) continue;
    let s0 = f64x2.splat(0);
    let s1 = s0;
    let s2 = s0;
    let s3 = s0;
    const startAt = startsAt + (row << 2);
    const end = load<u32>(startAt, 4);
    for (let e = load<u32>(startAt); e != end; e++) {
      const from = contributionsAt + (load<u32>(sourcesAt + (e << 2)) << 6);
      if (!weighted && !kinds) {
        s0 = f64x2.add(s0, v128.load(from));
        s1 = f64x2.add(s1, v128.load(from, 16));
        s2 = f64x2.add(s2, v128.load(from, 32));
        s3 = f64x2.add(s3, v128.load(from, 48));
      } else {
        const w = f64x2.splat(edgeWeight(weighted, kinds, weightsAt, kindsAt, kindWeightsAt, e));
        s0 = f64x2.add(s0, f64x2.mul(v128.load(from), w));
        s1 = f64x2.add(s1, f64x2.mul(v128.load(from, 16), w));
        s2 = f64x2.add(s2, f64x2.mul(v128.load(from, 32), w));
        s3 = f64x2.add(s3, f64x2.mul(v128.load(from, 48), w));
      }
    }
    if (loopsAt != 0) {
      const from = contributionsAt + (row << 6);
      const w = f64x2.splat(load<f64>(loopsAt + (row << 3)));
      s0 = f64x2.add(s0, f64x2.mul(w, v128.load(from)));
      s1 = f64x2.add(s1, f64x2.mul(w, v128.load(from, 16)));
      s2 = f64x2.add(s2, f64x2.mul(w, v128.load(from, 32)));
      s3 = f64x2.add(s3, f64x2.mul(w, v128.load(from, 48)));
    }
    if (ratio != 0) {
      const backAt = load<u32>(secondAt) + (row << 2);
      const endsAt = load<u32>(secondAt, 4);
      const backWeightsAt = load<u32>(secondAt, 8);
      const backKindsAt = load<u32>(secondAt, 12);
      const last = load<u32>(backAt, 4);
      for (let e = load<u32>(backAt); e != last; e++) {
        const from = contributionsAt + (load<u32>(endsAt + (e << 2)) << 6);
        const w = f64x2.splat(edgeWeight(weighted, kinds, backWeightsAt, backKindsAt, kindWeightsAt, e) * ratio);
        s0 = f64x2.add(s0, f64x2.mul(v128.load(from), w));
        s1 = f64x2.add(s1, f64x2.mul(v128.load(from, 16), w));
        s2 = f64x2.add(s2, f64x2.mul(v128.load(from, 32), w));
        s3 = f64x2.add(s3, f64x2.mul(v128.load(from, 48), w));
      }
    }
    s0 = f64x2.mul(share, s0);
    s1 = f64x2.mul(share, s1);
    s2 = f64x2.mul(share, s2);
    s3 = f64x2.mul(share, s3);
    // Elsewhere the restart is 0, and adding +0 changes no bit of what is not negative.
    if (row == seedRow) {
      const from = restartAt + (seed << 6);
      s0 = f64x2.add(f64x2.mul(v128.load(baseAt), v128.load(from)), s0);
      s1 = f64x2.add(f64x2.mul(v128.load(baseAt, 16), v128.load(from, 16)), s1);
      s2 = f64x2.add(f64x2.mul(v128.load(baseAt, 32), v128.load(from, 32)), s2);
      s3 = f64x2.add(f64x2.mul(v128.load(baseAt, 48), v128.load(from, 48)), s3);
      seed++;
      seedRow = seed < seedCount ? load<u32>(seedsAt + (seed << 2)) : n;
    }
    const at = scoresAt + (row << 6);
    c0 = f64x2.add(c0, f64x2.abs(f64x2.sub(s0, v128.load(at))));
    c1 = f64x2.add(c1, f64x2.abs(f64x2.sub(s1, v128.load(at, 16))));
    c2 = f64x2.add(c2, f64x2.abs(f64x2.sub(s2, v128.load(at, 32))));
    c3 = f64x2.add(c3, f64x2.abs(f64x2.sub(s3, v128.load(at, 48))));
    v128.store(at, s0);
    v128.store(at, s1, 16);
    v128.store(at, s2, 32);
    v128.store(at, s3, 48);
  }
  v128.store(changeAt, c0);
  v128.store(changeAt, c1, 16);
  v128.store(changeAt, c2, 32);
  v128.store(changeAt, c3, 48);
}

/** out[row] = block[row][lane]. blockAt: f64[n][8]; outAt: f64[n]. */
export function takeLane8(blockAt: usize, lane: u32, n: u32, outAt: usize): void {
  blockAt += lane << 3;
  for (let row: u32 = 0; row < n; row++) {
    store<f64>(outAt + (row << 3), load<f64>(blockAt + (row << 6)));
  }
}
