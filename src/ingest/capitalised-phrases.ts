import { STOP_WORDS } from './stop-words.js';

/** Words that may stand inside a name without a capital. */
const INNER = new Set(['of', 'the', 'de', 'von', 'van', 'and', 'du', 'la', 'al', 'bin']);

/** Words, besides the stop words, that are often capitalised only because a sentence starts with them. */
const OPENERS = new Set(
  (
    'january february march april may june july august september october november december ' +
    'monday tuesday wednesday thursday friday saturday sunday ' +
    'american british english french german however also first second one two'
  ).split(' '),
);

/** Shorter phrases, in UTF-16 code units, say too little. */
const LEAST_LENGTH = 4;
/** Longer ones are no names. */
const MOST_WORDS = 16;

/**
 * The distinct runs of capitalised words of a text, in lower case: what is probably a name. Leading words that only
 * start sentences are left out (QUALITY, section 3). Linear in the text.
 */
export function capitalisedPhrases(text: string): Set<string> {
  const found = new Set<string>();
  let run: string[] = [];
  let inner: string[] = [];
  let end = 0;
  const close = () => {
    const phrase = phraseOf(run);
    if (phrase !== undefined) found.add(phrase);
    run = [];
    inner = [];
  };
  for (const { 0: word, index } of text.matchAll(/[\p{L}\p{N}_][\p{L}\p{M}\p{N}_'-]*/gu)) {
    const adjoining = /^\s+$/u.test(text.slice(end, index));
    end = index + word.length;
    if (/^\p{Lu}/u.test(word)) {
      if (!adjoining) close();
      if (run.length > 0) run.push(...inner);
      run.push(word);
      inner = [];
    } else if (run.length > 0 && adjoining && INNER.has(word)) inner.push(word);
    else close();
  }
  close();
  return found;
}

function phraseOf(run: readonly string[]): string | undefined {
  let start = 0;
  const skipped = (word: string) => {
    const small = word.toLowerCase();
    return STOP_WORDS.has(small) || OPENERS.has(small) || (start > 0 && INNER.has(word));
  };
  while (start < run.length && skipped(run[start]!)) start++;
  const words = run.slice(start);
  const phrase = words.join(' ').toLowerCase();
  return phrase.length < LEAST_LENGTH || words.length > MOST_WORDS ? undefined : phrase;
}
