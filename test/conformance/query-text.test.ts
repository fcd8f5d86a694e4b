import { describe, expect, it } from 'vitest';
import { analyzerNamed } from '../../src/ingest/analyzer.js';
import { type QueryWord, queryWords } from '../../src/retrieve/query-words.js';

const english = analyzerNamed('english');

/** A query as corank reads it, in the notation of a tsquery: alternatives, and phrases by raw distance. */
function rewritten(text: string): string {
  const { parts, phrases } = queryWords(text, english, true);
  const phrase = (words: QueryWord[]): string =>
    words
      .map(({ term, gap }, i) => {
        const distance = gap === 0 ? '<->' : `<${gap + 1}>`;
        return i === 0 ? `'${term}'` : `${distance} '${term}'`;
      })
      .join(' ');
  // Phrases are collected beside the words, so the order of alternatives, which means nothing, may differ.
  return [...phrases.map(phrase), ...parts.flat().map(({ term }) => `'${term}'`)].join(' | ');
}

describe('the query texts of part B.1', () => {
  it.each([
    ['lateness policy supervisor', "'late' | 'polici' | 'supervisor'"],
    ['"night shift" lateness', "'night' <-> 'shift' | 'late'"],
    ['lateness -draft', "'late' | 'draft'"],
    ['the of and', ''],
    ['---', ''],
    ['or', ''],
  ])('%s is read as the original reads it', (text, expected) => {
    expect(rewritten(text)).toBe(expected);
  });

  it('a quote that is never closed reaches to the end', () => {
    // "here" is a stop word of PostgreSQL and of corank's list.
    expect(rewritten('"unclosed phrase here')).toBe(rewritten('"unclosed phrase here"'));
    expect(rewritten('"unclosed phrase')).toMatch(/^'unclos' <-> '\w+'$/);
  });

  // The original makes a phrase of the word and its parts, in ways that differ between versions of PostgreSQL.
  it('a hyphenated word is its parts, like any two words', () => {
    expect(rewritten('part-time work')).toBe("'part' | 'time' | 'work'");
  });

  // There the bracket shields the hyphen, and the query is "anything without term".
  it.each(['(-term', '"-term"', '[-term', "'-term", '((--term', '\u2014-term', '. -term', '*-term'])(
    '%s means the word: nothing in front of a hyphen makes it an operator',
    (text) => {
      expect(rewritten(text)).toBe("'term'");
    },
  );

  it.each(['! late', 'late & ', 'late | ', 'late:*', '<-> late', 'late \u0000\u001b\u007f', '\ud800 late'])(
    'operators and control characters are plain text: %j',
    (text) => {
      expect(rewritten(text)).toBe("'late'");
    },
  );
});
