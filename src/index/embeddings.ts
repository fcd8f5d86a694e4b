import type { RecordBatch } from 'apache-arrow';
import { CorankError, quote } from '../errors.js';
import type { VectorForm } from '../types.js';
import { batchOf, type Column, checkedOffset, f32, f64, fixedList, u16, u32 } from './columns.js';
import { GrowableF32, GrowableU32 } from './growable.js';
import { compareIds } from './id-order.js';
import { quantizeRow } from './quantize.js';

/** Rows of a matrix are padded with zeros to whole cache lines of 16 floats. */
export const paddedWidth = (dimension: number): number => Math.ceil(dimension / 16) * 16;

export interface FinishedVectors {
  /** The tables `embeddings` and, unless the form is f32, `quantized`. */
  table: RecordBatch;
  quantized?: RecordBatch;
  form: VectorForm;
  rows: number;
  dimension: number;
  width: number;
  model: string;
  models: string[];
  /** A vector as it was given, by its place in the tables. */
  vectorOf: (place: number) => Float32Array;
}

/** Collects vectors of one dimension, from one or several models. Rows are stored as given, unnormalised. */
export class EmbeddingsBuilder {
  private readonly vectors = new GrowableF32();
  private readonly inputs = new GrowableU32();
  private readonly modelOf = new GrowableU32();
  private readonly models = new Map<string, number>();
  private dimension: number | undefined;
  private readonly declared: string | undefined;
  private readonly form: VectorForm;

  /** `model` and `dimension` as declared: an index without a single vector still knows them. */
  constructor(dimension: number | undefined, model: string | undefined, form: VectorForm) {
    this.dimension = dimension;
    this.form = form;
    this.declared = model;
    if (model !== undefined) this.models.set(model, 0);
  }

  /** Says how long vectors are before there is one. */
  declare(dimension: number): void {
    this.dimension = dimension;
  }

  /** `input` is the node's place in the input; inputs must come ascending. */
  add(input: number, id: string, vector: ArrayLike<number>, model: string): void {
    this.dimension ??= vector.length;
    if (vector.length !== this.dimension || vector.length === 0) {
      throw new CorankError(
        'DIMENSION_MISMATCH',
        `the embedding of ${quote(id)} has ${vector.length} numbers, this index has ${this.dimension}`,
        { place: { id } },
      );
    }
    for (let d = 0; d < vector.length; d++) {
      if (!Number.isFinite(Math.fround(vector[d]!))) {
        throw new CorankError(
          'INVALID_INPUT',
          `the embedding of ${quote(id)} holds ${vector[d]} at position ${d}: numbers must be finite as float32`,
          { place: { id } },
        );
      }
    }
    let code = this.models.get(model);
    if (code === undefined) {
      code = this.models.size;
      this.models.set(model, code);
    }
    this.vectors.pushAll(vector);
    this.inputs.push(input);
    this.modelOf.push(code);
  }

  /** Adds a vector of the declared model. */
  addOwn(input: number, id: string, vector: ArrayLike<number>): void {
    this.add(input, id, vector, this.declaredModel());
  }

  /** `rowOf[input]` is the row of that input. Undefined when neither declared nor given. */
  finish(rowOf: Uint32Array): FinishedVectors | undefined {
    const dimension = this.dimension;
    if (dimension === undefined) return undefined;
    const model = this.declaredModel();
    const width = paddedWidth(dimension);
    const count = this.inputs.length;
    const form = this.form;
    const models = [...this.models.keys()].sort(compareIds);
    const places = [...this.models.keys()].map((model) => models.indexOf(model));
    const byRow = Uint32Array.from({ length: count }, (_, i) => i).sort(
      (a, b) => rowOf[this.inputs.get(a)]! - rowOf[this.inputs.get(b)]!,
    );
    const source = this.vectors.view();
    const vectorOf = (row: number): Float32Array =>
      source.subarray(byRow[row]! * dimension, (byRow[row]! + 1) * dimension);
    const table = batchOf(
      [
        u32(
          'row',
          Uint32Array.from(byRow, (i) => rowOf[this.inputs.get(i)]!),
        ),
        u16(
          'model',
          Uint16Array.from(byRow, (i) => places[this.modelOf.get(i)]!),
        ),
        f64(
          'norm',
          Float64Array.from(byRow, (_, row) => norm(vectorOf(row))),
        ),
        ...(form === 'int8-only' ? [] : [vectorColumn(count, width, vectorOf)]),
      ],
      count,
    );
    const quantized = form === 'f32' ? {} : { quantized: quantizedTable(count, width, vectorOf) };
    return { table, ...quantized, form, rows: count, dimension, width, model, models, vectorOf };
  }

  /** Named, or the only one there is: which model a query has by default must not depend on single rows. */
  private declaredModel(): string {
    const [first, ...others] = this.models.keys();
    if (this.declared !== undefined) return this.declared;
    if (first !== undefined && others.length === 0) return first;
    throw new CorankError(
      'INVALID_INPUT',
      `vectors of ${this.models.size} models (${[...this.models.keys()].map(quote).join(', ')}): ` +
        'name the one that queries have by default (embeddingModel, --embedding-model)',
    );
  }
}

function vectorColumn(count: number, width: number, vectorOf: (row: number) => Float32Array): Column {
  checkedOffset(count * width * 4, 'embeddings.vector');
  const values = new Float32Array(count * width);
  for (let row = 0; row < count; row++) values.set(vectorOf(row), row * width);
  return fixedList('vector', width, values);
}

function quantizedTable(count: number, width: number, vectorOf: (row: number) => Float32Array): RecordBatch {
  checkedOffset(count * width, 'quantized.value');
  const values = new Int8Array(count * width);
  const scales = new Float32Array(count);
  const residuals = new Float32Array(count);
  for (let row = 0; row < count; row++) {
    const { scale, residual } = quantizeRow(vectorOf(row), values.subarray(row * width, (row + 1) * width));
    scales[row] = scale;
    residuals[row] = residual;
  }
  const columns = [f32('scale', scales), f32('residual', residuals), fixedList('value', width, values)];
  return batchOf(columns, count);
}

/** Euclidean length, summed in f64 in the order of the dimensions. */
export function norm(vector: ArrayLike<number>): number {
  let sum = 0;
  for (let d = 0; d < vector.length; d++) sum += vector[d]! * vector[d]!;
  return Math.sqrt(sum);
}
