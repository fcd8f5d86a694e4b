import type { CoverDensityRequest } from '../score/cover-density.js';
import { hitsOf } from './hits.js';
import { type QueryWord, queryWords } from './query-words.js';
import type { Retriever } from './retriever.js';
import type { Runtime } from './runtime.js';

/** A request and what each of its operands is called. */
interface Wanted {
  request: CoverDensityRequest;
  labels: string[];
}

/**
 * System B's own ranking of words: PostgreSQL's ts_rank_cd with default weights, under a query whose words are
 * alternatives. It counts: 0.1 for each occurrence of a word, 0.1 / (1 + n) for each place of a quoted phrase
 * with n other words between; no rarity, no closeness, no length. It is here to reproduce that system; `bm25`
 * ranks better. Frequencies stop at 255 and positions at 16,383, as they do there. The scored fields count
 * like one text, but phrases stay within a field.
 */
export function coverDensity(): Retriever {
  return {
    name: 'cover_density',
    async retrieve(request, { signal }) {
      const { request: wanted, labels } = wantedBy(request.runtime, request.text, request.limit);
      if (labels.length === 0) return { hits: [] };
      const { pool } = request.runtime;
      const list = await pool.run('coverDensity', request.scope, wanted, signal);
      const hits = hitsOf(request, 'cover_density', list);
      if (request.explain) {
        const asked = { ...wanted, rows: list.rows };
        const shares = await pool.run('explainCoverDensity', request.scope, asked, signal);
        hits.forEach((hit, r) => {
          hit.explain = labels
            .map((label, i) => ({ from: `cover_density:${label}`, value: shares[i * hits.length + r]! }))
            .filter(({ value }) => value !== 0);
        });
      }
      return { hits };
    },
  };
}

function wantedBy(runtime: Runtime, text: string, limit: number): Wanted {
  const { parts, phrases } = queryWords(text, runtime.analyzer, true);
  const alone = parts.flat();
  const numbers = new Map<string, number>();
  for (const { term } of [...alone, ...phrases.flat()]) {
    if (!numbers.has(term)) numbers.set(term, runtime.terms.find(term));
  }
  const terms = [...numbers.values()].filter((number) => number >= 0).sort((a, b) => a - b);
  const placeOf = new Map(terms.map((number, i) => [number, i]));
  /** Place of a word among the request's; -1 for a word that the index does not have. */
  const place = ({ term }: QueryWord): number => placeOf.get(numbers.get(term)!) ?? -1;
  const single = new Map<number, string>();
  for (const word of alone) if (place(word) >= 0) single.set(place(word), word.term);
  const placed = new Map<string, CoverDensityRequest['phrases'][number]>();
  for (const phrase of phrases) {
    const words = phrase.map(place);
    if (words.some((word) => word < 0)) continue;
    const offsets = offsetsOf(phrase);
    placed.set(labelOf(phrase, offsets), { words, offsets });
  }
  return {
    request: { terms, single: [...single.keys()], phrases: [...placed.values()], limit },
    labels: [...single.values(), ...placed.keys()],
  };
}

/** Raw distance of each word from the first: stop words inside the quotes keep their places. */
function offsetsOf(phrase: readonly QueryWord[]): number[] {
  let offset = 0;
  return phrase.map(({ gap }, i) => {
    if (i > 0) offset += gap + 1;
    return offset;
  });
}

/** `"night shift"`; with stop words between, their number: `"night <2> shift"`. */
function labelOf(phrase: readonly QueryWord[], offsets: readonly number[]): string {
  const words = phrase.map(({ term }, i) => {
    const distance = i === 0 ? 1 : offsets[i]! - offsets[i - 1]!;
    return distance === 1 ? term : `<${distance}> ${term}`;
  });
  return `"${words.join(' ')}"`;
}
