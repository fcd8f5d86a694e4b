import type { AccessView } from '../memory/access-view.js';
import { bitmapWords, countBits, fillBitmap, isSet, setBit } from '../memory/bitmap.js';
import type { RowTest } from './filter.js';
import type { Caller } from './principal.js';

/**
 * What one caller may see, decided before anything is scored. Every scoring function takes one. It is made
 * in this folder only; the numbers in it may travel to threads.
 */
export interface Scope {
  /** Unique among the scopes of one engine; names cached per-scope data. */
  readonly id: number;
  /** Address of the bitmap over the nodes. */
  readonly bitmapAt: number;
  /** Visible nodes. */
  readonly visible: number;
  /** Whether every node is visible. */
  readonly full: boolean;
}

export interface ScopeInput {
  caller: Caller;
  access: AccessView | undefined;
  tests: readonly RowTest[];
  nodes: number;
}

/** Fills `words` with the rows that the caller may see and that pass every filter; returns their number. */
export function fillScope(words: Uint32Array, { caller, access, tests, nodes }: ScopeInput): number {
  words.fill(0);
  if (caller.mode === 'open') fillBitmap(words, nodes);
  else fillReadable(words, caller, access!, nodes);
  if (tests.length > 0) {
    for (let row = 0; row < nodes; row++) {
      if (isSet(words, row) && !tests.every((passes) => passes(row))) words[row >>> 5]! &= ~(1 << (row & 31));
    }
  }
  return countBits(words.subarray(0, bitmapWords(nodes)));
}

/** A row is readable when its org is the caller's, its source is asked for and its acl meets the grants. */
function fillReadable(
  words: Uint32Array,
  caller: Caller & { mode: 'scoped' },
  access: AccessView,
  nodes: number,
): void {
  const org = access.code(caller.org);
  if (org < 0) return;
  const granted = marks(access, caller.grants);
  const asked = marks(access, caller.sources);
  const { tagStarts, tags } = access;
  for (let row = 0; row < nodes; row++) {
    if (access.org[row] !== org || asked[access.source[row]!] === 0) continue;
    for (let t = tagStarts[row]!; t < tagStarts[row + 1]!; t++) {
      if (granted[tags[t]!] === 1) {
        setBit(words, row);
        break;
      }
    }
  }
}

function marks(access: AccessView, labels: readonly string[]): Uint8Array {
  const marked = new Uint8Array(access.labelCount);
  for (const label of labels) {
    const code = access.code(label);
    if (code >= 0) marked[code] = 1;
  }
  return marked;
}
