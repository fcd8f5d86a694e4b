import type { TextAt } from './directory.js';

/** Values of up to so many bytes are copied to one place; making room for each takes longer. */
const SHORT = 64;
const short = Buffer.alloc(SHORT);

/**
 * A column of strings in the shared memory. Bytes are copied out before they are decoded, because some
 * runtimes refuse to decode shared memory.
 */
export class TextView {
  readonly rows: number;
  private readonly offsets: Int32Array;
  readonly bytes: Uint8Array;
  private readonly validity: Uint8Array | undefined;

  constructor(memory: WebAssembly.Memory, at: TextAt) {
    this.rows = at.rows;
    this.offsets = new Int32Array(memory.buffer, at.offsets, at.rows === 0 ? 0 : at.rows + 1);
    this.bytes = new Uint8Array(memory.buffer, at.bytes);
    this.validity =
      at.validity === 0 ? undefined : new Uint8Array(memory.buffer, at.validity, (at.rows + 7) >> 3);
  }

  has(row: number): boolean {
    return this.validity === undefined || (this.validity[row >> 3]! & (1 << (row & 7))) !== 0;
  }

  /** Where the row's bytes start in `bytes`; they end at `end(row)`. An absent value has none. */
  start(row: number): number {
    return this.offsets[row]!;
  }

  end(row: number): number {
    return this.offsets[row + 1]!;
  }

  get(row: number): string | undefined {
    if (!this.has(row)) return undefined;
    const [start, end] = [this.offsets[row]!, this.offsets[row + 1]!];
    const length = end - start;
    if (length > SHORT) return Buffer.from(this.bytes.subarray(start, end)).toString('utf8');
    let bits = 0;
    for (let i = 0; i < length; i++) bits |= short[i] = this.bytes[start + i]!;
    return short.toString(bits < 0x80 ? 'latin1' : 'utf8', 0, length);
  }

  /** Row of `text` in a column that is ascending by bytes, or -1. */
  find(text: string): number {
    const wanted = Buffer.from(text, 'utf8');
    let low = 0;
    let high = this.rows - 1;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const order = this.compare(middle, wanted);
      if (order === 0) return middle;
      if (order < 0) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }

  /** Byte order of the row's text against `wanted`: negative, 0 or positive. */
  compare(row: number, wanted: Uint8Array): number {
    const start = this.offsets[row]!;
    const length = this.offsets[row + 1]! - start;
    const common = Math.min(length, wanted.length);
    for (let i = 0; i < common; i++) {
      const difference = this.bytes[start + i]! - wanted[i]!;
      if (difference !== 0) return difference;
    }
    return length - wanted.length;
  }

  /** Byte order of two rows' texts: negative, 0 or positive. What is absent comes first, as an empty text does. */
  order(a: number, b: number): number {
    const { bytes, offsets } = this;
    const [startA, startB] = [offsets[a]!, offsets[b]!];
    const [lengthA, lengthB] = [offsets[a + 1]! - startA, offsets[b + 1]! - startB];
    const common = Math.min(lengthA, lengthB);
    for (let i = 0; i < common; i++) {
      const difference = bytes[startA + i]! - bytes[startB + i]!;
      if (difference !== 0) return difference;
    }
    return lengthA - lengthB;
  }

  equals(row: number, wanted: Uint8Array): boolean {
    const start = this.offsets[row]!;
    if (this.offsets[row + 1]! - start !== wanted.length) return false;
    for (let i = 0; i < wanted.length; i++) if (this.bytes[start + i] !== wanted[i]) return false;
    return true;
  }
}
