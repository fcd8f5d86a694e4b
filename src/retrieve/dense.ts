import { CorankError, quote } from '../errors.js';
import type { Embed } from '../ingest/embedder.js';
import type { Metric } from '../score/canonical.js';
import type { Query } from '../types.js';
import { hitsOf } from './hits.js';
import { knownKeys, oneOf, positive } from './options.js';
import { ownVectorOf } from './own-embedder.js';
import type { RetrieveRequest, Retriever } from './retriever.js';
import { ChannelUnavailable } from './unavailable.js';
import { scanVectors } from './vector-scan.js';

export interface DenseOptions {
  /** Used when the query brings no vector of its own; default: the index's own embedder, when it has one. */
  embed?: Embed;
  /** Model of what `embed` returns; default: the index's. */
  model?: string;
  /** `cosine` (default) or `dot`; rows are stored as given. */
  metric?: Metric;
  /** How long `embed` may take, in milliseconds; default 30,000. */
  timeout?: number;
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
  const timeout = positive('dense.timeout', options.timeout ?? 30_000);
  return {
    name: 'dense',
    async retrieve(request, { signal }) {
      const { runtime, scope, query } = request;
      if (!scope.mayUseOwnVectors) throw unavailable('no_visible_vectors', NOT_HIS);
      const own = query.embedding !== undefined && query.embedding !== null;
      const model = modelOf(request, own ? query.embeddingModel : options.model);
      const vector = own
        ? ownVector(query, runtime.manifest.embedding!.dimension)
        : await embedded(request, options, timeout, signal);
      const skipped = runtime.manifest.embedding!.vectors === 'int8-only' ? [approximate] : [];
      if (vector.every((x) => x === 0)) return { hits: [], skipped: [zeroVector, ...skipped] };
      await requireVectors(request, model.place, signal);
      const asked = { query: vector, model: model.place, metric, limit: request.limit };
      const list = await scanVectors(runtime, scope, asked, signal);
      const hits = hitsOf(request, 'dense', list);
      if (request.explain)
        for (const hit of hits) hit.explain = [{ from: `dense:${metric}`, value: hit.score }];
      return { hits, skipped };
    },
  };
}

/** Said of declared settings and the caller's grants alone. */
const NOT_HIS = 'the vectors of this index were learned from rows that this caller may not read';

const approximate = {
  channel: 'dense',
  code: 'approximate',
  message: 'the scores of vectors are approximate: this index keeps int8 vectors only',
};

const zeroVector = {
  channel: 'dense',
  code: 'zero_vector',
  message: 'the query vector is zero and points nowhere: it is like no row',
};

/** The query's model: as named, else the declared one. `place` is -1 for a model that no row has. */
function modelOf({ runtime }: RetrieveRequest, named: string | undefined): { name: string; place: number } {
  const embedding = runtime.manifest.embedding;
  if (embedding === undefined) throw unavailable('no_visible_vectors', 'no visible row has a vector');
  const name = named ?? embedding.model;
  return { name, place: embedding.models.indexOf(name) };
}

function ownVector(query: Query, dimension: number): Float32Array {
  const given: unknown = query.embedding;
  if (!Array.isArray(given) && !ArrayBuffer.isView(given)) {
    throw new CorankError('INVALID_INPUT', `the query vector must be a list of numbers, got ${quote(given)}`);
  }
  const numbers = given as unknown as ArrayLike<unknown>;
  if (numbers.length !== dimension) {
    throw new CorankError(
      'DIMENSION_MISMATCH',
      `the query vector has ${numbers.length} numbers, this index has ${dimension}`,
    );
  }
  const vector = new Float32Array(dimension);
  for (let d = 0; d < dimension; d++) {
    const value = numbers[d];
    if (typeof value !== 'number' || !Number.isFinite(Math.fround(value))) {
      throw new CorankError(
        'INVALID_INPUT',
        `the query vector holds ${quote(value)} at position ${d}: numbers must be finite as float32`,
      );
    }
    vector[d] = value;
  }
  return vector;
}

/** Asks the embedder, with a time-out; every way of failing is a reason, none an error of the search. */
async function embedded(
  { runtime, text }: RetrieveRequest,
  { embed }: DenseOptions,
  timeout: number,
  signal: AbortSignal | undefined,
): Promise<Float32Array> {
  if (embed === undefined) {
    if (runtime.lsa !== undefined) return ownVectorOf(runtime, text);
    throw unavailable('no_embedder', 'no embedder is set and the query brings no vector');
  }
  const limit = AbortSignal.timeout(timeout);
  let vectors: ArrayLike<number>[];
  try {
    const both = signal === undefined ? limit : AbortSignal.any([signal, limit]);
    vectors = await Promise.race([embed([text], 'query', { signal: both }), rejection(both)]);
  } catch (cause) {
    signal?.throwIfAborted();
    if (cause instanceof CorankError && cause.code === 'NOT_CONFIGURED')
      throw unavailable('not_configured', cause.message, cause);
    throw unavailable(
      'embedder_unavailable',
      limit.aborted
        ? `the embedder took longer than ${timeout} ms`
        : `the embedder failed: ${(cause as Error)?.message ?? cause}`,
      cause,
    );
  }
  const dimension = runtime.manifest.embedding!.dimension;
  const vector = Array.isArray(vectors) ? vectors[0] : undefined;
  if (typeof vector !== 'object' || vector === null || vector.length === 0) {
    throw unavailable('embedder_unavailable', 'the embedder returned no vector');
  }
  if (vector.length !== dimension) {
    throw unavailable(
      'embedder_unavailable',
      `the embedder returned ${vector.length} numbers, this index has ${dimension}`,
    );
  }
  const floats = Float32Array.from(vector);
  if (!floats.every(Number.isFinite))
    throw unavailable('embedder_unavailable', 'the embedder returned a number that is not finite');
  return floats;
}

function rejection(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/** A declared model without a visible vector is a reason; a model that is neither declared nor visible an error. */
async function requireVectors(
  request: RetrieveRequest,
  model: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { runtime, scope, query } = request;
  const counts = await runtime.pool.run('visibleVectors', scope, { model }, signal);
  if (counts.ofModel > 0) return;
  const declared = runtime.manifest.embedding!.model;
  const asked = query.embeddingModel ?? declared;
  if (query.embedding !== undefined && asked !== declared) {
    throw new CorankError(
      'MODEL_MISMATCH',
      `the query vector is of model ${quote(asked)}, this index has ${quote(declared)}`,
    );
  }
  if (counts.any === 0) throw unavailable('no_visible_vectors', 'no visible row has a vector');
  throw unavailable('no_vectors_for_model', `visible rows have vectors, none of the query's model`);
}

function unavailable(code: string, why: string, cause?: unknown): ChannelUnavailable {
  const message = `the vector half did not run: ${why}; the list rests on keywords alone`;
  return new ChannelUnavailable({ channel: 'dense', code, message }, `dense cannot run: ${why}`, cause);
}
