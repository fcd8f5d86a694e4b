import type { Scope } from '../access/scope.js';
import { phraseMatch } from '../kernels/phrase.js';
import type { ScoreContext } from './context.js';

/** Terms that must follow one another: a quoted phrase, or an ordered pair of neighbouring query words. */
export interface PhraseRequest {
  terms: number[];
  /** Quoted: stop words that stood before each term inside the quotes; undefined lets stop words stand between. */
  gaps: number[] | undefined;
  weight: number;
}

/** Fills the scratch lists with the visible rows that have the phrase and how often; returns their number. */
export function matchPhrase(
  { index, kernels, scratch }: ScoreContext,
  scope: Scope,
  phrase: PhraseRequest,
): number {
  const { postings, terms, gaps } = index.directory;
  const wanted = phrase.gaps?.some((gap) => gap > 0) === true;
  // Without any stop word in the index nothing stands between words: quotes ask for plain neighbours.
  if (wanted && gaps.length === 0) return 0;
  const checkGaps = phrase.gaps !== undefined && gaps.length > 0;
  const starts = index.i32(postings.starts, terms.rows + 1);
  const records = index.u32(scratch.phraseTerms, phrase.terms.length * 4);
  phrase.terms.forEach((term, j) => {
    const from = starts[term]!;
    records[4 * j] = postings.rows.at + from * 4;
    records[4 * j + 1] = starts[term + 1]! - from;
    records[4 * j + 2] = postings.positionOffsets + from * 4;
    records[4 * j + 3] = 0;
  });
  if (checkGaps) index.u32(scratch.phraseGaps, phrase.gaps!.length).set(phrase.gaps!);
  return phraseMatch(
    kernels,
    scratch.phraseTerms,
    phrase.terms.length,
    postings.positions,
    checkGaps ? scratch.phraseGaps : 0,
    checkGaps ? gaps.offsets : 0,
    checkGaps ? gaps.bytes : 0,
    scope.bitmapAt,
    scratch.phrasePositions,
    scratch.phraseRows,
    scratch.phraseCounts,
  );
}
