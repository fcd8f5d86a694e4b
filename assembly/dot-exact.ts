/**
 * out[i] = sum over d, in order, of f64(query[d]) * f64(row[d]), for the rows listed at listAt.
 * queryAt: f32[dimension]; rowsAt: f32[rows][width]; listAt: u32[count]; outAt: f64[count], written.
 * Four rows at a time, one lane each, since the order within a row is the contract. A list that is no
 * multiple of four ends with its last row repeated.
 */
export function dotExact(
  queryAt: usize,
  rowsAt: usize,
  width: u32,
  dimension: u32,
  listAt: usize,
  count: u32,
  outAt: usize,
): void {
  const bytes = width << 2;
  const end = dimension << 2;
  for (let i: u32 = 0; i < count; i += 4) {
    const last = count - 1 - i;
    const r0 = rowsAt + load<u32>(listAt) * bytes;
    const r1 = rowsAt + load<u32>(listAt + (min(1, last) << 2)) * bytes;
    const r2 = rowsAt + load<u32>(listAt + (min(2, last) << 2)) * bytes;
    const r3 = rowsAt + load<u32>(listAt + (min(3, last) << 2)) * bytes;
    let s01 = f64x2.splat(0);
    let s23 = f64x2.splat(0);
    let d: u32 = 0;
    for (; end - d >= 16; d += 16) {
      const q = v128.load(queryAt + d);
      const low = f64x2.promote_low_f32x4(q);
      const high = promoteHigh(q);
      s01 = addProducts(s01, low, high, v128.load(r0 + d), v128.load(r1 + d));
      s23 = addProducts(s23, low, high, v128.load(r2 + d), v128.load(r3 + d));
    }
    for (; d != end; d += 4) {
      const q = f64x2.splat(load<f32>(queryAt + d));
      s01 = f64x2.add(s01, f64x2.mul(q, pairOf(load<f32>(r0 + d), load<f32>(r1 + d))));
      s23 = f64x2.add(s23, f64x2.mul(q, pairOf(load<f32>(r2 + d), load<f32>(r3 + d))));
    }
    v128.store_lane<f64>(outAt, s01, 0);
    if (last > 0) v128.store_lane<f64>(outAt, s01, 1, 8);
    if (last > 1) v128.store_lane<f64>(outAt, s23, 0, 16);
    if (last > 2) v128.store_lane<f64>(outAt, s23, 1, 24);
    listAt += 16;
    outAt += 32;
  }
}

// @ts-ignore: decorator
@inline
function promoteHigh(v: v128): v128 {
  return f64x2.promote_low_f32x4(v128.shuffle<f32>(v, v, 2, 3, 2, 3));
}

// @ts-ignore: decorator
@inline
function pairOf(a: f64, b: f64): v128 {
  return f64x2.replace_lane(f64x2.splat(a), 1, b);
}

/** sum + the products of four dimensions, one after another; lane 0 is row a, lane 1 row b. */
// @ts-ignore: decorator
@inline
function addProducts(sum: v128, low: v128, high: v128, a: v128, b: v128): v128 {
  const a01 = f64x2.mul(low, f64x2.promote_low_f32x4(a));
  const b01 = f64x2.mul(low, f64x2.promote_low_f32x4(b));
  const a23 = f64x2.mul(high, promoteHigh(a));
  const b23 = f64x2.mul(high, promoteHigh(b));
  sum = f64x2.add(sum, v128.shuffle<f64>(a01, b01, 0, 2));
  sum = f64x2.add(sum, v128.shuffle<f64>(a01, b01, 1, 3));
  sum = f64x2.add(sum, v128.shuffle<f64>(a23, b23, 0, 2));
  return f64x2.add(sum, v128.shuffle<f64>(a23, b23, 1, 3));
}
