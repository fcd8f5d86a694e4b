import { CorankError, quote } from '../errors.js';
import type { Embed } from '../ingest/embedder.js';
import type { Query, Skip } from '../types.js';
import { positive } from './options.js';
import { ownVectorOf } from './own-embedder.js';
import type { RetrieveRequest } from './retriever.js';
import { ChannelUnavailable } from './unavailable.js';

/** Where the vector of a query comes from. */
export interface VectorOptions {
  /** Used when the query brings no vector of its own; default: the index's own embedder, when it has one. */
  embed?: Embed;
  /** Model of what `embed` returns; default: the index's. */
  model?: string;
  /** How long `embed` may take, in milliseconds; default 30,000. */
  timeout?: number;
}

type Timed = VectorOptions & { timeout: number };

export function timed(channel: string, options: VectorOptions): Timed {
  return { ...options, timeout: positive(`${channel}.timeout`, options.timeout ?? 30_000) };
}

/** A vector to look for, finite as float32 and not zero, and the place of its model: visible rows have vectors of it. */
export interface VectorQuestion {
  vector: Float32Array;
  model: number;
}

/**
 * The query's own vector, or that which the embedder gives its text; a reason when it is zero. Throws DIMENSION_MISMATCH,
 * MODEL_MISMATCH, INVALID_INPUT for a vector of the query's own; ChannelUnavailable when no vector can be had, or when
 * there is nothing to compare it with.
 */
export async function vectorQuestion(
  channel: string,
  request: RetrieveRequest,
  options: Timed,
  signal: AbortSignal | undefined,
): Promise<VectorQuestion | { zero: Skip }> {
  const { runtime, scope, query } = request;
  if (!scope.mayUseOwnVectors) throw unavailable(channel, 'no_visible_vectors', NOT_HIS);
  const own = query.embedding !== undefined && query.embedding !== null;
  const model = modelOf(channel, request, own ? query.embeddingModel : options.model);
  const vector = own
    ? ownVector(query, runtime.manifest.embedding!.dimension)
    : await embedded(channel, request, options, signal);
  if (vector.every((x) => x === 0)) return { zero: zeroVector(channel) };
  await requireVectors(channel, request, model, signal);
  return { vector, model };
}

/** Said of declared settings and the caller's grants alone. */
const NOT_HIS = 'the vectors of this index were learned from rows that this caller may not read';

const zeroVector = (channel: string): Skip => ({
  channel,
  code: 'zero_vector',
  message: 'the query vector is zero and points nowhere: it is like no row',
});

/** Place of the query's model, as named, else the declared one; -1 for a model that no row has. */
function modelOf(channel: string, { runtime }: RetrieveRequest, named: string | undefined): number {
  const embedding = runtime.manifest.embedding;
  if (embedding === undefined)
    throw unavailable(channel, 'no_visible_vectors', 'no visible row has a vector');
  return embedding.models.indexOf(named ?? embedding.model);
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
  channel: string,
  { runtime, text }: RetrieveRequest,
  { embed, timeout }: Timed,
  signal: AbortSignal | undefined,
): Promise<Float32Array> {
  if (embed === undefined) {
    if (runtime.lsa !== undefined) return ownVectorOf(runtime, text);
    throw unavailable(channel, 'no_embedder', 'no embedder is set and the query brings no vector');
  }
  const limit = AbortSignal.timeout(timeout);
  let vectors: ArrayLike<number>[];
  try {
    const both = signal === undefined ? limit : AbortSignal.any([signal, limit]);
    vectors = await Promise.race([embed([text], 'query', { signal: both }), rejection(both)]);
  } catch (cause) {
    signal?.throwIfAborted();
    if (cause instanceof CorankError && cause.code === 'NOT_CONFIGURED')
      throw unavailable(channel, 'not_configured', cause.message, cause);
    throw unavailable(
      channel,
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
    throw unavailable(channel, 'embedder_unavailable', 'the embedder returned no vector');
  }
  if (vector.length !== dimension) {
    throw unavailable(
      channel,
      'embedder_unavailable',
      `the embedder returned ${vector.length} numbers, this index has ${dimension}`,
    );
  }
  const floats = Float32Array.from(vector);
  if (!floats.every(Number.isFinite))
    throw unavailable(channel, 'embedder_unavailable', 'the embedder returned a number that is not finite');
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
  channel: string,
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
  if (counts.any === 0) throw unavailable(channel, 'no_visible_vectors', 'no visible row has a vector');
  throw unavailable(channel, 'no_vectors_for_model', `visible rows have vectors, none of the query's model`);
}

function unavailable(channel: string, code: string, why: string, cause?: unknown): ChannelUnavailable {
  const message = `the vector half did not run: ${why}; the list rests on keywords alone`;
  return new ChannelUnavailable({ channel, code, message }, `${channel} cannot run: ${why}`, cause);
}
