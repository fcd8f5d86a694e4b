import type { Scope } from '../access/scope.js';
import { topK } from '../kernels/top-k.js';
import { bitmapWords, isSet } from '../memory/bitmap.js';
import type { RankedList } from '../types.js';
import { canonical, placeQuery, takeRows } from './canonical.js';
import type { ScoreContext } from './context.js';
import type { DenseRequest } from './dense.js';

/**
 * The best of some vectors, given by their places in the table (distinct, in range), with the scores that a scan of
 * all would give them. Hidden ones are left out.
 */
export function scoreVectors(
  context: ScoreContext,
  scope: Scope,
  { query, metric, limit }: Pick<DenseRequest, 'query' | 'metric' | 'limit'>,
  places: Uint32Array,
): RankedList {
  const { index, kernels, scratch } = context;
  const embeddings = index.directory.embeddings!;
  const visible = index.u32(scope.bitmapAt, bitmapWords(index.nodes));
  const rowOf = index.u32(embeddings.rows, embeddings.count);
  const listed = places.filter((place) => isSet(visible, rowOf[place]!)).sort();
  index.u32(scratch.exactRows, listed.length).set(listed);
  const queryNorm = placeQuery(context, query, embeddings);
  const k = Math.min(limit, listed.length);
  const prepared = { embeddings, query, queryNorm, metric, bitmapAt: 0, count: listed.length, k };
  canonical(context, prepared, listed.length);
  const found = topK(
    kernels,
    scratch.exactScores,
    listed.length,
    0,
    0,
    Number.NEGATIVE_INFINITY,
    k,
    scratch.topRows,
    scratch.topScores,
  );
  return takeRows(context, embeddings, found, listed);
}
