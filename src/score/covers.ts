import type { Occurrence } from './row-words.js';

/** PostgreSQL keeps at most so many positions of a word in a document ... */
export const MAX_POSITIONS = 255;
/** ... and writes down all that lie beyond this one as this one, once a word. */
export const LAST_POSITION = 16383;

/** Words at fixed raw distances from the first (offsets[0] is 0, ascending). */
export interface PlacedPhrase {
  /** Places in the list of words, which is in byte order. */
  words: number[];
  offsets: number[];
}

export interface CoverQuery {
  /** Words that match alone, as places in the list of words. */
  single: number[];
  phrases: PlacedPhrase[];
}

/** One minimal cover. `operand`: a place in `single`, or that list's length plus a place in `phrases`. */
export interface Cover {
  operand: number;
  /** 1 / (1 + noise): how much of a word's weight it counts. */
  share: number;
}

interface Entry extends Occurrence {
  word: number;
}

interface Match {
  first: number;
  last: number;
  operand: number;
}

/**
 * The minimal covers of one document under a query of alternatives, as ts_rank_cd finds them (Clarke, Cormack
 * and Tudhope, 2000). A word that matches alone is a cover of its own wherever it stands; a phrase is one where
 * no other match lies inside. With every word of weight w a cover of m words over positions p .. q adds
 * w / (1 + noise), noise = (q - p) - (m - 1). `occurrences[word]` ascending.
 */
export function coversOf(occurrences: readonly (readonly Occurrence[])[], query: CoverQuery): Cover[] {
  const entries = occurrences
    .flatMap((list, word) => kept(list).map((at): Entry => ({ ...at, word })))
    .sort((a, b) => a.position - b.position || a.word - b.word);
  return minimal(matchesOf(entries, query)).map(({ first, last, operand }) => {
    const noise = entries[last]!.position - entries[first]!.position - (last - first);
    return { operand, share: 1 / (1 + (noise < 0 ? Math.trunc((last - first) / 2) : noise)) };
  });
}

/** What PostgreSQL would have written down of a word's positions. */
function kept(occurrences: readonly Occurrence[]): Occurrence[] {
  const out: Occurrence[] = [];
  for (const { position, field } of occurrences) {
    if (out.length === MAX_POSITIONS || out.at(-1)?.position === LAST_POSITION) break;
    out.push({ position: Math.min(position, LAST_POSITION), field });
  }
  return out;
}

function matchesOf(entries: readonly Entry[], { single, phrases }: CoverQuery): Match[] {
  const operandOf = new Map(single.map((word, operand) => [word, operand]));
  const matches: Match[] = entries.flatMap(({ word }, i) => {
    const operand = operandOf.get(word);
    return operand === undefined ? [] : [{ first: i, last: i, operand }];
  });
  const key = (word: number, field: number, position: number) => `${word} ${field} ${position}`;
  const places = new Map(entries.map(({ word, field, position }, i) => [key(word, field, position), i]));
  phrases.forEach(({ words, offsets }, p) => {
    entries.forEach(({ word, field, position }, first) => {
      if (word !== words[0]) return;
      const at = words.map((next, j) => places.get(key(next, field, position + offsets[j]!)));
      if (at.some((place) => place === undefined)) return;
      matches.push({ first, last: at.at(-1)!, operand: single.length + p });
    });
  });
  return matches;
}

/** Those inside which no other lies, by their ends; of equal ones the first operand's. */
function minimal(matches: readonly Match[]): Match[] {
  const ordered = [...matches].sort((a, b) => a.last - b.last || b.first - a.first || a.operand - b.operand);
  const out: Match[] = [];
  for (const match of ordered) {
    if (out.length === 0 || match.first > out.at(-1)!.first) out.push(match);
  }
  return out;
}
