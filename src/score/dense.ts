import type { Scope } from '../access/scope.js';
import { dotExact, dotScan } from '../kernels/dot.js';
import { selectAbove, topK, topK32 } from '../kernels/top-k.js';
import { bitmapWords } from '../memory/bitmap.js';
import type { RankedList } from '../types.js';
import { type Cancelled, perScope, type ScoreContext, stopIf } from './context.js';
import { type Embeddings, visibleBitmap } from './visible-vectors.js';

export type Metric = 'cosine' | 'dot';

export interface DenseRequest {
  /** As many numbers as the index's dimension, finite as float32. */
  query: Float32Array;
  /** Place of the query's model in the index's list. */
  model: number;
  metric: Metric;
  limit: number;
}

/** Norms outside this range are scored canonically throughout: a float32 scan could overflow or lose them. */
const SAFE_NORM = { least: 1e-15, most: 1e15 };

/**
 * The best visible rows of the query's model, at most `limit`. Scores are canonical: products added in f64 in
 * the order of the dimensions; cosine divides by both norms, a row of norm 0 scores 0.
 *
 * Scan fast, decide exactly: float32 lanes score every row; the `limit` best of them scored canonically give a
 * true lower limit T of the last place; every row whose scan score plus its error bound reaches T is scored
 * canonically, and those scores decide. The bound is (d / 16 + 6) * 2^-24 of the norms for sixteen lanes of
 * sums, two roundings more for the division, enlarged a little for its own rounding.
 */
export function scoreDense(
  context: ScoreContext,
  scope: Scope,
  request: DenseRequest,
  cancelled: Cancelled,
): RankedList {
  const { index, kernels, scratch } = context;
  const embeddings = index.directory.embeddings;
  if (embeddings === undefined) throw new Error('this index has no vectors');
  const { bitmapAt, count } = visibleBitmap(context, scope, embeddings, request.model);
  const k = Math.min(request.limit, count);
  const queryNorm = Math.sqrt(request.query.reduce((sum, x) => sum + x * x, 0));
  if (k === 0 || queryNorm === 0) return { rows: new Uint32Array(0), scores: new Float64Array(0) };
  const query = index.f32(scratch.queries, embeddings.width);
  query.fill(0);
  query.set(request.query);
  stopIf(cancelled);

  const exact = (listed: number): Float64Array =>
    canonical(context, embeddings, request.metric, queryNorm, listed);
  let limit = Number.NEGATIVE_INFINITY;
  let slack = 0;
  if (scanIsSafe(context, scope, embeddings, queryNorm)) {
    scan(context, embeddings, request.metric, bitmapAt);
    stopIf(cancelled);
    const unit = request.metric === 'cosine' ? queryNorm : 1;
    const found = topK32(
      kernels,
      scratch.scan,
      embeddings.count,
      0,
      bitmapAt,
      Number.NEGATIVE_INFINITY,
      k,
      scratch.topRows,
      scratch.topScores,
    );
    if (found === k) {
      index.u32(scratch.exactRows, k).set(index.u32(scratch.topRows, k));
      limit = exact(k).reduce((least, score) => Math.min(least, score), Number.POSITIVE_INFINITY) * unit;
    }
    slack = (embeddings.dimension / 16 + 9) * 2 ** -24 * 1.01 * queryNorm;
  } else {
    index.f32(scratch.scan, embeddings.count).fill(Number.NaN);
  }
  const normsAt = request.metric === 'dot' ? embeddings.norms : 0;
  const listed = selectAbove(
    kernels,
    scratch.scan,
    embeddings.count,
    0,
    bitmapAt,
    normsAt,
    slack,
    limit - Math.abs(limit) * 2 ** -50,
    scratch.exactRows,
  );
  exact(listed);
  const places = topK(
    kernels,
    scratch.exactScores,
    listed,
    0,
    0,
    Number.NEGATIVE_INFINITY,
    k,
    scratch.topRows,
    scratch.topScores,
  );
  return takeRows(context, embeddings, places);
}

/** The listed rows (places in exactRows, best first in topRows) as node rows. */
function takeRows({ index, scratch }: ScoreContext, embeddings: Embeddings, found: number): RankedList {
  const listed = index.u32(scratch.exactRows, embeddings.count);
  const rowOf = index.u32(embeddings.rows, embeddings.count);
  const rows = index
    .u32(scratch.topRows, found)
    .slice()
    .map((place) => rowOf[listed[place]!]!);
  return { rows, scores: index.f64(scratch.topScores, found).slice() };
}

/** Scan scores of all visible rows; for cosine divided by the row's norm. */
function scan(
  { index, kernels, scratch }: ScoreContext,
  embeddings: Embeddings,
  metric: Metric,
  bitmapAt: number,
): void {
  const { width, count, vectors } = embeddings;
  dotScan(kernels, scratch.queries, 1, vectors, width, 0, count, bitmapAt, scratch.scan, count);
  if (metric === 'dot') return;
  const scores = index.f32(scratch.scan, count);
  const norms = index.f64(embeddings.norms, count);
  const words = index.u32(bitmapAt, bitmapWords(count));
  words.forEach((word, w) => {
    if (word === 0) return;
    const end = Math.min(count, (w + 1) * 32);
    for (let v = w * 32; v < end; v++) scores[v] = norms[v] === 0 ? 0 : scores[v]! / norms[v]!;
  });
}

/** Canonical scores of the first `listed` rows of exactRows, into exactScores. */
function canonical(
  { index, kernels, scratch }: ScoreContext,
  embeddings: Embeddings,
  metric: Metric,
  queryNorm: number,
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

/** Whether all norms are such that float32 sums neither overflow nor vanish. Decides the way, never the answer. */
function scanIsSafe(context: ScoreContext, scope: Scope, embeddings: Embeddings, queryNorm: number): boolean {
  const safe = (norm: number): boolean => norm === 0 || (norm >= SAFE_NORM.least && norm <= SAFE_NORM.most);
  const rowsSafe = perScope(context, scope, 'safe-norms', () =>
    context.index.f64(embeddings.norms, embeddings.count).every(safe),
  );
  return rowsSafe && safe(queryNorm);
}
