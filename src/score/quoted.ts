import type { Scope } from '../access/scope.js';
import { bm25Accumulate } from '../kernels/bm25.js';
import type { Bm25Settings } from './bm25-request.js';
import type { FieldTable } from './code-tables.js';
import type { ScoreContext } from './context.js';
import { matchPhrase, type PhraseRequest } from './phrase.js';
import { documentFrequency, idf, postingsOf } from './term.js';

/** A quoted phrase: each of its words scores as it would alone, in the rows that have the phrase and no others. */
export function addQuoted(
  context: ScoreContext,
  scope: Scope,
  request: Bm25Settings,
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
      phrase.weight * idf(scope, documentFrequency(context, scope, term, fields)) * (request.k1 + 1),
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
