import { CorankError } from '../errors.js';
import { DEFAULT_EF, MAX_EF } from '../index/hnsw.js';
import { scoreVectors } from '../score/dense-rows.js';
import type { Skip } from '../types.js';
import { Replaced } from './ann-graphs.js';
import { approximations, scan, vectorHits } from './dense.js';
import { knownKeys, wholeNumber } from './options.js';
import { timed, type VectorOptions, type VectorQuestion, vectorQuestion } from './query-vector.js';
import type { Hit, RetrieveRequest, Retriever } from './retriever.js';
import { ChannelUnavailable } from './unavailable.js';

export interface HnswOptions extends VectorOptions {
  /** Candidates that a walk keeps, 1 to 10,000, default 200, never less than the depth: more find more, and take time. */
  ef?: number;
}

/**
 * Approximate nearest neighbours by cosine, from graphs built with `ann`: a row may be missing; those that are found
 * have the scores that `dense` gives them. Every answer says so in `skipped` (`approximate`). Only graphs
 * that the caller may see whole are walked; otherwise the exact scan answers, with the reason in `skipped`.
 * Errors are those of `dense`; NOT_CONFIGURED without the package hnswlib-node, CORRUPT_INDEX for a damaged graph.
 */
export function hnsw(options: HnswOptions = {}): Retriever {
  knownKeys('hnsw', options, ['embed', 'model', 'timeout', 'ef']);
  const ef = wholeNumber('hnsw.ef', options.ef ?? DEFAULT_EF, 1, MAX_EF);
  const vectors = timed('hnsw', options);
  return {
    name: 'hnsw',
    async retrieve(request, { signal }) {
      const question = await vectorQuestion('hnsw', request, vectors, signal);
      if ('zero' in question)
        return { hits: [], skipped: [question.zero, ...approximations('hnsw', request)] };
      const found = await walk(request, question, ef);
      if (!('exact' in found)) return found;
      const { hits, skipped } = await scan('hnsw', 'cosine', request, question, signal);
      return { hits, skipped: [skip(found.exact), ...skipped] };
    },
  };
}

/** Why the exact scan answers. */
const REASONS = {
  no_graph: 'this index has no graphs of neighbours; build it with ann: true (corank index --ann)',
  no_graph_for_model: 'the graphs hold vectors of another model than the query has',
  partly_visible: 'this scope does not hold all rows of a graph of neighbours',
  graph_replaced: 'the index was renewed since it was opened, and its graphs are gone; open it again',
};

type Reason = keyof typeof REASONS;

const skip = (code: Reason): Skip => ({
  channel: 'hnsw',
  code,
  message: `the exact scan answered: ${REASONS[code]}`,
});

const approximate: Skip = {
  channel: 'hnsw',
  code: 'approximate',
  message: 'the list is approximate: it was found in a graph of neighbours, and rows may be missing',
};

/** The answer from the graphs, or why there is none. */
async function walk(
  request: RetrieveRequest,
  { vector, model }: VectorQuestion,
  ef: number,
): Promise<{ hits: Hit[]; skipped: Skip[] } | { exact: Reason }> {
  const { runtime, scope, limit } = request;
  const { manifest, ann, context } = runtime;
  if (ann === undefined) return { exact: 'no_graph' };
  const { models, model: declared } = manifest.embedding!;
  if (models[model] !== declared) return { exact: 'no_graph_for_model' };
  const graphs = ann.visible(context, scope);
  if (graphs === undefined) return { exact: 'partly_visible' };
  let places: Uint32Array;
  try {
    places = await ann.near(graphs, vector, limit, ef);
  } catch (cause) {
    if (cause instanceof Replaced) return { exact: 'graph_replaced' };
    if (!(cause instanceof CorankError) || cause.code !== 'NOT_CONFIGURED') throw cause;
    const { code, message } = cause;
    throw new ChannelUnavailable({ channel: 'hnsw', code: code.toLowerCase(), message }, message, cause);
  }
  const list = scoreVectors(context, scope, { query: vector, metric: 'cosine', limit }, places);
  return { hits: vectorHits('hnsw', 'cosine', request, list), skipped: [approximate] };
}
