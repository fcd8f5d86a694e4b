import { isVisible, visibleBit } from './lanes';

// A graph record is five u32 addresses: starts (i32[n + 1]), ends (u32), weights (f64 or 0), kinds (u16 or 0)
// and kindWeights (f64 or 0). What is present is decided once per row, so the edge loops carry no test.

/**
 * contributions[i] = scores[i] * inverse[i]; returns the sum, in row order, of the scores whose inverse is 0.
 * scoresAt, inverseAt: f64[n], read; contributionsAt: f64[n], written.
 */
export function pagerankContributions(
  scoresAt: usize,
  inverseAt: usize,
  n: u32,
  contributionsAt: usize,
): f64 {
  const zero = f64x2.splat(0);
  let dangling: f64 = 0;
  let left = n;
  for (; left >= 2; left -= 2) {
    const score = v128.load(scoresAt);
    const inverse = v128.load(inverseAt);
    v128.store(contributionsAt, f64x2.mul(score, inverse));
    // Adding the +0 of a row that is not dangling changes no bit, and saves a branch.
    const lost = v128.and(score, f64x2.eq(inverse, zero));
    dangling += f64x2.extract_lane(lost, 0);
    dangling += f64x2.extract_lane(lost, 1);
    scoresAt += 16;
    inverseAt += 16;
    contributionsAt += 16;
  }
  if (left != 0) {
    const inverse = load<f64>(inverseAt);
    store<f64>(contributionsAt, load<f64>(scoresAt) * inverse);
    if (inverse == 0) dangling += load<f64>(scoresAt);
  }
  return dangling;
}

/** One pull step over one or two graphs, in place; returns the L1 change: see KernelExports.pagerankStep. */
export function pagerankStep(
  graphAt: usize,
  secondAt: usize,
  ratio: f64,
  n: u32,
  contributionsAt: usize,
  restartAt: usize,
  loopsAt: usize,
  bitmapAt: usize,
  base: f64,
  damping: f64,
  scoresAt: usize,
): f64 {
  let change: f64 = 0;
  for (let row: u32 = 0; row < n; row++) {
    const at = row << 3;
    if (bitmapAt != 0 && !isVisible(bitmapAt, row)) {
      store<f64>(scoresAt + at, 0);
      continue;
    }
    let sum = pullRow(graphAt, row, false, 1, contributionsAt, 0);
    if (loopsAt != 0) sum += load<f64>(loopsAt + at) * load<f64>(contributionsAt + at);
    if (ratio != 0) sum = pullRow(secondAt, row, true, ratio, contributionsAt, sum);
    const next = base * load<f64>(restartAt + at) + damping * sum;
    change += abs(next - load<f64>(scoresAt + at));
    store<f64>(scoresAt + at, next);
  }
  return change;
}

// @ts-ignore: decorator
@inline
function pullRow(graphAt: usize, row: u32, scaled: bool, ratio: f64, contributionsAt: usize, sum: f64): f64 {
  const startAt = load<u32>(graphAt) + (row << 2);
  const first = load<u32>(startAt);
  const end = load<u32>(startAt, 4);
  const weighted = load<u32>(graphAt, 8) != 0;
  if (load<u32>(graphAt, 12) == 0) {
    if (!weighted) return pull(false, false, graphAt, first, end, scaled, ratio, contributionsAt, sum);
    return pull(true, false, graphAt, first, end, scaled, ratio, contributionsAt, sum);
  }
  if (!weighted) return pull(false, true, graphAt, first, end, scaled, ratio, contributionsAt, sum);
  return pull(true, true, graphAt, first, end, scaled, ratio, contributionsAt, sum);
}

/** sum + c[source] * w along the edges [first, end), in order, into one accumulator. */
// @ts-ignore: decorator
@inline
function pull(
  weighted: bool,
  kinds: bool,
  graphAt: usize,
  first: u32,
  end: u32,
  scaled: bool,
  ratio: f64,
  contributionsAt: usize,
  sum: f64,
): f64 {
  const sourcesAt = load<u32>(graphAt, 4);
  const weightsAt = load<u32>(graphAt, 8);
  const kindsAt = load<u32>(graphAt, 12);
  const kindWeightsAt = load<u32>(graphAt, 16);
  for (let e = first; e != end; e++) {
    const source = load<u32>(sourcesAt + (e << 2));
    const c = load<f64>(contributionsAt + (source << 3));
    if (!weighted && !kinds) sum += scaled ? c * ratio : c;
    else {
      const w = edgeWeight(weighted, kinds, weightsAt, kindsAt, kindWeightsAt, e);
      sum += c * (scaled ? w * ratio : w);
    }
  }
  return sum;
}

// @ts-ignore: decorator
@inline
export function edgeWeight(
  weighted: bool,
  kinds: bool,
  weightsAt: usize,
  kindsAt: usize,
  kindWeightsAt: usize,
  e: u32,
): f64 {
  const kind: u32 = kinds ? <u32>load<u16>(kindsAt + (e << 1)) << 3 : 0;
  if (!weighted) return kinds ? load<f64>(kindWeightsAt + kind) : 1;
  const w = load<f64>(weightsAt + (e << 3));
  return kinds ? w * load<f64>(kindWeightsAt + kind) : w;
}

/**
 * out[row] += sum over the edges to visible ends, in order, of w_e * factor, for visible rows.
 * graphAt: graph record, the list holds the other ends; outAt: f64[n], read and written.
 */
export function outWeights(graphAt: usize, n: u32, bitmapAt: usize, factor: f64, outAt: usize): void {
  const startsAt = load<u32>(graphAt);
  const endsAt = load<u32>(graphAt, 4);
  const weightsAt = load<u32>(graphAt, 8);
  const kindsAt = load<u32>(graphAt, 12);
  const kindWeightsAt = load<u32>(graphAt, 16);
  for (let row: u32 = 0; row < n; row++) {
    if (bitmapAt != 0 && !isVisible(bitmapAt, row)) continue;
    const startAt = startsAt + (row << 2);
    const end = load<u32>(startAt, 4);
    let sum: f64 = 0;
    for (let e = load<u32>(startAt); e != end; e++) {
      let w: f64;
      if (kindsAt != 0) w = edgeWeight(weightsAt != 0, true, weightsAt, kindsAt, kindWeightsAt, e);
      else w = weightsAt != 0 ? load<f64>(weightsAt + (e << 3)) : 1;
      // A hidden end adds +0, which changes no bit: branch-free at any visibility.
      const seen = bitmapAt == 0 || visibleBit(bitmapAt, load<u32>(endsAt + (e << 2))) != 0;
      sum += seen ? w * factor : 0;
    }
    const at = outAt + (row << 3);
    store<f64>(at, load<f64>(at) + sum);
  }
}
