import type { AccessView } from '../memory/access-view.js';
import { bitmapWords, countBits, fillBitmap } from '../memory/bitmap.js';
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
  /** Whether the caller may read what the index's own vectors were learned from; true when there are none. */
  readonly mayUseOwnVectors: boolean;
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
  for (const passes of tests) keepPassing(words, passes);
  return countBits(words.subarray(0, bitmapWords(nodes)));
}

/** Clears the bits of rows that do not pass. */
function keepPassing(words: Uint32Array, passes: RowTest): void {
  for (let w = 0; w < words.length; w++) {
    let left = words[w]!;
    let kept = left;
    while (left !== 0) {
      const bit = 31 - Math.clz32(left);
      left ^= 1 << bit;
      if (!passes(w * 32 + bit)) kept ^= 1 << bit;
    }
    words[w] = kept;
  }
}

/**
 * A row is readable when its org is the caller's, its source is asked for and its acl meets the grants: decided
 * once a class, then looked up row by row.
 */
function fillReadable(
  words: Uint32Array,
  caller: Caller & { mode: 'scoped' },
  access: AccessView,
  nodes: number,
): void {
  const readable = readableClasses(caller, access);
  const { classOf } = access;
  for (let w = 0, row = 0; row < nodes; w++) {
    const end = Math.min(nodes, row + 32);
    let bits = 0;
    for (let bit = 0; row < end; row++, bit++) bits |= readable[classOf[row]!]! << bit;
    words[w] = bits;
  }
}

/** 1 for each class that the caller may read, else 0. */
function readableClasses(caller: Caller & { mode: 'scoped' }, access: AccessView): Uint8Array {
  const readable = new Uint8Array(access.org.length);
  const org = access.code(caller.org);
  if (org < 0) return readable;
  const granted = marks(access, caller.grants);
  const asked = marks(access, caller.sources);
  const { tagStarts, tags } = access;
  for (let code = 0; code < readable.length; code++) {
    if (access.org[code] !== org || asked[access.source[code]!] === 0) continue;
    for (let t = tagStarts[code]!; t < tagStarts[code + 1]!; t++) {
      if (granted[tags[t]!] === 1) {
        readable[code] = 1;
        break;
      }
    }
  }
  return readable;
}

function marks(access: AccessView, labels: readonly string[]): Uint8Array {
  const marked = new Uint8Array(access.labelCount);
  for (const label of labels) {
    const code = access.code(label);
    if (code >= 0) marked[code] = 1;
  }
  return marked;
}
