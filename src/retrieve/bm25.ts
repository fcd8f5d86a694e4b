import { CorankError } from '../errors.js';
import { SCORED_FIELDS, type ScoredField } from '../index/fields.js';
import { MAX_PHRASE_TERMS } from '../memory/layout.js';
import type { Bm25Request } from '../score/bm25-request.js';
import type { PhraseRequest } from '../score/phrase.js';
import type { Skip } from '../types.js';
import { hitsOf } from './hits.js';
import { factor, flag, fraction, knownKeys, oneOf } from './options.js';
import { type QueryWord, queryWords } from './query-words.js';
import type { Hit, RetrieveRequest, Retriever } from './retriever.js';
import type { Runtime } from './runtime.js';

export interface Bm25Options {
  /** How fast repeats of a word stop counting; 0.5 to 2; default 1.2. */
  k1?: number;
  /** How much length counts, 0 to 1; default 0.6. One number, or one per field and `default` for all others. */
  b?: number | Partial<Record<ScoredField | 'default', number>>;
  /** `fields` (default): each field normalised by its own length, then added. `joined`: one long field. */
  form?: 'fields' | 'joined';
  /** Weight of a field; what is not named keeps its default (`joined`: 1). */
  weights?: Partial<Record<ScoredField, number>>;
  /** Weight of neighbouring query words found next to each other; 0 switches them off; default 0.2. */
  pairs?: number;
  /** Whether double quotes ask for words side by side (default) or are plain text. */
  phrases?: boolean;
}

const DEFAULT_B = 0.6;

/** Weights of QUALITY section 1: a word of the title counts three times, names and paths likewise. */
const DEFAULT_WEIGHTS: Record<ScoredField, number> = {
  name: 3,
  qualifiedName: 1,
  container: 1,
  stem: 3,
  folders: 3,
  title: 3,
  heading: 1,
  signature: 1,
  text: 1,
};

/**
 * BM25 over the scored fields, every number counted over the visible rows. Terms are alternatives; a quoted
 * phrase scores its words only in rows where they stand side by side at raw positions. Neighbouring words of the query that stand next to
 * each other in the text count extra (`pairs`). Throws INVALID_INPUT for options out of range.
 */
export function bm25(options: Bm25Options = {}): Retriever {
  const settings = checked(options);
  return {
    name: 'bm25',
    async retrieve(request, { signal }) {
      const { scoring, labels, skipped } = requestFor(request.runtime, request.text, settings, request.limit);
      if (scoring.terms.length === 0 && scoring.quoted.length === 0) return { hits: [], skipped };
      const list = await request.runtime.pool.run('bm25', request.scope, scoring, signal);
      const hits: Hit[] = hitsOf(request, 'bm25', list);
      if (request.explain) await explain(request, scoring, labels, list.rows, hits, signal);
      return { hits, skipped };
    },
  };
}

interface Settings {
  form: 'fields' | 'joined';
  k1: number;
  b: (field: ScoredField) => number;
  pairB: number;
  weights: Record<ScoredField, number>;
  pairs: number;
  phrases: boolean;
}

function checked(options: Bm25Options): Settings {
  knownKeys('bm25', options, ['k1', 'b', 'form', 'weights', 'pairs', 'phrases']);
  const form = oneOf('bm25.form', options.form ?? 'fields', ['fields', 'joined'] as const);
  const weights = { ...DEFAULT_WEIGHTS };
  if (form === 'joined') for (const field of SCORED_FIELDS) weights[field] = 1;
  for (const [field, weight] of Object.entries(options.weights ?? {})) {
    oneOf('a field of bm25.weights', field, SCORED_FIELDS);
    weights[field as ScoredField] = factor(`bm25.weights.${field}`, weight);
  }
  const b = options.b ?? DEFAULT_B;
  if (typeof b === 'object') {
    for (const [field, value] of Object.entries(b)) {
      if (field !== 'default') oneOf('a field of bm25.b', field, SCORED_FIELDS);
      fraction(`bm25.b.${field}`, value);
    }
    if (form === 'joined')
      throw new CorankError('INVALID_INPUT', 'bm25.b is one number when fields are joined');
  } else fraction('bm25.b', b);
  const usualB = typeof b === 'number' ? b : (b.default ?? DEFAULT_B);
  return {
    form,
    k1: factor('bm25.k1', options.k1 ?? 1.2),
    b: (field) => (typeof b === 'number' ? b : (b[field] ?? usualB)),
    pairB: usualB,
    weights,
    pairs: factor('bm25.pairs', options.pairs ?? 0.2),
    phrases: flag('bm25.phrases', options.phrases ?? true),
  };
}

function requestFor(
  runtime: Runtime,
  text: string,
  settings: Settings,
  limit: number,
): { scoring: Bm25Request; labels: string[]; skipped: Skip[] } {
  // labels: what each addend stands for, in the order of terms, quoted and pairs.
  const { parts, phrases } = queryWords(text, runtime.analyzer, settings.phrases);
  const find = termFinder(runtime);
  const skipped: Skip[] = [];
  const terms = new Map<string, { term: number; weight: number }>();
  for (const { term } of parts.flat()) add(terms, term, { term: find(term), weight: 1 });
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
