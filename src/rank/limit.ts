import { CorankError } from '../errors.js';
import { MAX_DEPTH } from '../memory/layout.js';
import type { Skip } from '../types.js';

/** What each channel is asked for, whatever k: a constant, so that a shorter list is a prefix of a longer one. */
export const DEFAULT_DEPTH = 200;
/** System B's rule: three times k, so that the list depends on k and a shorter one is no prefix of a longer. */
export const THRICE_K = '3k';

export type Depth = number | typeof THRICE_K;

/** A single search feeds a prompt, and prompt is money (system B). */
const SEARCH = { usual: 8, most: 50 };
const BATCH = { usual: 100, most: MAX_DEPTH };

export interface Limits {
  k: number;
  depth: number;
  skipped: Skip[];
}

/** k of a single search: below 1 means 8, above 50 is clamped and said. NaN and fractions: INVALID_INPUT. */
export function searchLimits(k: number | undefined, depth: Depth | undefined): Limits {
  const asked = whole(k ?? SEARCH.usual);
  const wanted = asked < 1 ? SEARCH.usual : Math.min(asked, SEARCH.most);
  const skipped: Skip[] =
    asked > SEARCH.most
      ? [
          {
            channel: 'search',
            code: 'k_clamped',
            message: `k ${asked} was clamped to ${SEARCH.most}; use rank for longer lists`,
          },
        ]
      : [];
  return { ...withinDepth(wanted, depth), skipped };
}

/** k of a query in a batch: 1 to 10,000, and not above the depth. */
export function batchLimits(k: number | undefined, depth: Depth | undefined): Limits {
  const asked = whole(k ?? BATCH.usual);
  if (asked < 1 || asked > BATCH.most) {
    throw new CorankError('INVALID_INPUT', `k must be from 1 to ${BATCH.most}, got ${asked}`);
  }
  return { ...withinDepth(asked, depth), skipped: [] };
}

function withinDepth(k: number, depth: Depth | undefined): { k: number; depth: number } {
  const asked = depth === THRICE_K ? 3 * k : (depth ?? DEFAULT_DEPTH);
  if (!Number.isInteger(asked) || asked < 1 || asked > MAX_DEPTH) {
    throw new CorankError(
      'INVALID_INPUT',
      `depth must be a whole number from 1 to ${MAX_DEPTH} or ${THRICE_K} (three times k), got ${asked}`,
    );
  }
  if (k > asked) {
    throw new CorankError(
      'INVALID_INPUT',
      `k ${k} is above the depth of ${asked} that each channel is asked for: give --depth ${k} (depth) too`,
    );
  }
  return { k, depth: asked };
}

function whole(k: unknown): number {
  if (Number.isInteger(k)) return k as number;
  throw new CorankError('INVALID_INPUT', `k must be a whole number, got ${String(k)}`);
}
