/** A term and where it stands, counted from 1 with the stop words. */
export interface Place {
  term: string;
  at: number;
}

/** Alternatives: single terms, and phrases whose `offsets` say how far each term stands from the first. */
export interface OrQuery {
  terms: string[];
  phrases: { terms: string[]; offsets: number[] }[];
}

/** Stem of a word, null for a stop word. */
type Lexeme = (word: string) => string | null;

const WEIGHT = 0.1;
const PLACES_PER_TERM = 255;
const LAST_PLACE = 16383;

/**
 * ts_rank_cd with default weights. A cover is a stretch of the document's query terms in which the query
 * matches, and in no shorter stretch inside it; so a term that is an alternative of its own hides the phrases
 * around it. A cover over m terms counts m / sum(1 / weight) / (1 + noise), where noise is the number of other
 * words in it: where terms share the last place and that would be negative, half of the gaps.
 */
export function coverDensity(document: readonly Place[], query: OrQuery): number {
  const wanted = new Set([...query.terms, ...query.phrases.flatMap(({ terms }) => terms)]);
  const places = kept(document).filter(({ term }) => wanted.has(term));
  let score = 0;
  for (const [first, last] of minimal(matches(places, query))) {
    const m = last - first + 1;
    const noise = places[last]!.at - places[first]!.at - (m - 1);
    score += m / (m * (1 / WEIGHT)) / (1 + (noise >= 0 ? noise : Math.floor((m - 1) / 2)));
  }
  return score;
}

/** What a tsvector holds of a document: the first 255 places of each term, all from 16,383 on as one. */
function kept(document: readonly Place[]): Place[] {
  const places = new Map<string, Set<number>>();
  for (const { term, at } of document) {
    const known = places.get(term) ?? new Set();
    if (known.size < PLACES_PER_TERM) known.add(Math.min(at, LAST_PLACE));
    places.set(term, known);
  }
  return [...places]
    .flatMap(([term, ats]) => [...ats].map((at) => ({ term, at })))
    .sort((a, b) => a.at - b.at || (a.term < b.term ? -1 : 1));
}

type Stretch = [first: number, last: number];

function matches(places: readonly Place[], { terms, phrases }: OrQuery): Stretch[] {
  const index = (term: string, at: number) => places.findIndex((p) => p.term === term && p.at === at);
  const found: Stretch[] = [];
  places.forEach(({ term, at }, i) => {
    if (terms.includes(term)) found.push([i, i]);
    for (const phrase of phrases) {
      if (phrase.terms[0] !== term) continue;
      const indexes = phrase.terms.map((other, j) => index(other, at + phrase.offsets[j]!));
      if (indexes.every((j) => j >= 0)) found.push([i, indexes.at(-1)!]);
    }
  });
  return found;
}

/** Each stretch once, without those that have another one inside. */
function minimal(stretches: readonly Stretch[]): Stretch[] {
  return stretches.filter(
    ([first, last], i) =>
      !stretches.some(([f, l], j) => f >= first && l <= last && (f > first || l < last || j < i)),
  );
}

export function placesOf(text: string, lexeme: Lexeme): Place[] {
  return wordsOf(text).flatMap((word, i) => {
    const term = lexeme(word);
    return term === null ? [] : [{ term, at: i + 1 }];
  });
}

/**
 * A web-search text with every word an alternative: leading `-` fall away, quotes join words to phrases up to
 * the next quote or the end, a phrase of one term is a term. For plain words: anything else only separates.
 */
export function orQuery(text: string, lexeme: Lexeme): OrQuery {
  const query: OrQuery = { terms: [], phrases: [] };
  const fields = text.split(/\s+/).map((field) => field.replace(/^-+/, ''));
  for (const [i, part] of fields.join(' ').split('"').entries()) {
    const places = placesOf(part, lexeme);
    const quoted = i % 2 === 1;
    if (!quoted || places.length === 1) query.terms.push(...places.map(({ term }) => term));
    else if (places.length > 1)
      query.phrases.push({
        terms: places.map(({ term }) => term),
        offsets: places.map(({ at }) => at - places[0]!.at),
      });
  }
  return query;
}

function wordsOf(text: string): string[] {
  return text.match(/[a-z]+/g) ?? [];
}
