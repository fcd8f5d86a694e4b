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
/** System C: of a ranking, and of what is localised, where less than 1 means the usual. */
const RANK_BY_QUERY = { usual: 20, least: 1, most: 200 };
const LOCALIZE = { usual: 10, least: 1, most: 50 };
const DEPTH = { usual: 3, least: 0, most: 5 };
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

/** k of rankByQuery: clamped to 1 .. 200, and said. */
export function rankByQueryLimit(k: number | undefined): { k: number; skipped: Skip[] } {
  const asked = whole(k ?? RANK_BY_QUERY.usual);
  const wanted = Math.max(RANK_BY_QUERY.least, Math.min(asked, RANK_BY_QUERY.most));
  return { k: wanted, skipped: bent('rank_by_query', 'k', asked, wanted) };
}

/** k of localize: below 1 means 10, above 50 is 50. Depth of its walks: below 0 means 3, above 5 is 5. Both are said. */
export function localizeLimits(
  k: number | undefined,
  depth: number | undefined,
): { k: number; depth: number; skipped: Skip[] } {
  const within = (name: string, asked: number, { usual, least, most }: typeof LOCALIZE) => {
    const wanted = asked < least ? usual : Math.min(asked, most);
    return { wanted, said: bent('localize', name, asked, wanted) };
  };
  const ofK = within('k', whole(k ?? LOCALIZE.usual), LOCALIZE);
  const ofDepth = within('depth', whole(depth ?? DEPTH.usual, 'depth'), DEPTH);
  return { k: ofK.wanted, depth: ofDepth.wanted, skipped: [...ofK.said, ...ofDepth.said] };
}

const bent = (channel: string, name: string, asked: number, wanted: number): Skip[] =>
  asked === wanted
    ? []
    : [{ channel, code: `${name}_clamped`, message: `${name} ${asked} was clamped to ${wanted}` }];

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

function whole(value: unknown, name = 'k'): number {
  if (Number.isInteger(value)) return value as number;
  throw new CorankError('INVALID_INPUT', `${name} must be a whole number, got ${String(value)}`);
}
