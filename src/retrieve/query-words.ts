import type { Analyzer } from '../ingest/analyzer.js';

/** A word of the query after analysis, with the stop words that stood before it in its part of the query. */
export interface QueryWord {
  term: string;
  gap: number;
}

/** The words outside quotes, part by part (neighbours within a part are neighbours), and the quoted phrases. */
export interface QueryWords {
  parts: QueryWord[][];
  phrases: QueryWord[][];
}

/**
 * Splits a query at its double quotes; a quote that is never closed reaches to the end. Everything else is
 * plain text: there are no operators, so a leading `-` has no meaning. With `phrases` false quotes are plain
 * text too. Linear in the length of the text.
 */
export function queryWords(text: string, analyzer: Analyzer, phrases: boolean): QueryWords {
  const words: QueryWords = { parts: [], phrases: [] };
  const segments = phrases ? text.split(/["\u201c\u201d]/) : [text];
  segments.forEach((segment, i) => {
    const found: QueryWord[] = [];
    analyzer.analyze(segment, (term, gap) => {
      found.push({ term, gap });
    });
    if (found.length === 0) return;
    const quoted = i % 2 === 1;
    if (quoted && found.length > 1) words.phrases.push(found);
    else words.parts.push(found);
  });
  return words;
}

/** What stands before the colon of `router: trailing slashes are lost`, as subjects of changes begin. */
const COMPONENT = /^\s*([^:\n]{1,60}):\s/;
const COMPONENT_WEIGHT = 1.5;

/**
 * How much each term of the query counts: as often as it occurs; on code once, however often (QUALITY section 4),
 * and 1.5 times when it names the component that the query is about.
 */
export function termWeights(
  text: string,
  parts: readonly (readonly QueryWord[])[],
  analyzer: Analyzer,
): Map<string, number> {
  const weights = new Map<string, number>();
  if (analyzer.name !== 'code') {
    for (const { term } of parts.flat()) weights.set(term, (weights.get(term) ?? 0) + 1);
    return weights;
  }
  for (const { term } of parts.flat()) weights.set(term, 1);
  const component = COMPONENT.exec(text)?.[1] ?? '';
  analyzer.analyze(component, (term) => {
    if (weights.has(term)) weights.set(term, COMPONENT_WEIGHT);
  });
  return weights;
}
