import type { Scope } from '../access/scope.js';
import { countVisible } from '../kernels/bm25.js';
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

/** Visible rows that have the term. */
export function documentFrequency(context: ScoreContext, scope: Scope, term: number): number {
  const { count, rowsAt } = postingsOf(context, term);
  return scope.full ? count : countVisible(context.kernels, rowsAt, count, scope.bitmapAt);
}

/** Inverse document frequency over the visible rows: ln(1 + (N - df + 0.5) / (df + 0.5)), always above 0. */
export const idf = (scope: Scope, frequency: number): number =>
  Math.log(1 + (scope.visible - frequency + 0.5) / (frequency + 0.5));
