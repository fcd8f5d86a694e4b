/** Longer titles are not looked for. */
export const MOST_TITLE_WORDS = 16;

/** A text's words, case kept. */
export const wordsOf = (text: string): string[] => text.match(/[\p{L}\p{M}\p{N}_]+/gu) ?? [];

/**
 * The words by which other texts mention this title: a trailing bracket is left out; undefined for a title that says
 * too little (one word of under 4 letters, or in lower case) and for one of more than 16 words.
 */
export function titleWords(title: string): string[] | undefined {
  const words = wordsOf(title.replace(/\s*\([^()]*\)\s*$/u, ''));
  if (words.length === 0 || words.length > MOST_TITLE_WORDS) return undefined;
  const [first] = words as [string];
  const tooLittle = words.length === 1 && (first.length < 4 || first === first.toLowerCase());
  return tooLittle ? undefined : words;
}
