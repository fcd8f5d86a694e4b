import { bitmapWords } from '../memory/bitmap.js';
import type { Directory } from '../memory/directory.js';

type Embeddings = NonNullable<Directory['embeddings']>;

/** One of `parts` ranges of the vectors, counted from 0: what one thread scans of a query. */
export interface Part {
  part: number;
  parts: number;
}

/** A range of vectors as if there were no others, and the number of its first one, a multiple of 32. */
export interface VectorRange {
  embeddings: Embeddings;
  from: number;
}

/** Ranges end at bitmap words, so that every column of a range is the whole column, further on. */
export function rangeOf(all: Embeddings, { part, parts }: Part): VectorRange {
  if (parts === 1) return { embeddings: all, from: 0 };
  const words = bitmapWords(all.count);
  const end = (n: number) => Math.min(all.count, Math.floor((words * n) / parts) * 32);
  const from = part === 0 ? 0 : end(part);
  const count = end(part + 1) - from;
  const { quantized, width, rows, model, norms, vectors } = all;
  const further = {
    rows: rows + from * 4,
    model: model + from * 2,
    norms: norms + from * 8,
    // 0: an index of int8 rows only.
    vectors: vectors === 0 ? 0 : vectors + from * width * 4,
  };
  if (quantized === undefined) return { embeddings: { ...all, ...further, count }, from };
  const { values, scales, residuals } = quantized;
  const bytes = { values: values + from * width, scales: scales + from * 4, residuals: residuals + from * 4 };
  return { embeddings: { ...all, ...further, count, quantized: bytes }, from };
}
