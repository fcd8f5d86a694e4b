import type { Scope } from '../access/scope.js';
import { bitmapWords, isSet } from '../memory/bitmap.js';
import { TextView } from '../memory/text-view.js';
import type { Boundaries } from './boundaries.js';
import { type Cancelled, type ScoreContext, stopIf } from './context.js';
import { LEAST_QUALIFIED_BYTES, matcher } from './seed-match.js';
import { TokenBytes } from './token-bytes.js';

export interface SeedsRequest {
  tokens: string[];
  boundaries: Boundaries;
}

/** Visible rows that match any token, ascending, and their matches (see Matches). */
export interface SeedRows {
  rows: Uint32Array;
  names: Uint32Array;
  qualifiedNames: Uint32Array;
}

/** Rows between two looks at whether the answer is still wanted. */
const BLOCK = 0x10000;

/**
 * One pass over the bytes of the visible rows' names finds those that may match; the rule itself (C.3) is applied to
 * these alone. Nothing is kept from one query to the next.
 */
export function scoreSeeds(
  { index }: ScoreContext,
  scope: Scope,
  { tokens, boundaries }: SeedsRequest,
  cancelled: Cancelled,
): SeedRows {
  const { names, qualifiedNames } = index.directory;
  const name = names && new TextView(index.memory, names);
  const qualified = qualifiedNames && new TextView(index.memory, qualifiedNames);
  const visible = index.u32(scope.bitmapAt, bitmapWords(index.nodes));
  const isName = new TokenBytes(tokens);
  const sought = new TokenBytes(tokens.filter((token) => Buffer.byteLength(token) >= LEAST_QUALIFIED_BYTES));
  const match = matcher(tokens, boundaries);
  const found: { row: number; names: number; qualifiedNames: number }[] = [];
  for (let row = 0; row < index.nodes && tokens.length > 0; row++) {
    if (row % BLOCK === 0) stopIf(cancelled);
    if (!isSet(visible, row)) continue;
    const may =
      (name !== undefined && isName.mayEqual(name.bytes, name.start(row), name.end(row))) ||
      (qualified !== undefined &&
        sought.mayStandIn(qualified.bytes, qualified.start(row), qualified.end(row)));
    if (!may) continue;
    const matches = match({ name: name?.get(row), qualifiedName: qualified?.get(row) });
    if (matches.names > 0 || matches.qualifiedNames > 0) found.push({ row, ...matches });
  }
  return {
    rows: Uint32Array.from(found, ({ row }) => row),
    names: Uint32Array.from(found, (one) => one.names),
    qualifiedNames: Uint32Array.from(found, (one) => one.qualifiedNames),
  };
}
