import type { Scope } from '../access/scope.js';
import { bm25Accumulate, bm25AccumulateCounts, countVisible } from '../kernels/bm25.js';
import { topK } from '../kernels/top-k.js';
import type { RankedList } from '../types.js';
import { type Cancelled, type ScoreContext, stopIf } from './context.js';
import { averageLength, fieldStatistics, lengthNorm } from './field-statistics.js';
import { matchPhrase, type PhraseRequest } from './phrase.js';

export interface TermRequest {
  /** Number of the term in the index. */
  term: number;
  /** How often the query has it. */
  weight: number;
}

/**
 * One BM25 query. `weights` and `b` have an entry per scored field of the directory. `fields`: each field's
 * frequency is normalised by its own length, then added (BM25F, Zaragoza et al., 2004). `joined`:
 * frequencies and lengths are added first, which with weights of 1 is BM25 on the concatenated text.
 */
export interface Bm25Request {
  form: 'fields' | 'joined';
  k1: number;
  weights: number[];
  b: number[];
  /** b of ordered pairs, whose length is the document's. */
  pairB: number;
  terms: TermRequest[];
  quoted: PhraseRequest[];
  pairs: PhraseRequest[];
  limit: number;
}

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
  const { index, kernels, scratch } = context;
  accumulate(context, scope, request, cancelled, () => {});
  const limit = Math.min(request.limit, index.nodes);
  const found = topK(
    kernels,
    scratch.scores,
    index.nodes,
    0,
    scope.bitmapAt,
    0,
    limit,
    scratch.topRows,
    scratch.topScores,
  );
  return {
    rows: index.u32(scratch.topRows, found).slice(),
    scores: index.f64(scratch.topScores, found).slice(),
  };
}

/**
 * What each term, then each quoted phrase, then each pair of the request adds to the scores of `rows`:
 * contributions[i * rows.length + r] for addend i. Added up in that order they give the score bit for bit.
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
  request: Bm25Request,
  { term, weight }: TermRequest,
  fields: readonly FieldTable[],
  normsAt: number,
): void {
  const { index, kernels, scratch } = context;
  const { from, count, rowsAt } = postingsOf(context, term);
  const frequency = documentFrequency(context, scope, term);
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

/** A quoted phrase: each of its words scores as it would alone, in the rows that have the phrase and no others. */
function addQuoted(
  context: ScoreContext,
  scope: Scope,
  request: Bm25Request,
  phrase: PhraseRequest,
  fields: readonly FieldTable[],
  normsAt: number,
): void {
  const { index, kernels, scratch } = context;
  const count = matchPhrase(context, scope, phrase);
  if (count === 0) return;
  for (const term of phrase.terms) {
    bm25Accumulate(
      kernels,
      index.directory.codeBytes,
      scratch.phraseRows,
      count,
      gatherCodes(context, fields, term, count),
      fields.length,
      normsAt,
      request.k1,
      phrase.weight * idf(scope, documentFrequency(context, scope, term)) * (request.k1 + 1),
      scratch.scores,
    );
  }
}

/** Copies the term's codes in the rows of the phrase, a list per field, and points the field records at them. */
function gatherCodes(
  context: ScoreContext,
  fields: readonly FieldTable[],
  term: number,
  count: number,
): number {
  const { index, scratch } = context;
  const { from, count: postings, rowsAt } = postingsOf(context, term);
  const { codeBytes } = index.directory;
  const codes = (at: number, length: number) =>
    codeBytes === 2 ? index.u16(at, length) : index.u32(at, length);
  const rows = index.u32(rowsAt, postings);
  const wanted = index.u32(scratch.phraseRows, count);
  const records = index.u32(scratch.fieldRecords, fields.length * 2);
  fields.forEach(({ field, tableAt }, j) => {
    const gatheredAt = scratch.phraseCodes + j * index.nodes * 4;
    const source = codes(index.directory.fields[field]!.codes + from * codeBytes, postings);
    const gathered = codes(gatheredAt, count);
    for (let i = 0, p = 0; i < count; i++) {
      while (rows[p]! < wanted[i]!) p++;
      gathered[i] = source[p]!;
    }
    records[2 * j] = gatheredAt;
    records[2 * j + 1] = tableAt;
  });
  return scratch.fieldRecords;
}

function postingsOf({ index }: ScoreContext, term: number): { from: number; count: number; rowsAt: number } {
  const { terms, postings } = index.directory;
  const starts = index.i32(postings.starts, terms.rows + 1);
  const from = starts[term]!;
  return { from, count: starts[term + 1]! - from, rowsAt: postings.rows.at + from * 4 };
}

/** Visible rows that have the term. */
function documentFrequency(context: ScoreContext, scope: Scope, term: number): number {
  const { count, rowsAt } = postingsOf(context, term);
  return scope.full ? count : countVisible(context.kernels, rowsAt, count, scope.bitmapAt);
}

const idf = (scope: Scope, frequency: number): number =>
  Math.log(1 + (scope.visible - frequency + 0.5) / (frequency + 0.5));

/** A scored field in use and the address of its code table. */
interface FieldTable {
  field: number;
  tableAt: number;
}

/** Fills the table of each field with a weight above 0: what a code adds to the normalised frequency. */
function fillFields(context: ScoreContext, scope: Scope, request: Bm25Request): FieldTable[] {
  const { index, scratch } = context;
  const { totals } = fieldStatistics(context, scope);
  const used: FieldTable[] = [];
  index.directory.fields.forEach((field, f) => {
    const weight = request.weights[f]!;
    if (weight === 0) return;
    const tableAt = scratch.codeTables + f * index.directory.maxCodes * 8;
    const table = index.f64(tableAt, field.codeFrequency.length);
    const frequency = index.u32(field.codeFrequency.at, field.codeFrequency.length);
    const length = index.u32(field.codeLength.at, field.codeLength.length);
    const average = averageLength(totals[f]!, scope);
    const norm = (code: number): number =>
      request.form === 'joined' ? 1 : lengthNorm(length[code]!, average, request.b[f]!);
    table[0] = 0;
    for (let code = 1; code < table.length; code++) table[code] = (weight * frequency[code]!) / norm(code);
    used.push({ field: f, tableAt });
  });
  return used;
}

/** Points the field records at the codes of the term whose postings start at `from`. */
function pointFields({ index, scratch }: ScoreContext, fields: readonly FieldTable[], from: number): number {
  const records = index.u32(scratch.fieldRecords, fields.length * 2);
  fields.forEach(({ field, tableAt }, i) => {
    records[2 * i] = index.directory.fields[field]!.codes + from * index.directory.codeBytes;
    records[2 * i + 1] = tableAt;
  });
  return scratch.fieldRecords;
}

/** Document length norms of all rows; lengths are added over the fields, weighted when weights are given. */
function fillNorms(
  context: ScoreContext,
  scope: Scope,
  weights: readonly number[] | undefined,
  b: number,
): number {
  const { index, scratch } = context;
  const { totals } = fieldStatistics(context, scope);
  const weightOf = (f: number): number => weights?.[f] ?? 1;
  const average = averageLength(
    totals.reduce((sum, total, f) => sum + weightOf(f) * total, 0),
    scope,
  );
  const norms = index.f64(scratch.norms, index.nodes);
  norms.fill(0);
  index.directory.fields.forEach((field, f) => {
    const lengths = index.u32(field.lengths, index.nodes);
    const weight = weightOf(f);
    for (let row = 0; row < norms.length; row++) norms[row]! += weight * lengths[row]!;
  });
  for (let row = 0; row < norms.length; row++) norms[row] = lengthNorm(norms[row]!, average, b);
  return scratch.norms;
}
