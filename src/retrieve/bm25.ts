import { MAX_PHRASE_TERMS } from '../memory/layout.js';
import type { Bm25Request } from '../score/bm25-request.js';
import type { PhraseRequest } from '../score/phrase.js';
import type { Skip } from '../types.js';
import { type Bm25Options, type Bm25Parameters, bm25Parameters } from './bm25-parameters.js';
import { hitsOf } from './hits.js';
import { type QueryWord, queryWords, termWeights } from './query-words.js';
import type { Hit, RetrieveRequest, Retriever } from './retriever.js';
import type { Runtime } from './runtime.js';

/**
 * BM25 over the scored fields, every number counted over the visible rows. Terms are alternatives; a quoted
 * phrase scores its words only in rows where they stand side by side at raw positions. Neighbouring words of the query that stand next to
 * each other in the text count extra (`pairs`). Throws INVALID_INPUT for options out of range.
 */
export function bm25(options: Bm25Options = {}): Retriever {
  const parameters = bm25Parameters(options);
  return {
    name: 'bm25',
    async retrieve(request, { signal }) {
      const settings = parameters(request.runtime.analyzer.name);
      const { scoring, labels, skipped } = requestFor(request.runtime, request.text, settings, request.limit);
      if (scoring.terms.length === 0 && scoring.quoted.length === 0) return { hits: [], skipped };
      const list = await request.runtime.pool.run('bm25', request.scope, scoring, signal);
      const hits: Hit[] = hitsOf(request, 'bm25', list);
      if (request.explain) await explain(request, scoring, labels, list.rows, hits, signal);
      return { hits, skipped };
    },
  };
}

function requestFor(
  runtime: Runtime,
  text: string,
  settings: Bm25Parameters,
  limit: number,
): { scoring: Bm25Request; labels: string[]; skipped: Skip[] } {
  // labels: what each addend stands for, in the order of terms, quoted and pairs.
  const { parts, phrases } = queryWords(text, runtime.analyzer, settings.phrases);
  const find = termFinder(runtime);
  const skipped: Skip[] = [];
  const terms = new Map<string, { term: number; weight: number }>();
  for (const [term, weight] of termWeights(text, parts, runtime.analyzer))
    terms.set(term, { term: find(term), weight });
  const quoted = new Map<string, PhraseRequest>();
  const pairs = new Map<string, PhraseRequest>();
  for (const phrase of phrases) {
    const kept = phrase.slice(0, MAX_PHRASE_TERMS);
    if (kept.length < phrase.length) skipped.push(longPhrase(phrase.length));
    const gaps = kept.map((word, i) => (i === 0 ? 0 : word.gap));
    const label = `"${kept.map((word) => word.term).join(' ')}"${gaps.some((gap) => gap > 0) ? gaps.join() : ''}`;
    add(quoted, label, { terms: kept.map((word) => find(word.term)), gaps, weight: 1 });
  }
  if (settings.pairs > 0) for (const part of parts) addPairs(pairs, part, find, settings.pairs);
  const known = [...terms].filter(([, request]) => request.term >= 0);
  const complete = (requests: Map<string, PhraseRequest>): [string, PhraseRequest][] =>
    [...requests].filter(([, request]) => request.terms.every((term) => term >= 0));
  const fields = runtime.manifest.scored;
  return {
    scoring: {
      form: settings.form,
      k1: settings.k1,
      weights: fields.map((field) => settings.weights[field]),
      b: fields.map(settings.b),
      pairB: settings.pairB,
      terms: known.map(([, request]) => request),
      quoted: complete(quoted).map(([, request]) => request),
      pairs: complete(pairs).map(([, request]) => request),
      limit,
    },
    labels: [...known, ...complete(quoted), ...complete(pairs)].map(([label]) => label),
    skipped,
  };
}

/** Gives each hit the contribution of every term and phrase that it has. */
async function explain(
  { runtime, scope }: RetrieveRequest,
  scoring: Bm25Request,
  labels: readonly string[],
  rows: Uint32Array,
  hits: Hit[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const contributions = await runtime.pool.run('explainBm25', scope, { ...scoring, rows }, signal);
  hits.forEach((hit, r) => {
    hit.explain = labels
      .map((label, i) => ({ from: `bm25:${label}`, value: contributions[i * rows.length + r]! }))
      .filter(({ value }) => value !== 0);
  });
}

function addPairs(
  into: Map<string, PhraseRequest>,
  part: readonly QueryWord[],
  find: (term: string) => number,
  weight: number,
): void {
  for (let i = 0; i + 1 < part.length; i++) {
    const first = part[i]!.term;
    const second = part[i + 1]!.term;
    if (first === second) continue;
    add(into, `${first} ${second}`, { terms: [find(first), find(second)], gaps: undefined, weight });
  }
}

/** Repeats of a term or pair add up, at the place of the first. */
function add<T extends { weight: number }>(into: Map<string, T>, key: string, request: T): void {
  const known = into.get(key);
  if (known === undefined) into.set(key, request);
  else known.weight += request.weight;
}

function termFinder(runtime: Runtime): (term: string) => number {
  const known = new Map<string, number>();
  return (term) => {
    let found = known.get(term);
    if (found === undefined) {
      found = runtime.terms.find(term);
      known.set(term, found);
    }
    return found;
  };
}

const longPhrase = (words: number): Skip => ({
  channel: 'bm25',
  code: 'phrase_cut',
  count: words - MAX_PHRASE_TERMS,
  message: `a quoted phrase of ${words} words was cut to its first ${MAX_PHRASE_TERMS}`,
});
