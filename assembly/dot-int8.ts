import { visibleMask } from './lanes';

// A block of 32 rows (one bitmap word) with more visible rows than this is scored whole: gaps upset the prefetcher.
// @ts-ignore: decorator
@inline
const SPARSE_BLOCK: u32 = 8;

/**
 * out[row] = sum over d of query[d] * row[d], times the row's scale and the query's; over the product of the
 * norms when there are norms, then 0 where the row's is 0. For rows [0, count): see KernelExports.dotScanInt8.
 * queryAt: i16[width]; rowsAt: i8[count][width]; width: a multiple of 16, zero padded; scalesAt: f32[count];
 * normsAt: f64[count] or 0; bitmapAt: u32 words or 0; outAt: f64[count], written for visible rows at least.
 */
export function dotScanInt8(
  queryAt: usize,
  rowsAt: usize,
  width: u32,
  count: u32,
  bitmapAt: usize,
  scalesAt: usize,
  queryScale: f64,
  normsAt: usize,
  queryNorm: f64,
  outAt: usize,
): void {
  for (let base: u32 = 0; base < count; base += 32) {
    let mask = visibleMask(bitmapAt, base, count);
    if (popcnt(mask) > SPARSE_BLOCK) {
      const end = min(base + 32, count);
      for (let row = base; row < end; row++) {
        const sum = dotRow(queryAt, rowsAt + row * width, width);
        store<f64>(outAt + (row << 3), scaled(sum, row, scalesAt, queryScale, normsAt, queryNorm));
      }
      continue;
    }
    for (; mask != 0; mask &= mask - 1) {
      const row = base + ctz(mask);
      const sum = dotRow(queryAt, rowsAt + row * width, width);
      store<f64>(outAt + (row << 3), scaled(sum, row, scalesAt, queryScale, normsAt, queryNorm));
    }
  }
}

/** Exact: the callers keep 127 * (sum of the query's levels) below 2^31. */
// @ts-ignore: decorator
@inline
function dotRow(queryAt: usize, rowAt: usize, width: u32): i32 {
  let a = i32x4.splat(0);
  let b = a;
  const end = queryAt + (width << 1);
  for (; queryAt != end; queryAt += 32) {
    const x = v128.load(rowAt);
    a = i32x4.add(a, i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_s(x), v128.load(queryAt)));
    b = i32x4.add(b, i32x4.dot_i16x8_s(i16x8.extend_high_i8x16_s(x), v128.load(queryAt, 16)));
    rowAt += 16;
  }
  a = i32x4.add(a, b);
  a = i32x4.add(a, v128.shuffle<i32>(a, a, 2, 3, 0, 1));
  return i32x4.extract_lane(a, 0) + i32x4.extract_lane(a, 1);
}

// @ts-ignore: decorator
@inline
function scaled(
  sum: i32,
  row: u32,
  scalesAt: usize,
  queryScale: f64,
  normsAt: usize,
  queryNorm: f64,
): f64 {
  const product = <f64>sum * (<f64>load<f32>(scalesAt + (row << 2)) * queryScale);
  if (normsAt == 0) return product;
  const norm = load<f64>(normsAt + (row << 3));
  return norm == 0 ? 0 : product / (queryNorm * norm);
}
