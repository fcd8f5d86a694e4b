/**
 * Typed arrays that grow by doubling while an index is built. `view()` is valid until the next push.
 * What lies behind `length` is zero unless `clear` was used.
 */
abstract class Growable<T extends Uint8Array | Uint32Array | Float32Array | Float64Array> {
  protected data: T;
  length = 0;

  constructor(data: T) {
    this.data = data;
  }

  protected abstract allocate(length: number): T;

  protected reserve(extra: number): void {
    const needed = this.length + extra;
    if (needed <= this.data.length) return;
    const larger = this.allocate(Math.max(needed, this.data.length * 2));
    larger.set(this.data.subarray(0, this.length));
    this.data = larger;
  }

  push(value: number): void {
    if (this.length === this.data.length) this.reserve(1);
    this.data[this.length++] = value;
  }

  get(index: number): number {
    return this.data[index]!;
  }

  set(index: number, value: number): void {
    this.data[index] = value;
  }

  /** Lengthens with zeros; never shortens. */
  extendTo(length: number): void {
    if (length <= this.length) return;
    this.reserve(length - this.length);
    this.length = length;
  }

  clear(): void {
    this.length = 0;
  }

  view(): T {
    return this.data.subarray(0, this.length) as T;
  }
}

export class GrowableU32 extends Growable<Uint32Array> {
  constructor() {
    super(new Uint32Array(1024));
  }
  protected allocate(length: number): Uint32Array {
    return new Uint32Array(length);
  }
}

export class GrowableF64 extends Growable<Float64Array> {
  constructor() {
    super(new Float64Array(1024));
  }
  protected allocate(length: number): Float64Array {
    return new Float64Array(length);
  }
}

export class GrowableF32 extends Growable<Float32Array> {
  constructor() {
    super(new Float32Array(1024));
  }
  protected allocate(length: number): Float32Array {
    return new Float32Array(length);
  }
  pushAll(values: ArrayLike<number>): void {
    this.reserve(values.length);
    this.data.set(values, this.length);
    this.length += values.length;
  }
}

const encoder = new TextEncoder();

export class GrowableBytes extends Growable<Uint8Array> {
  constructor() {
    super(new Uint8Array(4096));
  }
  protected allocate(length: number): Uint8Array {
    return new Uint8Array(length);
  }

  /** Appends the UTF-8 bytes of a well-formed string. */
  pushText(text: string): void {
    this.reserve(text.length * 3);
    this.length += encoder.encodeInto(text, this.data.subarray(this.length)).written;
  }

  /** Appends an unsigned LEB128: seven bits a byte, lowest first, the high bit set on all but the last. */
  pushVarint(value: number): void {
    this.reserve(5);
    let rest = value;
    while (rest >= 0x80) {
      this.data[this.length++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.data[this.length++] = rest;
  }
}
