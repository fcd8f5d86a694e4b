import { CorankError, quote } from '../../errors.js';
import type { Embed } from '../../ingest/embedder.js';
import { MAX_DEPTH } from '../../memory/layout.js';
import type { Home } from '../../rank/rerank/batch.js';
import { BLENDS, type Blend } from '../../rank/rerank/blend.js';
import { QUERY_CLASSES, type QueryClass } from '../../rank/rerank/query-class.js';
import type { Signal } from '../../rank/rerank/signal.js';
import { ORIGINAL_WEIGHTS, SIGNAL_NAMES, SIGNALS, type SignalName } from '../../rank/rerank/signals.js';
import { defaultRetriever } from '../default.js';
import { factor, knownKeys, oneOf, wholeNumber } from '../options.js';
import { timed } from '../query-vector.js';
import { checkRetriever, type Retriever } from '../retriever.js';
import type { InputProvider } from './provider.js';

/** A signal of one's own, with its weight; default 1. */
export type OwnSignal = Signal & { readonly weight?: number };

export interface RerankOptions {
  /** Whose hits are put in order; default: defaultRetriever(). */
  retriever?: Retriever;
  /** Weights of signals by name, 0 switches one off; what is not named keeps system A's weight, as does `original`. */
  weights?: 'original' | (Partial<Record<SignalName, number>> & Readonly<Record<string, number>>);
  /** `continuous` (default): channels count by the share of names in the query. `class`: by a table of query classes. */
  blend?: Blend;
  /** Texts rather than code: words and vectors count more, signatures nothing, walks follow all kinds of edges. */
  prose?: boolean;
  /** Taken as this class of query; default: what the text looks like. */
  queryClass?: QueryClass;
  /** How many hits are put in order, 1 to 10,000; those behind keep theirs. Default 100. */
  pool?: number;
  /** Signals beside system A's. */
  signals?: readonly OwnSignal[];
  /** What the caller's own systems know of the candidates: history, feedback. */
  provider?: InputProvider;
  /** Makes the query's vector for `semantic_cosine`; default: the query's own vector, or the index's own embedder. */
  embed?: Embed;
  model?: string;
  timeout?: number;
  /** `index` (default): the vectors of the index. `fields`: `embed` makes them of names, path, signature and text. */
  cosine?: 'index' | 'fields';
  /** The time from which age counts, in milliseconds since 1970; default: the youngest candidate's. */
  now?: number;
  /** Where the caller works: candidates of the same repository or project are near. */
  home?: Home;
}

const KEYS = [
  'retriever',
  'weights',
  'blend',
  'prose',
  'queryClass',
  'pool',
  'signals',
  'provider',
  'embed',
  'model',
  'timeout',
  'cosine',
  'now',
  'home',
] as const;

export const DEFAULT_POOL = 100;

export type RerankSettings = ReturnType<typeof rerankSettings>;

/** Throws INVALID_INPUT for options that are unknown or out of range. */
export function rerankSettings(options: RerankOptions) {
  knownKeys('rerank', options, KEYS);
  const { retriever = defaultRetriever(), queryClass, provider, now, home = {}, embed } = options;
  checkRetriever(retriever, 'rerank.retriever');
  if (queryClass !== undefined) oneOf('rerank.queryClass', queryClass, QUERY_CLASSES);
  if (provider !== undefined && typeof provider !== 'function')
    throw refused('rerank.provider must be a function', provider);
  if (now !== undefined && !Number.isFinite(now))
    throw refused('rerank.now must be milliseconds since 1970', now);
  const prose = options.prose ?? false;
  if (typeof prose !== 'boolean') throw refused('rerank.prose must be true or false', prose);
  knownKeys('rerank.home', home, ['repo', 'project']);
  const cosine = oneOf('rerank.cosine', options.cosine ?? 'index', ['index', 'fields'] as const);
  if (cosine === 'fields' && embed === undefined)
    throw new CorankError('INVALID_INPUT', 'rerank.cosine of fields needs rerank.embed to make vectors');
  return {
    retriever,
    signals: weighed(options.signals ?? [], options.weights ?? 'original'),
    blend: oneOf('rerank.blend', options.blend ?? 'continuous', BLENDS),
    prose,
    queryClass,
    pool: wholeNumber('rerank.pool', options.pool ?? DEFAULT_POOL, 1, MAX_DEPTH),
    provider,
    vectors: timed('rerank', {
      ...(embed === undefined ? {} : { embed }),
      ...(options.model === undefined ? {} : { model: options.model }),
      ...(options.timeout === undefined ? {} : { timeout: options.timeout }),
    }),
    cosine,
    now,
    home,
  };
}

function weighed(
  own: readonly OwnSignal[],
  weights: NonNullable<RerankOptions['weights']>,
): { signal: Signal; weight: number }[] {
  if (!Array.isArray(own)) throw refused('rerank.signals must be a list', own);
  const all: readonly OwnSignal[] = [...SIGNALS, ...own];
  for (const [i, signal] of all.entries()) checkSignal(signal, all.slice(0, i));
  if (weights !== 'original' && (typeof weights !== 'object' || weights === null))
    throw refused("rerank.weights must be 'original' or an object", weights);
  const named = new Map(Object.entries(weights === 'original' ? {} : weights));
  for (const [name, weight] of named) {
    oneOf(
      'a signal of rerank.weights',
      name,
      all.map((signal) => signal.name),
    );
    factor(`rerank.weights.${name}`, weight);
  }
  return all.map((signal) => ({ signal, weight: named.get(signal.name) ?? usualWeight(signal) }));
}

const usualWeight = ({ name, weight }: OwnSignal): number =>
  SIGNAL_NAMES.includes(name as SignalName)
    ? ORIGINAL_WEIGHTS[name as SignalName]
    : factor(`weight of the signal ${name}`, weight ?? 1);

function checkSignal(signal: unknown, before: readonly Signal[]): void {
  const { name, prepare } = Object(signal) as Partial<Signal>;
  if (typeof name !== 'string' || name === '' || typeof prepare !== 'function')
    throw refused('a signal is { name, prepare(batch) } with a name that is not empty', signal);
  if (before.some((one) => one.name === name))
    throw new CorankError('INVALID_INPUT', `rerank has two signals named ${name}`);
}

const refused = (expected: string, value: unknown): CorankError =>
  new CorankError('INVALID_INPUT', `${expected}, got ${quote(value)}`);
