/** A text without its stop words: the terms, and how many stop words stood right before each. */
export interface StopFree {
  terms: string[];
  gaps: number[];
}

export function stopFree(tokens: readonly string[], isStop: (token: string) => boolean): StopFree {
  const terms: string[] = [];
  const gaps: number[] = [];
  let gap = 0;
  for (const token of tokens) {
    if (isStop(token)) gap++;
    else {
      terms.push(token);
      gaps.push(gap);
      gap = 0;
    }
  }
  return { terms, gaps };
}

/**
 * How often the phrase stands in the text: places p at which term j is at p + j for all j. With `exact`, the
 * same number of stop words must stand between neighbours too; those around the phrase do not matter.
 */
export function occurrences(text: StopFree, phrase: StopFree, exact: boolean): number {
  let count = 0;
  for (let p = 0; p + phrase.terms.length <= text.terms.length; p++) {
    const matches = phrase.terms.every(
      (term, j) => text.terms[p + j] === term && (!exact || j === 0 || text.gaps[p + j] === phrase.gaps[j]),
    );
    if (matches) count++;
  }
  return count;
}
