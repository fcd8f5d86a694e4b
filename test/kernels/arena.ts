import type { Kernels } from '../../src/kernels/load.js';
import { compileKernels, instantiateKernels } from '../../src/kernels/load.js';

const PAGE = 65536;
const GUARD = 64;
const CANARY = 0xa5;

type Typed = Float64Array | Float32Array | Uint32Array | Uint16Array | Uint8Array;
type TypedClass<T extends Typed> = {
  new (buffer: ArrayBufferLike, at: number, length: number): T;
  BYTES_PER_ELEMENT: number;
};

const module = compileKernels();

/**
 * A bump allocator for tests. It starts just below 2 GiB, so that arrays lie on both sides of the sign bit
 * of an address, and leaves canary bytes between arrays.
 */
export class Arena {
  readonly kernels: Kernels;
  readonly #buffer: ArrayBufferLike;
  readonly #start: number;
  #next: number;
  #before = new Uint8Array(0);

  constructor(bytes = 8 * PAGE, start = 2 ** 31 - PAGE) {
    const memory = new WebAssembly.Memory({
      initial: Math.ceil((start + bytes) / PAGE),
      maximum: 65536,
      shared: true,
    });
    this.kernels = { exports: instantiateKernels(module, memory), memory };
    this.#buffer = memory.buffer;
    this.#start = start;
    this.#next = start;
    this.reset();
  }

  /** Forgets all arrays. */
  reset(): void {
    new Uint8Array(this.#buffer, this.#start).fill(CANARY);
    this.#next = this.#start + GUARD;
  }

  /** Room for `length` elements, zeroed; the address. */
  room<T extends Typed>(type: TypedClass<T>, length: number): number {
    const at = this.#next;
    const bytes = length * type.BYTES_PER_ELEMENT;
    new Uint8Array(this.#buffer, at, bytes).fill(0);
    this.#next = Math.ceil((at + bytes + GUARD) / 64) * 64;
    return at;
  }

  put<T extends Typed>(type: TypedClass<T>, values: ArrayLike<number>): number {
    const at = this.room(type, values.length);
    this.view(type, at, values.length).set(values);
    return at;
  }

  view<T extends Typed>(type: TypedClass<T>, at: number, length: number): T {
    return new type(this.#buffer, at, length);
  }

  f64 = (values: ArrayLike<number>) => this.put(Float64Array, values);
  f32 = (values: ArrayLike<number>) => this.put(Float32Array, values);
  u32 = (values: ArrayLike<number>) => this.put(Uint32Array, values);
  u16 = (values: ArrayLike<number>) => this.put(Uint16Array, values);
  bytes = (values: ArrayLike<number>) => this.put(Uint8Array, values);

  /** A bitmap with the given rows set; the rows beyond are 0. */
  bitmap(rows: number, isVisible: (row: number) => boolean): number {
    const words = new Uint32Array(Math.ceil(rows / 32));
    for (let row = 0; row < rows; row++) if (isVisible(row)) words[row >>> 5]! |= 1 << (row & 31);
    return this.u32(words);
  }

  /** Remembers every byte, for changedOutside. */
  mark(): void {
    this.#before = new Uint8Array(this.#buffer, this.#start).slice();
  }

  /** Addresses of bytes that changed since `mark` although they are in none of the [address, bytes] ranges. */
  changedOutside(ranges: [at: number, bytes: number][]): number[] {
    const now = new Uint8Array(this.#buffer, this.#start);
    const changed: number[] = [];
    for (let i = 0; i < now.length; i++) {
      const at = this.#start + i;
      if (now[i] !== this.#before[i] && !ranges.some(([from, bytes]) => at >= from && at < from + bytes))
        changed.push(at);
    }
    return changed;
  }
}

/** Whole numbers below `limit`, the same for the same seed (mulberry32). */
export function randoms(seed: number): (limit: number) => number {
  let state = seed >>> 0;
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let x = Math.imul(state ^ (state >>> 15), state | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return (((x ^ (x >>> 14)) >>> 0) / 2 ** 32) * limit;
  };
}

/** Unsigned LEB128 deltas of an ascending list, the first from 0. */
export function encodePositions(positions: readonly number[]): number[] {
  let last = 0;
  return positions.flatMap((position) => {
    const delta = position - last;
    last = position;
    return varint(delta);
  });
}

export function varint(value: number): number[] {
  const bytes: number[] = [];
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) + 128);
  bytes.push(value);
  return bytes;
}
