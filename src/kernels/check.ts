// What the bindings refuse before a kernel, which checks nothing, would write over its neighbours.
// `limit` is the length of the memory in bytes.

/** A whole number from 0 to 2^32 - 1. */
export function checkCount(name: string, count: number): void {
  if (!(count >= 0 && count <= 0xffffffff && Number.isInteger(count))) {
    throw new RangeError(`${name} is ${count}: expected a whole number >= 0`);
  }
}

/** `count` elements of `width` bytes at an address that is a multiple of the width. */
export function checkRange(limit: number, name: string, at: number, count: number, width: number): void {
  if (!(at >= 0 && at % width === 0)) {
    throw new RangeError(`${name} is ${at}: expected an address that is a multiple of ${width}`);
  }
  if (!(at + count * width <= limit)) {
    throw new RangeError(`${name}: ${count} x ${width} bytes at ${at} leave the memory of ${limit} bytes`);
  }
}

/** The same for an array that may be absent (address 0). */
export function checkOptional(limit: number, name: string, at: number, count: number, width: number): void {
  if (at !== 0) checkRange(limit, name, at, count, width);
}

/** A bitmap for rows 0 .. rows - 1, in u32 words; 0 for all rows. */
export function checkBitmap(limit: number, at: number, rows: number): void {
  if (at !== 0) checkRange(limit, 'bitmapAt', at, Math.ceil(rows / 32), 4);
}
