import type { Scope } from '../access/scope.js';
import { bitmapWords, isSet } from '../memory/bitmap.js';
import { perScope, type ScoreContext } from './context.js';

/** Sums of token counts over the visible rows: whole numbers, so that no order of addition matters. */
export interface FieldStatistics {
  /** Per scored field of the directory. */
  totals: number[];
}

export function fieldStatistics(context: ScoreContext, scope: Scope): FieldStatistics {
  return perScope(context, scope, 'field-statistics', () => {
    const { index } = context;
    const words = index.u32(scope.bitmapAt, bitmapWords(index.nodes));
    const totals = index.directory.fields.map((field) => {
      const lengths = index.u32(field.lengths, index.nodes);
      let total = 0;
      for (let row = 0; row < index.nodes; row++) if (isSet(words, row)) total += lengths[row]!;
      return total;
    });
    return { totals };
  });
}

/** Average length of a field over all visible rows; rows without the field count 0. */
export const averageLength = (total: number, scope: Scope): number =>
  scope.visible === 0 ? 0 : total / scope.visible;

/**
 * Length norm of BM25: 1 - b + b * length / average (Robertson et al., 1994). Where the average is 0 no
 * visible row has the field, and the value goes nowhere.
 */
export const lengthNorm = (length: number, average: number, b: number): number =>
  average === 0 ? 1 : 1 - b + (b * length) / average;
