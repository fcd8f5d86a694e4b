import type { Scope } from '../access/scope.js';
import { dotScan, overNorms } from '../kernels/dot.js';
import { selectAbove, topK32 } from '../kernels/top-k.js';
import { lastPlace, type Prepared } from './canonical.js';
import { type Cancelled, perScope, type ScoreContext, stopIf } from './context.js';

/** Norms outside this range are scored canonically throughout: a float32 scan could overflow or lose them. */
const SAFE_NORM = { least: 1e-15, most: 1e15 };

/**
 * Lists in exactRows the vectors that may have one of the k best canonical scores, and returns how many: float32
 * lanes score every row; the k best of them scored canonically give a true lower limit T of the last place; every
 * row whose scan score plus its error bound reaches T is listed. Where norms are unsafe all visible ones are.
 */
export function candidatesF32(
  context: ScoreContext,
  scope: Scope,
  prepared: Prepared,
  cancelled: Cancelled,
): number {
  const { index, kernels, scratch } = context;
  const { embeddings, bitmapAt, k } = prepared;
  if (!scanIsSafe(context, scope, prepared)) {
    index.f32(scratch.scan, embeddings.count).fill(Number.NaN);
    return reaching(context, prepared, Number.NEGATIVE_INFINITY);
  }
  scan(context, prepared);
  stopIf(cancelled);
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
  const limit = found === k ? lastPlace(context, prepared) : Number.NEGATIVE_INFINITY;
  return reaching(context, prepared, limit);
}

/**
 * The bound of a scan score is (d / 16 + 6) * 2^-24 of the norms for sixteen lanes of sums, two roundings more for
 * the division, enlarged a little for its own rounding. Scan scores of cosine lack the division by the query's norm.
 */
function reaching(
  { kernels, scratch }: ScoreContext,
  { embeddings, metric, queryNorm, bitmapAt }: Prepared,
  limit: number,
): number {
  const cosine = metric === 'cosine';
  const scaled = cosine ? limit * queryNorm : limit;
  return selectAbove(
    kernels,
    scratch.scan,
    embeddings.count,
    0,
    bitmapAt,
    cosine ? 0 : embeddings.norms,
    (embeddings.dimension / 16 + 9) * 2 ** -24 * 1.01 * queryNorm,
    scaled - Math.abs(scaled) * 2 ** -50,
    scratch.exactRows,
  );
}

/** Scan scores of all visible rows; for cosine divided by the row's norm. */
function scan({ kernels, scratch }: ScoreContext, { embeddings, metric, bitmapAt }: Prepared): void {
  const { width, count, vectors } = embeddings;
  dotScan(kernels, scratch.queries, 1, vectors, width, 0, count, bitmapAt, scratch.scan, count);
  if (metric === 'cosine') overNorms(kernels, scratch.scan, embeddings.norms, count, bitmapAt);
}

/** Whether all norms are such that float32 sums neither overflow nor vanish. Decides the way, never the answer. */
function scanIsSafe(context: ScoreContext, scope: Scope, { embeddings, queryNorm }: Prepared): boolean {
  const safe = (norm: number): boolean => norm === 0 || (norm >= SAFE_NORM.least && norm <= SAFE_NORM.most);
  const rowsSafe = perScope(context, scope, `safe norms at ${embeddings.norms}`, () =>
    context.index.f64(embeddings.norms, embeddings.count).every(safe),
  );
  return rowsSafe && safe(queryNorm);
}
