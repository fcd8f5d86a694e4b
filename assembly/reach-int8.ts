import { visibleMask } from './lanes';

// A block is 32 rows, one bitmap word. With at most this many visible they are looked at one by one.
// @ts-ignore: decorator
@inline
const FEW: u32 = 4;

/**
 * Visible rows whose int8 score may be that of an exact score at or above `limit`, ascending; returns how many.
 * scoresAt: f64[count]; residualsAt: f32[count]; normsAt: f64[count]; outRowsAt: u32, written.
 * divided: whether scores are over the row's norm: see KernelExports.selectReach.
 */
export function selectReach(
  scoresAt: usize,
  count: u32,
  bitmapAt: usize,
  residualsAt: usize,
  normsAt: usize,
  divided: bool,
  perResidual: f64,
  perNorm: f64,
  limit: f64,
  outRowsAt: usize,
): u32 {
  let outAt = outRowsAt;
  for (let base: u32 = 0; base < count; base += 32) {
    let mask = visibleMask(bitmapAt, base, count);
    if (count - base >= 32 && popcnt(mask) > FEW) {
      const scoreAt = scoresAt + (base << 3);
      const residualAt = residualsAt + (base << 2);
      const normAt = normsAt + (base << 3);
      mask &= divided
        ? reachMask(scoreAt, residualAt, normAt, true, perResidual, perNorm, limit)
        : reachMask(scoreAt, residualAt, normAt, false, perResidual, perNorm, limit);
    }
    for (; mask != 0; mask &= mask - 1) {
      const row = base + <u32>ctz(mask);
      const gap = load<f64>(scoresAt + (row << 3)) - limit;
      const norm = load<f64>(normsAt + (row << 3));
      const slack = perResidual * <f64>load<f32>(residualsAt + (row << 2));
      const reach = !divided ? gap + perNorm * norm + slack : norm == 0 ? gap : (gap + perNorm) * norm + slack;
      if (reach < 0) continue;
      store<u32>(outAt, row);
      outAt += 4;
    }
  }
  return <u32>((outAt - outRowsAt) >> 2);
}

/** One bit for each of 32 rows that may still reach the limit; set for rows of norm 0. */
// @ts-ignore: decorator
@inline
function reachMask(
  scoreAt: usize,
  residualAt: usize,
  normAt: usize,
  divided: bool,
  perResidual: f64,
  perNorm: f64,
  limit: f64,
): u32 {
  const limits = f64x2.splat(limit);
  const perNorms = f64x2.splat(perNorm);
  const perResiduals = f64x2.splat(perResidual);
  const zero = f64x2.splat(0);
  let below: u32 = 0;
  for (let i: u32 = 0; i < 32; i += 2) {
    const gap = f64x2.sub(v128.load(scoreAt + (i << 3)), limits);
    const norm = v128.load(normAt + (i << 3));
    const residual = f64x2.promote_low_f32x4(v128.load_zero<u64>(residualAt + (i << 2)));
    const score = divided
      ? f64x2.mul(f64x2.add(gap, perNorms), norm)
      : f64x2.add(gap, f64x2.mul(perNorms, norm));
    const reach = f64x2.add(score, f64x2.mul(perResiduals, residual));
    below |= <u32>i64x2.bitmask(f64x2.lt(reach, zero)) << i;
  }
  return ~below;
}
