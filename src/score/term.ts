import type { Scope } from '../access/scope.js';
import { countVisible } from '../kernels/bm25.js';
import { bitmapWords, isSet } from '../memory/bitmap.js';
import type { ScoreContext } from './context.js';

/** Where a term's postings lie: the place of the first, their number, the address of their rows. */
export function postingsOf(
  { index }: ScoreContext,
  term: number,
): { from: number; count: number; rowsAt: number } {
  const { terms, postings } = index.directory;
  const starts = index.i32(postings.starts, terms.rows + 1);
  const from = starts[term]!;
  return { from, count: starts[term + 1]! - from, rowsAt: postings.rows.at + from * 4 };
}

/** Visible rows that have the term in a field of weight above 0: a field of weight 0 is as good as absent. */
export function documentFrequency(
  context: ScoreContext,
  scope: Scope,
  term: number,
  fields: readonly { field: number }[],
): number {
  const { index, kernels } = context;
  const { from, count, rowsAt } = postingsOf(context, term);
  const { codeBytes, fields: all } = index.directory;
  if (fields.length === all.length)
    return scope.full ? count : countVisible(kernels, rowsAt, count, scope.bitmapAt);
  const rows = index.u32(rowsAt, count);
  const words = index.u32(scope.bitmapAt, bitmapWords(index.nodes));
  const codes = fields.map(({ field }) => {
    const at = all[field]!.codes + from * codeBytes;
    return codeBytes === 2 ? index.u16(at, count) : index.u32(at, count);
  });
  let frequency = 0;
  for (let p = 0; p < count; p++) {
    if (isSet(words, rows[p]!) && codes.some((field) => field[p] !== 0)) frequency++;
  }
  return frequency;
}

/** Inverse document frequency over the visible rows: ln(1 + (N - df + 0.5) / (df + 0.5)), always above 0. */
export const idf = (scope: Scope, frequency: number): number =>
  Math.log(1 + (scope.visible - frequency + 0.5) / (frequency + 0.5));
