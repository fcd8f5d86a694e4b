import type { Data, DataType, RecordBatch } from 'apache-arrow';
import { Type } from 'apache-arrow';
import { CorankError } from '../errors.js';
import type { TableName } from '../index/schema.js';
import type { ColumnAt, TextAt } from './directory.js';
import type { LoadedTables } from './load.js';

/**
 * Finds the buffers of a table's columns and checks their form: type, length, and that they lie in the
 * shared memory rather than in a copy. What the numbers mean is checked in directory-of.ts.
 */
export class ArrowColumns {
  private readonly table: TableName;
  private readonly batch: RecordBatch;
  private readonly memory: WebAssembly.Memory;

  constructor(table: TableName, batch: RecordBatch, memory: WebAssembly.Memory) {
    this.table = table;
    this.batch = batch;
    this.memory = memory;
  }

  get rows(): number {
    return this.batch.numRows;
  }

  has(name: string): boolean {
    return this.batch.schema.fields.some((field) => field.name === name);
  }

  fail(name: string, what: string): CorankError {
    return new CorankError('CORRUPT_INDEX', `table ${this.table}, column ${name}: ${what}`);
  }

  numbers<T extends Uint8Array | Uint16Array | Uint32Array | Float32Array | Float64Array>(
    name: string,
    type: { new (...args: never[]): T },
  ): T {
    return this.values(name, this.data(name), type, this.rows);
  }

  /** Validity bitmap of a nullable column, or undefined when every row has a value. */
  validity(name: string): Uint8Array | undefined {
    const data = this.data(name);
    return data.nullCount === 0 ? undefined : this.inMemory(name, data.nullBitmap!);
  }

  text(name: string): TextAt {
    return this.textOf(name, this.data(name));
  }

  private textOf(name: string, data: Data): TextAt {
    if (data.typeId !== Type.Utf8) throw this.fail(name, `type is ${data.type}, expected utf8`);
    const { offsets, bytes } = this.cut(name, data);
    const validity = data.nullCount === 0 ? 0 : this.inMemory(name, data.nullBitmap!).byteOffset;
    return { rows: data.length, offsets: offsets.byteOffset, bytes: bytes.byteOffset, validity };
  }

  /** i32 offsets and bytes of a binary column. */
  binary(name: string): { offsets: Int32Array; bytes: Uint8Array } {
    return this.cut(name, this.data(name));
  }

  /** Offsets of a list column (one bound more than rows) and its values. */
  list<T extends Uint16Array | Uint32Array | Float64Array>(
    name: string,
    type: { new (...args: never[]): T },
  ): { starts: Int32Array; values: T } {
    const data = this.data(name);
    const child = data.children[0];
    if (data.typeId !== Type.List || child === undefined)
      throw this.fail(name, `type is ${data.type}, expected list`);
    const starts = this.offsets(name, data, child.length);
    return { starts, values: this.values(name, child, type, child.length) };
  }

  binaryList(name: string): { starts: Int32Array; offsets: Int32Array; bytes: Uint8Array } {
    const data = this.data(name);
    const child = data.children[0];
    if (data.typeId !== Type.List || child === undefined)
      throw this.fail(name, `type is ${data.type}, expected list`);
    return { starts: this.offsets(name, data, child.length), ...this.cut(name, child) };
  }

  fixedList<T extends Int8Array | Float32Array>(
    name: string,
    type: { new (...args: never[]): T },
    width: number,
  ): T {
    const data = this.data(name);
    const child = data.children[0];
    if (data.typeId !== Type.FixedSizeList || child === undefined)
      throw this.fail(name, `type is ${data.type}`);
    return this.values(name, child, type, this.rows * width);
  }

  private data(name: string): Data {
    const index = this.batch.schema.fields.findIndex((field) => field.name === name);
    if (index < 0) throw this.fail(name, 'is missing');
    const data = this.batch.data.children[index] as Data<DataType>;
    if (data.length !== this.rows) throw this.fail(name, `has ${data.length} rows, the table ${this.rows}`);
    if (data.nullCount > 0 && data.nullBitmap!.length < Math.ceil(data.length / 8))
      throw this.fail(name, 'its validity is cut');
    if (data.nullCount > 0 && !this.batch.schema.fields[index]!.nullable)
      throw this.fail(name, 'lacks values');
    return data;
  }

  private values<T extends Int8Array | Uint8Array | Uint16Array | Uint32Array | Float32Array | Float64Array>(
    name: string,
    data: Data,
    type: { new (...args: never[]): T },
    length: number,
  ): T {
    const values = data.values as T;
    if (!(values instanceof type) || values.length < length) {
      throw this.fail(name, `expected ${length} values of ${type.name}`);
    }
    return this.inMemory(name, values.subarray(0, length) as T);
  }

  private cut(name: string, data: Data): { offsets: Int32Array; bytes: Uint8Array } {
    if (data.typeId !== Type.Utf8 && data.typeId !== Type.Binary)
      throw this.fail(name, `type is ${data.type}`);
    const bytes = data.values as Uint8Array;
    return { offsets: this.offsets(name, data, bytes.length), bytes: this.inMemory(name, bytes) };
  }

  /** Offsets ascend from 0 and stay within what they cut. */
  private offsets(name: string, data: Data, limit: number): Int32Array {
    if (data.length === 0) return new Int32Array(1);
    if (!(data.valueOffsets instanceof Int32Array)) throw this.fail(name, `type is ${data.type}`);
    const offsets = this.inMemory(name, data.valueOffsets as Int32Array).subarray(0, data.length + 1);
    if (offsets.length !== data.length + 1 || offsets[0] !== 0)
      throw this.fail(name, 'its offsets do not start at 0');
    for (let row = 0; row < data.length; row++) {
      if (offsets[row + 1]! < offsets[row]!) throw this.fail(name, `its offsets fall at row ${row}`);
    }
    if (offsets[data.length]! > limit) throw this.fail(name, 'its offsets reach past the end');
    return offsets;
  }

  private inMemory<T extends ArrayBufferView & { length: number }>(name: string, view: T): T {
    if (view.length > 0 && (view.buffer as unknown) !== this.memory.buffer) {
      throw this.fail(name, 'is not aligned as corank writes it');
    }
    return view;
  }
}

/** The columns of one table of a loaded index; CORRUPT_INDEX when it has no such table. */
export function columns(loaded: LoadedTables, name: TableName): ArrowColumns {
  const batch = loaded.tables.get(name);
  if (batch === undefined) throw new CorankError('CORRUPT_INDEX', `the manifest lists no table ${name}`);
  return new ArrowColumns(name, batch, loaded.memory);
}

export const columnAt = (values: { byteOffset: number; length: number }): ColumnAt => ({
  at: values.byteOffset,
  length: values.length,
});
