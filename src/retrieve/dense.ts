import type { Metric } from '../score/canonical.js';
import type { RankedList, Skip } from '../types.js';
import { hitsOf } from './hits.js';
import { knownKeys, oneOf } from './options.js';
import { timed, type VectorOptions, type VectorQuestion, vectorQuestion } from './query-vector.js';
import type { Hit, RetrieveRequest, Retriever } from './retriever.js';
import { scanVectors } from './vector-scan.js';

export interface DenseOptions extends VectorOptions {
  /** `cosine` (default) or `dot`; rows are stored as given. */
  metric?: Metric;
}

/**
 * Exact scan over the visible vectors of the query's model. A vector of the query's own must have the index's
 * dimension and model: DIMENSION_MISMATCH, MODEL_MISMATCH, INVALID_INPUT. When no vector can be had the channel
 * is unavailable: EMBEDDINGS_UNAVAILABLE alone, a reason in `skipped` among others. Exact, except over an index of
 * int8-only vectors: then every answer says so in `skipped`.
 */
export function dense(options: DenseOptions = {}): Retriever {
  knownKeys('dense', options, ['embed', 'model', 'metric', 'timeout']);
  const metric = oneOf('dense.metric', options.metric ?? 'cosine', ['cosine', 'dot'] as const);
  const vectors = timed('dense', options);
  return {
    name: 'dense',
    async retrieve(request, { signal }) {
      const question = await vectorQuestion('dense', request, vectors, signal);
      if ('zero' in question)
        return { hits: [], skipped: [question.zero, ...approximations('dense', request)] };
      return scan('dense', metric, request, question, signal);
    },
  };
}

/** The exact scan's answer, in the name of a channel. */
export async function scan(
  channel: string,
  metric: Metric,
  request: RetrieveRequest,
  { vector, model }: VectorQuestion,
  signal: AbortSignal | undefined,
): Promise<{ hits: Hit[]; skipped: Skip[] }> {
  const { runtime, scope, limit } = request;
  const list = await scanVectors(runtime, scope, { query: vector, model, metric, limit }, signal);
  return { hits: vectorHits(channel, metric, request, list), skipped: approximations(channel, request) };
}

/** Hits of a channel that ranks by vectors: what explains a score is the score. */
export function vectorHits(
  channel: string,
  metric: Metric,
  request: RetrieveRequest,
  list: RankedList,
): Hit[] {
  const hits = hitsOf(request, channel, list);
  if (request.explain)
    for (const hit of hits) hit.explain = [{ from: `${channel}:${metric}`, value: hit.score }];
  return hits;
}

/** What has to be said of every scan of this index. */
export function approximations(channel: string, { runtime }: RetrieveRequest): Skip[] {
  if (runtime.manifest.embedding!.vectors !== 'int8-only') return [];
  const message = 'the scores of vectors are approximate: this index keeps int8 vectors only';
  return [{ channel, code: 'approximate', message }];
}
