import {
  Binary,
  type Data,
  type DataType,
  Field,
  FixedSizeList,
  Float32,
  Float64,
  Int8,
  List,
  makeData,
  RecordBatch,
  Schema,
  Struct,
  Uint8,
  Uint16,
  Uint32,
  Utf8,
} from 'apache-arrow';
import { CorankError } from '../errors.js';
import { GrowableBytes, GrowableU32 } from './growable.js';

/** Arrow columns made from finished buffers, without copying them. */
export interface Column {
  field: Field;
  data: Data;
}

/** Arrow's offsets are signed 32-bit: a column of more bytes or items cannot be written. */
const MAX_OFFSET = 0x7fffffff;

const column = (name: string, type: DataType, data: Data, nullable = false): Column => ({
  field: new Field(name, type, nullable),
  data,
});

/** A validity bitmap (Arrow: bit set = value present) with its count of nulls. */
export interface Validity {
  bitmap: Uint8Array;
  nulls: number;
}

const nulls = (validity: Validity | undefined) =>
  validity === undefined || validity.nulls === 0
    ? { nullCount: 0 }
    : { nullCount: validity.nulls, nullBitmap: validity.bitmap };

export const u8 = (name: string, values: Uint8Array, validity?: Validity): Column =>
  column(
    name,
    new Uint8(),
    makeData({ type: new Uint8(), data: values, length: values.length, ...nulls(validity) }),
    validity !== undefined,
  );

export const i8 = (name: string, values: Int8Array): Column =>
  column(name, new Int8(), makeData({ type: new Int8(), data: values, length: values.length }));

export const u16 = (name: string, values: Uint16Array): Column =>
  column(name, new Uint16(), makeData({ type: new Uint16(), data: values, length: values.length }));

export const u32 = (name: string, values: Uint32Array, validity?: Validity): Column =>
  column(
    name,
    new Uint32(),
    makeData({ type: new Uint32(), data: values, length: values.length, ...nulls(validity) }),
    validity !== undefined,
  );

export const f32 = (name: string, values: Float32Array): Column =>
  column(name, new Float32(), makeData({ type: new Float32(), data: values, length: values.length }));

export const f64 = (name: string, values: Float64Array, validity?: Validity): Column =>
  column(
    name,
    new Float64(),
    makeData({ type: new Float64(), data: values, length: values.length, ...nulls(validity) }),
    validity !== undefined,
  );

export const utf8 = (name: string, offsets: Int32Array, bytes: Uint8Array, validity?: Validity): Column =>
  column(
    name,
    new Utf8(),
    makeData({
      type: new Utf8(),
      valueOffsets: offsets,
      data: bytes,
      length: offsets.length - 1,
      ...nulls(validity),
    }),
    validity !== undefined,
  );

export const binary = (name: string, offsets: Int32Array, bytes: Uint8Array): Column =>
  column(
    name,
    new Binary(),
    makeData({ type: new Binary(), valueOffsets: offsets, data: bytes, length: offsets.length - 1 }),
  );

/** `offsets` (length rows + 1) cut the child column into one list a row; several lists may share them. */
export function list(name: string, offsets: Int32Array, child: Column): Column {
  const type = new List(child.field);
  return column(
    name,
    type,
    makeData({ type, valueOffsets: offsets, child: child.data, length: offsets.length - 1 }),
  );
}

export function fixedList(name: string, width: number, values: Float32Array | Int8Array): Column {
  const child = values instanceof Int8Array ? i8('item', values) : f32('item', values);
  const type = new FixedSizeList(width, child.field);
  return column(name, type, makeData({ type, child: child.data, length: values.length / width }));
}

/** Strings as a column; undefined is null where `nullable`. */
export function strings(name: string, values: readonly string[]): Column {
  const bytes = new GrowableBytes();
  const offsets = new Int32Array(values.length + 1);
  values.forEach((value, i) => {
    bytes.pushText(value);
    offsets[i + 1] = checkedOffset(bytes.length, name);
  });
  return utf8(name, offsets, bytes.view());
}

export function checkedOffset(value: number, name: string): number {
  if (value > MAX_OFFSET) {
    throw new CorankError(
      'INDEX_TOO_LARGE',
      `column ${name} needs more than 2^31 - 1 bytes or items; split the corpus into several indexes`,
    );
  }
  return value;
}

/** One table of one record batch: the columns share a length. */
export function batchOf(columns: readonly Column[], rows: number): RecordBatch {
  const fields = columns.map((c) => c.field);
  const type = new Struct(fields);
  const data = makeData({ type, length: rows, nullCount: 0, children: columns.map((c) => c.data) });
  return new RecordBatch(new Schema(fields), data);
}

/** Strings collected in input order, some absent, delivered in row order. */
export class TextColumn {
  private readonly bytes = new GrowableBytes();
  private readonly ends = new GrowableU32();
  private readonly present = new GrowableBytes();
  private absent = 0;
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }

  push(value: string | undefined): void {
    if (value === undefined) this.absent++;
    else this.bytes.pushText(value);
    checkedOffset(this.bytes.length, this.name);
    this.ends.push(this.bytes.length);
    this.present.push(value === undefined ? 0 : 1);
  }

  get empty(): boolean {
    return this.absent === this.ends.length;
  }

  /** `order[row]` is the input position of that row. */
  finish(order: Uint32Array): Column {
    const source = this.bytes.view();
    const ends = this.ends.view();
    const present = this.present.view();
    const bytes = new Uint8Array(source.length);
    const offsets = new Int32Array(order.length + 1);
    const bitmap = new Uint8Array((order.length + 7) >> 3);
    let at = 0;
    for (let row = 0; row < order.length; row++) {
      const input = order[row]!;
      const start = input === 0 ? 0 : ends[input - 1]!;
      bytes.set(source.subarray(start, ends[input]!), at);
      at += ends[input]! - start;
      offsets[row + 1] = at;
      if (present[input] === 1) bitmap[row >> 3]! |= 1 << (row & 7);
    }
    return utf8(this.name, offsets, bytes, { bitmap, nulls: this.absent });
  }
}

/** Unsigned 32-bit or 64-bit float values collected in input order, some absent (NaN), delivered in row order. */
export function optionalNumbers(
  name: string,
  kind: 'u32' | 'f64' | 'bool',
  values: Float64Array,
  order: Uint32Array,
): Column {
  const out =
    kind === 'f64'
      ? new Float64Array(order.length)
      : kind === 'u32'
        ? new Uint32Array(order.length)
        : new Uint8Array(order.length);
  const bitmap = new Uint8Array((order.length + 7) >> 3);
  let absent = 0;
  for (let row = 0; row < order.length; row++) {
    const value = values[order[row]!]!;
    if (Number.isNaN(value)) absent++;
    else {
      out[row] = value;
      bitmap[row >> 3]! |= 1 << (row & 7);
    }
  }
  const validity = { bitmap, nulls: absent };
  if (out instanceof Float64Array) return f64(name, out, validity);
  return out instanceof Uint32Array ? u32(name, out, validity) : u8(name, out, validity);
}
