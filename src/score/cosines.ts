import type { Scope } from '../access/scope.js';
import { bitmapWords, isSet } from '../memory/bitmap.js';
import type { Directory } from '../memory/directory.js';
import type { SharedIndex } from '../memory/shared-index.js';
import type { ScoreContext } from './context.js';

type Embeddings = NonNullable<Directory['embeddings']>;

/**
 * Cosines of a query with some rows' vectors of its model: products added in f64 in the order of the dimensions.
 * undefined for what is hidden, has no such vector, or one of norm 0. Approximate where only int8 rows are kept.
 */
export function cosinesOf(
  { index }: ScoreContext,
  scope: Scope,
  { query, model }: { query: Float32Array; model: number },
  rows: readonly number[],
): (number | undefined)[] {
  const embeddings = index.directory.embeddings!;
  const visible = index.u32(scope.bitmapAt, bitmapWords(index.nodes));
  const owners = index.u32(embeddings.rows, embeddings.count);
  const models = index.u16(embeddings.model, embeddings.count);
  const norms = index.f64(embeddings.norms, embeddings.count);
  const length = Math.sqrt(query.reduce((sum, x) => sum + x * x, 0));
  const productWith = dotOf(index, embeddings, query);
  return rows.map((row) => {
    if (!isSet(visible, row)) return undefined;
    const place = placeOf(owners, row);
    if (place < 0 || models[place] !== model || norms[place] === 0 || length === 0) return undefined;
    return productWith(place) / (length * norms[place]!);
  });
}

/** The dot product of the query and the vector at a place. */
function dotOf(index: SharedIndex, embeddings: Embeddings, query: Float32Array): (place: number) => number {
  const { width, vectors, quantized, count } = embeddings;
  const dot = (values: Float32Array | Int8Array): number => {
    let sum = 0;
    for (let d = 0; d < query.length; d++) sum += query[d]! * values[d]!;
    return sum;
  };
  if (vectors !== 0) return (place) => dot(index.f32(vectors + place * width * 4, width));
  const scales = index.f32(quantized!.scales, count);
  return (place) => scales[place]! * dot(index.i8(quantized!.values + place * width, width));
}

/** Place of a row in the ascending list of rows that have vectors, or -1. */
function placeOf(owners: Uint32Array, row: number): number {
  let [low, high] = [0, owners.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (owners[middle]! < row) low = middle + 1;
    else high = middle;
  }
  return owners[low] === row ? low : -1;
}
