import type { Engine, RankOptions } from '../engine.js';
import { evaluate, type NamedEvaluation } from '../evaluate/evaluate.js';
import type { Measure } from '../evaluate/measures/measure.js';
import type { Qrels } from '../evaluate/qrels.js';
import type { Run } from '../evaluate/run.js';
import type { Embedder } from '../ingest/embedder.js';
import { ORIGINAL_WEIGHTS, SIGNAL_NAMES, type SignalName } from '../rank/rerank/signals.js';
import type { Retriever } from '../retrieve/retriever.js';
import type { Query } from '../types.js';
import { Notes } from './notes.js';
import { QueryFeed } from './query-feed.js';
import { openEngine, openQuestion, type QueryOptions, retrieverOf } from './query-options.js';
import { type NamedRetriever, RETRIEVERS, reranking } from './retrievers.js';
import type { Settings } from './settings.js';

/** A retriever with one part left out. */
export interface Ablated {
  /** `whole`, `- dense`, `- rerank:fan_in`. */
  name: string;
  retriever: Retriever;
}

/**
 * The retriever as it is, then without each of its channels, then, when it is reranked, without each signal that
 * counts and without `rerank`.
 */
export function ablations(
  { retriever: name, rerank = false }: Pick<QueryOptions, 'retriever' | 'rerank'>,
  settings: Settings,
  embedder: Embedder | undefined,
): Ablated[] {
  const plain = RETRIEVERS.get(name)!;
  const over = (named: NamedRetriever, without: readonly string[] = []): Retriever =>
    (rerank ? reranking(named, without) : named).make(settings, embedder);
  const channels = Object.entries(plain.without).map(([channel, make]) => ({
    name: `- ${channel}`,
    retriever: over({ ...plain, make }),
  }));
  const counts = (signal: SignalName): boolean =>
    (settings.get(`rerank.weights.${signal}`) ?? ORIGINAL_WEIGHTS[signal]) !== 0;
  const signals = SIGNAL_NAMES.filter(counts).map((signal) => ({
    name: `- rerank:${signal}`,
    retriever: over(plain, [signal]),
  }));
  return [
    { name: 'whole', retriever: over(plain) },
    ...channels,
    ...(rerank ? [...signals, { name: '- rerank', retriever: plain.make(settings, embedder) }] : []),
  ];
}

export interface Judge {
  qrels: Qrels;
  measures: readonly Measure[];
  queriesInRun: boolean;
}

/** Asks the index at `dir` all queries, with the retriever as it is and with each part left out, and measures the answers. */
export async function ablated(
  dir: string,
  options: Omit<QueryOptions, 'ablate'> & { queries?: string },
  judge: Judge,
  signal: AbortSignal,
): Promise<NamedEvaluation[]> {
  const notes = new Notes(options);
  const { settings, embedder } = retrieverOf({ ...options, ablate: undefined }, notes);
  const { manifest, asking, filters } = await openQuestion(dir, options, { callerPerQuery: true });
  const defaults = { asking, filters, vectors: undefined, embeddingModel: options.embeddingModel };
  const feed = new QueryFeed(options.queries!, defaults, signal);
  const queries: Query[] = [];
  for await (const query of feed.queries()) queries.push(query);
  for (const { error } of feed.failures()) throw error;
  await using engine = await openEngine(dir, options.threads);
  const evaluations: NamedEvaluation[] = [];
  for (const { name, retriever } of ablations(options, settings, embedder(manifest))) {
    const run = await answered(engine, queries, { retriever, depth: options.depth, signal });
    const { qrels, measures, queriesInRun } = judge;
    evaluations.push({ name, evaluation: evaluate(qrels, run, measures, { queriesInRun }) });
    notes.progress(`${name} measured`);
  }
  notes.clear();
  return evaluations;
}

/** A query that fails is an error: without its answer there is nothing to compare. */
async function answered(
  engine: Engine,
  queries: readonly Query[],
  options: Pick<RankOptions, 'retriever' | 'depth' | 'signal'>,
): Promise<Run> {
  const run: Run = new Map();
  for await (const { id, candidates, error } of engine.rank(queries, { ...options, cite: false })) {
    if (error !== undefined) throw error;
    run.set(
      id!,
      candidates.map((candidate) => ({ id: candidate.id, score: candidate.score })),
    );
  }
  return run;
}
