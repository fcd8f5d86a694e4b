import type { Scope } from '../access/scope.js';
import { topK } from '../kernels/top-k.js';
import type { RankedList } from '../types.js';
import { canonical, type Metric, type Prepared, takeRows } from './canonical.js';
import { type Cancelled, type ScoreContext, stopIf } from './context.js';
import { candidatesF32 } from './dense-f32.js';
import { bestOfScan, candidatesInt8, scanInt8 } from './dense-int8.js';
import { type Part, rangeOf } from './vector-part.js';
import { visibleInRange } from './visible-vectors.js';

/** One part of a dense question; the best of all parts are the answer. */
export interface DenseRequest extends Part {
  /** As many numbers as the index's dimension, finite as float32. */
  query: Float32Array;
  /** Place of the query's model in the index's list. */
  model: number;
  metric: Metric;
  limit: number;
}

/** The best visible rows of the query's model, at most `limit`: see rankDense. */
export function scoreDense(
  context: ScoreContext,
  scope: Scope,
  request: DenseRequest,
  cancelled: Cancelled,
): RankedList {
  return rankDense(context, scope, request, cancelled).list;
}

/**
 * The best visible rows, and how many rows were scored canonically after the scan, which depends on hidden rows'
 * norms and is for tests and benches alone.
 *
 * Scan fast, decide exactly: a scan in float32 or int8 scores every row and finds all that may be among the best;
 * their canonical scores decide. An index of int8 rows only has no others than the scan's: approximate, yet each
 * depends on its row and the query alone.
 */
export function rankDense(
  context: ScoreContext,
  scope: Scope,
  request: DenseRequest,
  cancelled: Cancelled,
): { list: RankedList; rescored: number } {
  const { index, kernels, scratch } = context;
  const prepared = prepare(context, scope, request);
  if (prepared === undefined)
    return { list: { rows: new Uint32Array(0), scores: new Float64Array(0) }, rescored: 0 };
  stopIf(cancelled);
  const { embeddings, k } = prepared;
  if (embeddings.vectors === 0) {
    scanInt8(context, prepared);
    bestOfScan(context, prepared);
    return { list: takeRows(context, embeddings, k), rescored: 0 };
  }
  const candidates = embeddings.quantized === undefined ? candidatesF32 : candidatesInt8;
  const rescored = candidates(context, scope, prepared, cancelled);
  canonical(context, prepared, rescored);
  const found = topK(
    kernels,
    scratch.exactScores,
    rescored,
    0,
    0,
    Number.NEGATIVE_INFINITY,
    k,
    scratch.topRows,
    scratch.topScores,
  );
  const list = takeRows(context, embeddings, found, index.u32(scratch.exactRows, rescored));
  return { list, rescored };
}

/** Undefined when nothing can be found: no visible row, or a query that points nowhere. */
function prepare(context: ScoreContext, scope: Scope, request: DenseRequest): Prepared | undefined {
  const { index, scratch } = context;
  const all = index.directory.embeddings;
  if (all === undefined) throw new Error('this index has no vectors');
  const range = rangeOf(all, request);
  const { embeddings } = range;
  const { bitmapAt, count } = visibleInRange(context, scope, all, range, request.model);
  const k = Math.min(request.limit, count);
  const { query, metric } = request;
  const queryNorm = Math.sqrt(query.reduce((sum, x) => sum + x * x, 0));
  if (k === 0 || queryNorm === 0) return undefined;
  const padded = index.f32(scratch.queries, embeddings.width);
  padded.fill(0);
  padded.set(query);
  return { embeddings, query, queryNorm, metric, bitmapAt, count, k };
}
