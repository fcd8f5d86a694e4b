import { compareIds } from '../index/id-order.js';

/**
 * The one order of results: score down, then id up in UTF-8 byte order. Rows are numbered in that order of
 * ids, so two rows of one index compare as their ids do.
 */
export const byScoreThenRow = (
  a: { score: number; row: number },
  b: { score: number; row: number },
): number => b.score - a.score || a.row - b.row;

export const byScoreThenId = (a: { score: number; id: string }, b: { score: number; id: string }): number =>
  b.score - a.score || compareIds(a.id, b.id);
