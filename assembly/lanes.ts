// Inline helpers shared by the kernels. Addresses are unsigned and may reach the end of a 4 GiB memory,
// so loops compare them for equality or count elements; they never order two addresses.

/** Whether the row's bit is set. `bitmapAt` must not be 0 here. */
// @ts-ignore: decorator
@inline
export function isVisible(bitmapAt: usize, row: u32): bool {
  return <bool>visibleBit(bitmapAt, row);
}

/** The row's bit, 0 or 1, for branch-free sums. */
// @ts-ignore: decorator
@inline
export function visibleBit(bitmapAt: usize, row: u32): u32 {
  return (load<u32>(bitmapAt + ((row >> 5) << 2)) >> (row & 31)) & 1;
}

/** The bits of rows [row, end) that lie in row's bitmap word, all set; bit 0 is row & ~31. */
// @ts-ignore: decorator
@inline
export function rangeMask(row: u32, end: u32): u32 {
  const first = row & ~31;
  const upper: u32 = end - first < 32 ? (1 << (end - first)) - 1 : 0xffffffff;
  return upper & (0xffffffff << (row & 31));
}

/** The same bits, only those of visible rows; address 0 means that all rows are. */
// @ts-ignore: decorator
@inline
export function visibleMask(bitmapAt: usize, row: u32, end: u32): u32 {
  const range = rangeMask(row, end);
  return bitmapAt == 0 ? range : range & load<u32>(bitmapAt + ((row >> 5) << 2));
}

/** Two f64 that lie apart, as lanes 0 and 1. */
// @ts-ignore: decorator
@inline
export function gather2(firstAt: usize, secondAt: usize): v128 {
  return v128.load_lane<f64>(secondAt, v128.load_zero<f64>(firstAt), 1);
}

/** Sum of the four f32 lanes: (0 + 2) + (1 + 3). */
// @ts-ignore: decorator
@inline
export function sumLanes(v: v128): f32 {
  const pairs = f32x4.add(v, v128.shuffle<f32>(v, v, 2, 3, 0, 1));
  return f32x4.extract_lane(pairs, 0) + f32x4.extract_lane(pairs, 1);
}

/** One unsigned LEB128: the value in the low 32 bits, the address after it in the high 32. */
// @ts-ignore: decorator
@inline
export function readVarint(at: usize): u64 {
  let byte = <u32>load<u8>(at++);
  let value = byte & 0x7f;
  for (let shift: u32 = 7; byte > 0x7f; shift += 7) {
    byte = <u32>load<u8>(at++);
    value |= (byte & 0x7f) << shift;
  }
  return (<u64>at << 32) | <u64>value;
}

// @ts-ignore: decorator
@inline
export function varintValue(read: u64): u32 {
  return <u32>read;
}

// @ts-ignore: decorator
@inline
export function varintEnd(read: u64): usize {
  return <usize>(read >> 32);
}
