import { visibleMask } from './lanes';

/** scores[row] /= norms[row] in f64, one rounding to f32; 0 where the norm is 0. See KernelExports.overNorms. */
export function overNorms(scoresAt: usize, normsAt: usize, count: u32, bitmapAt: usize): void {
  const zero = f64x2.splat(0);
  for (let block: u32 = 0; block < count; block += 32) {
    if (visibleMask(bitmapAt, block, count) == 0) continue;
    const end = block + 32 < count ? block + 32 : count;
    let row = block;
    for (; row + 2 <= end; row += 2) {
      const scoreAt = scoresAt + (row << 2);
      const norms = v128.load(normsAt + (row << 3));
      const quotients = f64x2.div(f64x2.promote_low_f32x4(v128.load_zero<f64>(scoreAt)), norms);
      const divided = f32x4.demote_f64x2_zero(v128.andnot(quotients, f64x2.eq(norms, zero)));
      v128.store_lane<f64>(scoreAt, divided, 0);
    }
    if (row == end) continue;
    const norm = load<f64>(normsAt + (row << 3));
    const last = scoresAt + (row << 2);
    store<f32>(last, norm == 0 ? 0 : <f32>(<f64>load<f32>(last) / norm));
  }
}
