import type { Scope } from '../access/scope.js';
import { bitmapWords, isSet } from '../memory/bitmap.js';
import type { Directory, ListAt } from '../memory/directory.js';
import type { SharedIndex } from '../memory/shared-index.js';

type Derived = NonNullable<Directory['derived']>;

/** A phrase of more visible passages says too little, one of a single passage nothing (QUALITY, section 3). */
const LEAST_PASSAGES = 2;
const MOST_PASSAGES = 50;

/** A link as it is walked: mass goes from `from` to `to`; nodes by row, phrases behind them. */
export type EachLink = (from: number, to: number, weight: number) => void;

export interface DerivedWeights {
  /** Weight of a mention, times how often it occurs; of its reversal. */
  mention: number;
  reversal: number;
  /** Weight of phrases, over the number of their visible passages. */
  phrase: number;
}

/**
 * Calls `each` for the derived links of a scope, counted over visible passages only: mentions by passage, then their
 * reversals, then phrases. The same order, weights and rows, hidden ones left out, as in an index of the visible rows.
 */
export function eachDerivedLink(
  index: SharedIndex,
  scope: Scope,
  derived: Derived,
  weights: DerivedWeights,
  each: EachLink,
): void {
  const visible = index.u32(scope.bitmapAt, bitmapWords(index.nodes));
  const mentions = visibleMentions(index, visible, derived);
  if (weights.mention > 0) mentions((from, to, count) => each(from, to, weights.mention * count));
  if (weights.reversal > 0) mentions((from, to, count) => each(to, from, weights.reversal * count));
  if (weights.phrase === 0) return;
  const { starts, values } = listOf(index, derived.phrases);
  for (let phrase = 0; phrase < derived.phrases.rows; phrase++) {
    const passages = [];
    for (let i = starts[phrase]!; i < starts[phrase + 1]! && passages.length <= MOST_PASSAGES; i++)
      if (isSet(visible, values[i]!)) passages.push(values[i]!);
    if (passages.length < LEAST_PASSAGES || passages.length > MOST_PASSAGES) continue;
    const weight = weights.phrase / passages.length;
    const at = index.nodes + phrase;
    for (const row of passages) {
      each(row, at, weight);
      each(at, row, weight);
    }
  }
}

/** Calls back with (passage, mentioned passage, how often), ascending, as often as it is asked. */
function visibleMentions(index: SharedIndex, visible: Uint32Array, { titles, mentions }: Derived) {
  const titled = listOf(index, titles);
  const covers = listOf(index, mentions.covers);
  const from = index.u32(mentions.from, mentions.rows);
  const title = index.u32(mentions.title, mentions.rows);
  const count = index.u32(mentions.count, mentions.rows);
  const seen = Uint8Array.from({ length: titles.rows }, (_, place) => {
    for (let i = titled.starts[place]!; i < titled.starts[place + 1]!; i++)
      if (isSet(visible, titled.values[i]!)) return 1;
    return 0;
  });
  const isCovered = (mention: number): boolean => {
    for (let i = covers.starts[mention]!; i < covers.starts[mention + 1]!; i++)
      if (seen[covers.values[i]!] === 1) return true;
    return false;
  };
  return (each: (from: number, to: number, count: number) => void): void => {
    for (let m = 0; m < mentions.rows; ) {
      const row = from[m]!;
      const counts = new Map<number, number>();
      for (; m < mentions.rows && from[m] === row; m++) {
        if (!isSet(visible, row) || isCovered(m)) continue;
        for (let i = titled.starts[title[m]!]!; i < titled.starts[title[m]! + 1]!; i++) {
          const to = titled.values[i]!;
          if (to !== row && isSet(visible, to)) counts.set(to, (counts.get(to) ?? 0) + count[m]!);
        }
      }
      for (const to of [...counts.keys()].sort((a, b) => a - b)) each(row, to, counts.get(to)!);
    }
  };
}

function listOf(index: SharedIndex, { rows, starts, values, length }: ListAt) {
  return { starts: index.i32(starts, rows + 1), values: index.u32(values, length) };
}
