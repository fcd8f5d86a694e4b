import type { RecordBatch } from 'apache-arrow';
import { CorankError, quote } from '../errors.js';
import { batchOf, checkedOffset, fixedList, strings } from './columns.js';
import { paddedWidth } from './embeddings.js';
import type { ForwardIndex } from './forward-index.js';
import { GrowableF64, GrowableU32 } from './growable.js';
import { compareIds } from './id-order.js';
import type { SparseMatrix } from './sparse-matrix.js';
import { rightSingularVectors } from './truncated-svd.js';

/** Which rows a scoped index may learn from, and how long its vectors are. */
export interface LsaOptions {
  /** From 1 to 1,024; default 128. Fewer when the rows do not have as many independent directions. */
  dimension?: number;
  /** In a scoped index: learns only from rows with this tag, which everyone who may ask must be able to read. */
  trainOn?: string;
}

/** Latent semantic analysis as what `buildIndex` embeds with; see `lsa`. */
export interface LsaEmbedding {
  readonly kind: 'lsa';
  readonly dimension: number;
  readonly trainOn: string | undefined;
}

/**
 * What a trained model knows: the terms that it was trained on, ascending by their bytes, and for each a row of
 * `width` numbers (the first `dimension` count) that its weight in a text is multiplied with.
 */
export interface LsaModel {
  dimension: number;
  width: number;
  terms: readonly string[];
  projection: Float32Array;
}

/** A larger corpus is learned from by so many rows, evenly spaced in id order, ... */
const MOST_ROWS = 50_000;
/** ... and by so many terms, those that most of these rows have. */
const MOST_TERMS = 200_000;
/** A term that one row has says nothing of what belongs together. */
const LEAST_ROWS = 2;
const MOST_DIMENSION = 1024;

/**
 * Vectors from the corpus's own words, without any other model: latent semantic analysis (Deerwester et al.,
 * 1990). Throws INVALID_INPUT for a dimension out of range.
 */
export function lsa({ dimension = 128, trainOn }: LsaOptions = {}): LsaEmbedding {
  if (!Number.isInteger(dimension) || dimension < 1 || dimension > MOST_DIMENSION) {
    throw new CorankError(
      'INVALID_INPUT',
      `lsa: the dimension must be a whole number from 1 to ${MOST_DIMENSION}, got ${quote(dimension)}`,
    );
  }
  if (trainOn !== undefined && (typeof trainOn !== 'string' || trainOn === '')) {
    throw new CorankError('INVALID_INPUT', `lsa: trainOn must be a tag, got ${quote(trainOn)}`);
  }
  return { kind: 'lsa', dimension, trainOn };
}

/**
 * Learns from the given documents (input places, in id order): weight (1 + ln tf) ln(N / df), documents of unit
 * length, the strongest right singular vectors. The same bytes whatever the order of the input.
 */
export function trainLsa(forward: ForwardIndex, inputs: ArrayLike<number>, dimension: number): LsaModel {
  const step = Math.max(1, inputs.length / MOST_ROWS);
  const rows = Array.from(
    { length: Math.min(inputs.length, MOST_ROWS) },
    (_, i) => inputs[Math.floor(i * step)]!,
  );
  const { terms, columnOf, idf } = vocabulary(forward, rows);
  if (!idf.some((value) => value > 0)) {
    throw new CorankError(
      'INVALID_INPUT',
      `lsa: nothing to learn from in ${rows.length} rows: no term occurs in two of them but not in all`,
    );
  }
  const { vectors, rank } = rightSingularVectors(weighted(forward, rows, columnOf, idf), dimension);
  const width = paddedWidth(Math.max(1, rank));
  checkedOffset(terms.length * width * 4, 'lsa.vector');
  const projection = new Float32Array(terms.length * width);
  for (let term = 0; term < terms.length; term++) {
    for (let d = 0; d < rank; d++) projection[term * width + d] = idf[term]! * vectors[term * rank + d]!;
  }
  return { dimension: rank, width, terms, projection };
}

/**
 * The vector of a text: the sum of its terms' rows, each times 1 + ln tf, of unit length as float32; undefined when
 * it has none of the model's terms. `places` ascending, so that the order of words does not matter to the last bit.
 */
export function foldIn(
  model: Pick<LsaModel, 'dimension' | 'width' | 'projection'>,
  frequencies: readonly { place: number; frequency: number }[],
): Float32Array | undefined {
  const { dimension, width, projection } = model;
  const sum = new Float64Array(dimension);
  for (const { place, frequency } of [...frequencies].sort((a, b) => a.place - b.place)) {
    const weight = 1 + Math.log(frequency);
    for (let d = 0; d < dimension; d++) sum[d]! += weight * projection[place * width + d]!;
  }
  const length = Math.sqrt(sum.reduce((total, x) => total + x * x, 0));
  return length > 0 ? Float32Array.from(sum, (x) => x / length) : undefined;
}

/** Calls `visit` with the vector of each document that has one, in input order. */
export function embedDocuments(
  forward: ForwardIndex,
  model: LsaModel,
  visit: (input: number, vector: Float32Array) => void,
): void {
  const places = new Map(model.terms.map((term, place) => [term, place]));
  const placeOf = Int32Array.from(forward.terms.keys(), (term) => places.get(term) ?? -1);
  for (let input = 0; input < forward.documents; input++) {
    const known: { place: number; frequency: number }[] = [];
    eachTerm(forward, input, (term, frequency) => {
      if (placeOf[term]! >= 0) known.push({ place: placeOf[term]!, frequency });
    });
    const vector = foldIn(model, known);
    if (vector !== undefined) visit(input, vector);
  }
}

export const lsaTable = ({ terms, width, projection }: LsaModel): RecordBatch =>
  batchOf([strings('term', terms), fixedList('vector', width, projection)], terms.length);

/** The terms that count, ascending by bytes, with the column of each term of the forward index (-1: none). */
function vocabulary(
  forward: ForwardIndex,
  rows: readonly number[],
): { terms: string[]; columnOf: Int32Array; idf: Float64Array } {
  const frequency = new Uint32Array(forward.terms.size);
  for (const input of rows) eachTerm(forward, input, (term) => void frequency[term]!++);
  let kept = [...forward.terms].filter(([, term]) => frequency[term]! >= LEAST_ROWS);
  kept.sort(([a], [b]) => compareIds(a, b));
  if (kept.length > MOST_TERMS) {
    const order = kept
      .map((_, i) => i)
      .sort((a, b) => frequency[kept[b]![1]]! - frequency[kept[a]![1]]! || a - b);
    kept = order
      .slice(0, MOST_TERMS)
      .sort((a, b) => a - b)
      .map((i) => kept[i]!);
  }
  const columnOf = new Int32Array(forward.terms.size).fill(-1);
  kept.forEach(([, term], column) => {
    columnOf[term] = column;
  });
  const idf = Float64Array.from(kept, ([, term]) => Math.log(rows.length / frequency[term]!));
  return { terms: kept.map(([term]) => term), columnOf, idf };
}

function weighted(
  forward: ForwardIndex,
  rows: readonly number[],
  columnOf: Int32Array,
  idf: Float64Array,
): SparseMatrix {
  const starts = new Uint32Array(rows.length + 1);
  const places = new GrowableU32();
  const values = new GrowableF64();
  rows.forEach((input, row) => {
    const document: { column: number; value: number }[] = [];
    eachTerm(forward, input, (term, frequency) => {
      const column = columnOf[term]!;
      if (column >= 0) document.push({ column, value: (1 + Math.log(frequency)) * idf[column]! });
    });
    document.sort((a, b) => a.column - b.column);
    const length = Math.sqrt(document.reduce((sum, { value }) => sum + value * value, 0)) || 1;
    for (const { column, value } of document) {
      places.push(column);
      values.push(value / length);
    }
    starts[row + 1] = places.length;
  });
  return { rows: rows.length, columns: idf.length, starts, places: places.view(), values: values.view() };
}

/** The distinct terms of a document and how often it has each, in all its fields. */
function eachTerm(
  forward: ForwardIndex,
  input: number,
  visit: (term: number, frequency: number) => void,
): void {
  const to = forward.documentEnds.get(input);
  for (let entry = input === 0 ? 0 : forward.documentEnds.get(input - 1); entry < to; entry++) {
    let frequency = 0;
    for (const field of forward.entryFrequency) if (entry < field.length) frequency += field.get(entry);
    visit(forward.entryTerm.get(entry), frequency);
  }
}
