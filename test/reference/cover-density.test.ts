import { describe, expect, it } from 'vitest';
import { tsRankCd } from '../fixtures/ts-rank-cd.js';
import { coverDensity, type OrQuery, orQuery, placesOf } from './cover-density.js';

const { lexemes, documents, queries } = tsRankCd();

const lexeme = (word: string): string | null => {
  const known = lexemes[word];
  if (known === undefined) throw new Error(`no lexeme of ${word}`);
  return known;
};

/** As tsquery prints it, apart from the order of terms and phrases. */
function alternatives({ terms, phrases }: OrQuery): string[] {
  const quoted = (term: string) => `'${term}'`;
  const joined = phrases.map((phrase) =>
    phrase.terms.reduce((text, term, i) => {
      if (i === 0) return quoted(term);
      const distance = phrase.offsets[i]! - phrase.offsets[i - 1]!;
      return `${text} <${distance === 1 ? '-' : distance}> ${quoted(term)}`;
    }, ''),
  );
  return [...terms.map(quoted), ...joined].sort();
}

describe('the slow cover density', () => {
  const places = documents.map((text) => placesOf(text, lexeme));
  const score = (document: number, text: string) => coverDensity(places[document]!, orQuery(text, lexeme));

  it.each(queries.map((query) => [query.text, query] as const))(
    'agrees with PostgreSQL on %s',
    (text, theirs) => {
      const query = orQuery(text, lexeme);
      expect(alternatives(query)).toEqual(
        theirs.rewritten
          .split(' | ')
          .filter((part) => part !== '')
          .sort(),
      );
      const ours = places.map((document) => coverDensity(document, query));
      expect(ours.flatMap((value, document) => (value > 0 ? [document] : []))).toEqual(theirs.matching);
      theirs.matching.forEach((document, i) => {
        const value = theirs.scores[i]!;
        expect(Math.abs(ours[document]! - value), `document ${document}`).toBeLessThanOrEqual(1e-6 * value);
      });
    },
  );

  it('gives the table of the specification, systems.md B.2', () => {
    const three = 'lateness policy supervisor';
    const two = 'lateness policy';
    const rows = [0, 1, 2, 3].map((document) => [score(document, three), score(document, two)]);
    const rounded = rows.map((row) => row.map((value) => Number(value.toFixed(12))));
    expect(rounded).toEqual([
      [0.3, 0.2],
      [0.2, 0.2],
      [0.4, 0.4],
      [0.2, 0.2],
    ]);
    const phrase = [4, 5, 6].map((document) => Number(score(document, '"night shift"').toFixed(12)));
    expect(phrase).toEqual([0.1, 0.2, 0]);
  });
});
