/**
 * Bitmaps over rows: bit (row & 31) of word (row >> 5), as the kernels read them. Bits behind the last row
 * are always 0, so that words can be counted whole.
 */
export const bitmapWords = (rows: number): number => Math.ceil(rows / 32);

export const isSet = (words: Uint32Array, row: number): boolean =>
  (words[row >>> 5]! & (1 << (row & 31))) !== 0;

export function setBit(words: Uint32Array, row: number): void {
  words[row >>> 5]! |= 1 << (row & 31);
}

/** All rows set. */
export function fillBitmap(words: Uint32Array, rows: number): void {
  words.fill(0xffffffff);
  const rest = rows & 31;
  if (rest !== 0) words[words.length - 1] = (1 << rest) - 1;
}

export function countBits(words: Uint32Array): number {
  let count = 0;
  for (const word of words) {
    let v = word - ((word >>> 1) & 0x55555555);
    v = (v & 0x33333333) + ((v >>> 2) & 0x33333333);
    count += (((v + (v >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
  }
  return count;
}
