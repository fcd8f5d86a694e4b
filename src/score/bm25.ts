import type { Scope } from '../access/scope.js';
import { bm25Accumulate, bm25AccumulateCounts } from '../kernels/bm25.js';
import type { RankedList } from '../types.js';
import { bestRows } from './best-rows.js';
import type { Bm25Request, Bm25Settings, TermRequest } from './bm25-request.js';
import { type FieldTable, fillFields, fillNorms, pointFields } from './code-tables.js';
import { type Cancelled, type ScoreContext, stopIf } from './context.js';
import { matchPhrase, type PhraseRequest } from './phrase.js';
import { addQuoted } from './quoted.js';
import { documentFrequency, idf, postingsOf } from './term.js';

/**
 * The best visible rows by BM25, at most `limit`, all with a score above 0. N, document frequencies and
 * average lengths are those of the visible rows; idf is ln(1 + (N - df + 0.5) / (df + 0.5)).
 */
export function scoreBm25(
  context: ScoreContext,
  scope: Scope,
  request: Bm25Request,
  cancelled: Cancelled,
): RankedList {
  accumulate(context, scope, request, cancelled, () => {});
  return bestRows(context, scope, request.limit);
}

/**
 * What each term, then each quoted phrase, then each pair of the request adds to the scores of `rows`:
 * contributions[i * rows.length + r] for addend i. Added up in that order they give the score, up to the rounding of a phrase's own sum.
 */
export function explainBm25(
  context: ScoreContext,
  scope: Scope,
  request: Bm25Request & { rows: Uint32Array },
  cancelled: Cancelled,
): Float64Array {
  const { rows } = request;
  const contributions = new Float64Array(
    (request.terms.length + request.quoted.length + request.pairs.length) * rows.length,
  );
  accumulate(context, scope, request, cancelled, (addend, scores) => {
    for (let r = 0; r < rows.length; r++) {
      contributions[addend * rows.length + r] = scores[rows[r]!]!;
      scores[rows[r]!] = 0;
    }
  });
  return contributions;
}

/** Adds up all terms, quoted phrases and pairs, in the order of the request; `after` sees the scores behind each. */
function accumulate(
  context: ScoreContext,
  scope: Scope,
  request: Bm25Request,
  cancelled: Cancelled,
  after: (addend: number, scores: Float64Array) => void,
): void {
  const { index, scratch } = context;
  const scores = index.f64(scratch.scores, index.nodes);
  scores.fill(0);
  const normsAt =
    request.form === 'joined' ? fillNorms(context, scope, request.weights, request.b[0] ?? 0) : 0;
  const fields = fillFields(context, scope, request);
  request.terms.forEach((term, i) => {
    stopIf(cancelled);
    addTerm(context, scope, request, term, fields, normsAt);
    after(i, scores);
  });
  request.quoted.forEach((phrase, i) => {
    stopIf(cancelled);
    addQuoted(context, scope, request, phrase, fields, normsAt);
    after(request.terms.length + i, scores);
  });
  if (request.pairs.length === 0) return;
  const pairNormsAt = fillNorms(context, scope, undefined, request.pairB);
  request.pairs.forEach((pair, i) => {
    stopIf(cancelled);
    addPair(context, scope, request.k1, pair, pairNormsAt);
    after(request.terms.length + request.quoted.length + i, scores);
  });
}

function addTerm(
  context: ScoreContext,
  scope: Scope,
  request: Bm25Settings,
  { term, weight }: TermRequest,
  fields: readonly FieldTable[],
  normsAt: number,
): void {
  const { index, kernels, scratch } = context;
  const { from, count, rowsAt } = postingsOf(context, term);
  const frequency = documentFrequency(context, scope, term, fields);
  if (frequency === 0) return;
  bm25Accumulate(
    kernels,
    index.directory.codeBytes,
    rowsAt,
    count,
    pointFields(context, fields, from),
    fields.length,
    normsAt,
    request.k1,
    weight * idf(scope, frequency) * (request.k1 + 1),
    scratch.scores,
  );
}

/** An ordered pair is a term of its own: rows that have it, how often, the document's length. */
function addPair(
  context: ScoreContext,
  scope: Scope,
  k1: number,
  pair: PhraseRequest,
  normsAt: number,
): void {
  const { kernels, scratch } = context;
  const count = matchPhrase(context, scope, pair);
  if (count === 0) return;
  const weight = pair.weight * idf(scope, count) * (k1 + 1);
  bm25AccumulateCounts(
    kernels,
    scratch.phraseRows,
    scratch.phraseCounts,
    count,
    normsAt,
    k1,
    weight,
    scratch.scores,
  );
}
