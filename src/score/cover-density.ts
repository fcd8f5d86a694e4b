import type { Scope } from '../access/scope.js';
import { addOccurrences } from '../kernels/occurrences.js';
import { bitmapWords, isSet } from '../memory/bitmap.js';
import type { RankedList } from '../types.js';
import { bestRows } from './best-rows.js';
import { type Cancelled, perScope, type ScoreContext, stopIf } from './context.js';
import { type Cover, type CoverQuery, coversOf, LAST_POSITION, MAX_POSITIONS } from './covers.js';
import { RowWords, rowsWithAll } from './row-words.js';
import { postingsOf } from './term.js';
import { eachVarint } from './varint.js';

/** One query of alternatives: words that count alone, and phrases. */
export interface CoverDensityRequest extends CoverQuery {
  /** Numbers of the query's words in the index, ascending (the order of words at one position); `single` and `phrases` point into them. */
  terms: number[];
  limit: number;
}

/** Ten covers of one word each score 1: a word's weight is 0.1 (label D of ts_rank_cd). */
const COVERS_PER_UNIT = 10;
/** Rows looked at one by one between two looks at the cancel flag. */
const BLOCK = 256;

/**
 * The best visible rows by cover density, at most `limit`, all with a score above 0: ts_rank_cd of PostgreSQL
 * with default weights and normalisation 0, under a query whose words are alternatives. There every occurrence
 * of a word is a cover, so words are counted by a kernel; only rows with a phrase, or longer than PostgreSQL
 * keeps positions for, are looked at word by word. Each row's score depends on that row alone.
 */
export function scoreCoverDensity(
  context: ScoreContext,
  scope: Scope,
  request: CoverDensityRequest,
  cancelled: Cancelled,
): RankedList {
  const { index, scratch } = context;
  const scores = index.f64(scratch.scores, index.nodes);
  scores.fill(0);
  for (const word of request.single) {
    stopIf(cancelled);
    addWord(context, request.terms[word]!);
  }
  rowsToReadOut(context, scope, request, scores, cancelled).forEach((row, i) => {
    if (i % BLOCK === 0) stopIf(cancelled);
    scores[row] = covers(context, request, row).reduce((sum, { share }) => sum + share, 0);
  });
  for (let row = 0; row < scores.length; row++) scores[row]! /= COVERS_PER_UNIT;
  return bestRows(context, scope, request.limit);
}

/**
 * What each single word, then each phrase, adds to the scores of `rows`: contributions[i * rows.length + r]
 * for operand i. They sum to the score up to rounding.
 */
export function explainCoverDensity(
  context: ScoreContext,
  scope: Scope,
  request: CoverDensityRequest & { rows: Uint32Array },
  cancelled: Cancelled,
): Float64Array {
  const { rows } = request;
  const contributions = new Float64Array((request.single.length + request.phrases.length) * rows.length);
  const visible = context.index.u32(scope.bitmapAt, bitmapWords(context.index.nodes));
  rows.forEach((row, r) => {
    if (r % BLOCK === 0) stopIf(cancelled);
    if (!isSet(visible, row)) return;
    for (const { operand, share } of covers(context, request, row)) {
      contributions[operand * rows.length + r]! += share / COVERS_PER_UNIT;
    }
  });
  return contributions;
}

function covers({ index }: ScoreContext, request: CoverDensityRequest, row: number): Cover[] {
  const words = new RowWords(index, row);
  return coversOf(
    request.terms.map((term) => words.of(term)),
    request,
  );
}

/** Counts one word's occurrences in all rows; those that the scope does not have are never read. */
function addWord(context: ScoreContext, term: number): void {
  const { index, kernels, scratch } = context;
  const { codeBytes, fields } = index.directory;
  const { from, count, rowsAt } = postingsOf(context, term);
  const records = index.u32(scratch.fieldRecords, fields.length * 2);
  fields.forEach(({ codes, codeFrequency }, f) => {
    records[2 * f] = codes + from * codeBytes;
    records[2 * f + 1] = codeFrequency.at;
  });
  addOccurrences(
    kernels,
    codeBytes,
    rowsAt,
    count,
    scratch.fieldRecords,
    fields.length,
    MAX_POSITIONS,
    scratch.scores,
  );
}

/** Visible rows that the count of words does not settle. */
function rowsToReadOut(
  context: ScoreContext,
  scope: Scope,
  { terms, single, phrases }: CoverDensityRequest,
  scores: Float64Array,
  cancelled: Cancelled,
): number[] {
  const { index } = context;
  const visible = index.u32(scope.bitmapAt, bitmapWords(index.nodes));
  const rows = new Set(longRows(context, scope).filter((row) => scores[row]! > 0));
  const alone = new Set(single);
  for (const { words } of phrases) {
    stopIf(cancelled);
    // Where a word of the phrase counts alone, the phrase is never a minimal cover.
    if (words.some((word) => alone.has(word))) continue;
    const wanted = [...new Set(words)].map((word) => terms[word]!);
    for (const row of rowsWithAll(index, visible, wanted)) rows.add(row);
  }
  return [...rows];
}

/** Visible rows that have words beyond the last position that PostgreSQL tells apart. */
function longRows(context: ScoreContext, scope: Scope): number[] {
  return perScope(context, scope, 'long-rows', () => {
    const { index } = context;
    const visible = index.u32(scope.bitmapAt, bitmapWords(index.nodes));
    const lengths = index.directory.fields.map((field) => index.u32(field.lengths, index.nodes));
    const stopWordsOf = stopWords(context);
    const found: number[] = [];
    for (let row = 0; row < index.nodes; row++) {
      if (!isSet(visible, row)) continue;
      let words = stopWordsOf(row);
      for (const list of lengths) words += list[row]!;
      if (words > LAST_POSITION) found.push(row);
    }
    return found;
  });
}

/** How many stop words a row has before its last word: pairs of LEB128 {place, how many}. */
function stopWords({ index }: ScoreContext): (row: number) => number {
  const { gaps } = index.directory;
  if (gaps.length === 0) return () => 0;
  const offsets = index.i32(gaps.offsets, index.nodes + 1);
  const bytes = index.u8(gaps.bytes, offsets[index.nodes]!);
  return (row) => {
    let total = 0;
    let isSize = false;
    eachVarint(bytes, offsets[row]!, offsets[row + 1]!, (value) => {
      if (isSize) total += value;
      isSize = !isSize;
    });
    return total;
  };
}
