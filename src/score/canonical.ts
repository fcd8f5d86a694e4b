import { dotExact } from '../kernels/dot.js';
import type { RankedList } from '../types.js';
import type { ScoreContext } from './context.js';
import type { Embeddings } from './visible-vectors.js';

export type Metric = 'cosine' | 'dot';

/** One dense question, made ready: the padded query lies in scratch.queries. */
export interface Prepared {
  embeddings: Embeddings;
  query: Float32Array;
  /** Euclidean length of the query, > 0. */
  queryNorm: number;
  metric: Metric;
  /** The visible vectors of the query's model. */
  bitmapAt: number;
  count: number;
  /** Length of the list: at least 1, at most `count`. */
  k: number;
}

/** Lays the query, padded with zeros, into scratch.queries, and returns its Euclidean length. */
export function placeQuery(
  { index, scratch }: ScoreContext,
  query: Float32Array,
  { width }: Embeddings,
): number {
  const padded = index.f32(scratch.queries, width);
  padded.fill(0);
  padded.set(query);
  return Math.sqrt(query.reduce((sum, x) => sum + x * x, 0));
}

/**
 * Canonical scores of the first `listed` rows of exactRows, into exactScores: products added in f64 in the order
 * of the dimensions; cosine divides by both norms, a row of norm 0 scores 0.
 */
export function canonical(
  { index, kernels, scratch }: ScoreContext,
  { embeddings, metric, queryNorm }: Prepared,
  listed: number,
): Float64Array {
  const { vectors, width, dimension } = embeddings;
  dotExact(
    kernels,
    scratch.queries,
    vectors,
    width,
    dimension,
    scratch.exactRows,
    listed,
    scratch.exactScores,
  );
  const scores = index.f64(scratch.exactScores, listed);
  if (metric === 'dot') return scores;
  const rows = index.u32(scratch.exactRows, listed);
  const norms = index.f64(embeddings.norms, embeddings.count);
  for (let i = 0; i < listed; i++) {
    const norm = norms[rows[i]!]!;
    scores[i] = norm === 0 ? 0 : scores[i]! / (queryNorm * norm);
  }
  return scores;
}

/**
 * A true lower limit of the last place: the least canonical score of the k rows in topRows. A little less, for
 * the roundings of those who compare with it.
 */
export function lastPlace(context: ScoreContext, prepared: Prepared): number {
  const { index, scratch } = context;
  const { k } = prepared;
  index.u32(scratch.exactRows, k).set(index.u32(scratch.topRows, k));
  const least = canonical(context, prepared, k).reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  return least - Math.abs(least) * 2 ** -50;
}

/** The k vectors in topRows and topScores as node rows; `places`: the vectors' numbers by place, when listed. */
export function takeRows(
  { index, scratch }: ScoreContext,
  embeddings: Embeddings,
  found: number,
  places?: Uint32Array,
): RankedList {
  const rowOf = index.u32(embeddings.rows, embeddings.count);
  const rows = index
    .u32(scratch.topRows, found)
    .slice()
    .map((place) => rowOf[places === undefined ? place : places[place]!]!);
  return { rows, scores: index.f64(scratch.topScores, found).slice() };
}
