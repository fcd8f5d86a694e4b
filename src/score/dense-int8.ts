import type { Scope } from '../access/scope.js';
import { type Quantized, quantizeQuery } from '../index/quantize.js';
import { dotScanInt8, type Int8Rows, selectReach } from '../kernels/int8.js';
import { topK } from '../kernels/top-k.js';
import { bitmapWords, setBit } from '../memory/bitmap.js';
import { lastPlace, type Prepared } from './canonical.js';
import { type Cancelled, type ScoreContext, stopIf } from './context.js';
import { candidatesF32 } from './dense-f32.js';

/** When more rows than one in so many are left, a float32 scan of these says which matter: canonical scores are dear. */
const NARROW_ABOVE = 50;

/**
 * As candidatesF32, with the scan over int8 rows. With q = query + rest and x = row + rest, both quantised,
 *   |q . x - query . row| <= |q| * |rest of x| + |rest of q| * |row|, and |row| <= |x| + |rest of x|;
 * a rest's length is at most the residual stored. (d + 64) * 2^-52 of the norms cover the roundings of the scores,
 * the canonical ones and this bound, all in float64.
 */
export function candidatesInt8(
  context: ScoreContext,
  scope: Scope,
  prepared: Prepared,
  cancelled: Cancelled,
): number {
  const { index, kernels, scratch } = context;
  const { embeddings, metric, queryNorm, bitmapAt, count } = prepared;
  const { residual } = scanInt8(context, prepared);
  stopIf(cancelled);
  bestOfScan(context, prepared);
  const limit = lastPlace(context, prepared);
  const divided = metric === 'cosine';
  const unit = divided ? queryNorm : 1;
  const listed = selectReach(
    kernels,
    scratch.scan,
    rowsOf(prepared),
    bitmapAt,
    embeddings.norms,
    divided,
    ((queryNorm + residual) / unit) * (1 + 2 ** -40),
    (residual / unit) * (1 + 2 ** -40) + (embeddings.dimension + 64) * 2 ** -52 * (queryNorm / unit),
    limit,
    scratch.exactRows,
  );
  if (listed * NARROW_ABOVE <= count) return listed;
  // Behind the float32 scores.
  const listedAt = scratch.scan + embeddings.count * 4;
  const words = index.u32(listedAt, bitmapWords(embeddings.count)).fill(0);
  for (const row of index.u32(scratch.exactRows, listed)) setBit(words, row);
  return candidatesF32(context, scope, { ...prepared, bitmapAt: listedAt, count: listed }, cancelled);
}

/**
 * Scores every visible row approximately, in f64[vectors] at scratch.scan: the integer dot product, exact, times
 * both scales, over the norms for cosine. Returns what the query became.
 */
export function scanInt8({ index, kernels, scratch }: ScoreContext, prepared: Prepared): Quantized {
  const { embeddings, query, queryNorm, metric, bitmapAt } = prepared;
  const queryAt = scratch.queries + embeddings.width * 4;
  const values = index.i16(queryAt, embeddings.width).fill(0);
  const quantized = quantizeQuery(query, values);
  const normsAt = metric === 'cosine' ? embeddings.norms : 0;
  dotScanInt8(
    kernels,
    queryAt,
    rowsOf(prepared),
    bitmapAt,
    quantized.scale,
    normsAt,
    queryNorm,
    scratch.scan,
  );
  return quantized;
}

/** The k best of the scan into topRows and topScores: there are as many, since no score is NaN. */
export function bestOfScan({ kernels, scratch }: ScoreContext, { embeddings, bitmapAt, k }: Prepared): void {
  topK(
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
}

function rowsOf({ embeddings: { quantized, width, count } }: Prepared): Int8Rows {
  if (quantized === undefined) throw new Error('this index has no int8 rows');
  return { ...quantized, width, count };
}
