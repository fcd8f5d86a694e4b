import { CorankError, reasonOf } from '../errors.js';
import { bitmapWords, isSet } from '../memory/bitmap.js';
import { byScoreThenRow } from '../rank/order.js';
import type { Contribution, RankedList, Skip } from '../types.js';
import { untilAborted } from './cancel.js';
import { requestOver } from './graph.js';
import { dropBadDetails } from './hit-details.js';
import {
  checkRetriever,
  type Hit,
  type Retrieved,
  type RetrieveOptions,
  type RetrieveRequest,
  type Retriever,
} from './retriever.js';
import { beginStage, noteRank } from './trace.js';
import { ChannelUnavailable } from './unavailable.js';

/** A hit whose row is known and visible. */
export interface RowHit extends Hit {
  row: number;
}

export interface RowHits {
  hits: RowHit[];
  skipped: Skip[];
}

/** Hits of a ranked list of rows, with the rank and score of the channel that made it. */
export function hitsOf(request: RetrieveRequest, channel: string, list: RankedList): Hit[] {
  return Array.from(list.rows, (row, i) => ({
    id: request.runtime.nodes.id(row),
    score: list.scores[i]!,
    ranks: { [channel]: i + 1 },
    scores: { [channel]: list.scores[i]! },
  }));
}

/**
 * Asks a retriever, ours or another's, and takes nothing on trust: what is null, has no finite score, occurs
 * twice, cannot be seen in this scope or goes beyond the limit is left out and counted; the rest is put in the one
 * order of results. Its own error, and that of a thread that searched for it, comes out as RETRIEVE_FAILED with
 * its name and cause; other errors of corank keep their code.
 */
export async function ask(
  retriever: Retriever,
  request: RetrieveRequest,
  options: RetrieveOptions,
): Promise<RowHits> {
  if (!request.alive()) throw requestOver();
  checkRetriever(retriever, 'a retriever was asked for hits');
  options.signal?.throwIfAborted();
  const { trace } = request;
  if (trace === undefined) return checkedAnswer(retriever, request, options);
  const stage = beginStage(trace, retriever.name, request.limit);
  try {
    const within = { ...request, trace: { row: trace.row, stages: stage.stages } };
    const found = await checkedAnswer(retriever, within, options);
    noteRank(stage, trace, found.hits);
    return found;
  } catch (cause) {
    if (cause instanceof ChannelUnavailable) stage.unavailable = cause.skip;
    throw cause;
  }
}

async function checkedAnswer(
  retriever: Retriever,
  request: RetrieveRequest,
  options: RetrieveOptions,
): Promise<RowHits> {
  let answer: unknown;
  try {
    const answering = retriever.retrieve(request, options);
    answer = await (isPartial(retriever) ? answering : untilAborted(answering, options.signal));
  } catch (cause) {
    options.signal?.throwIfAborted();
    // A thread that failed is a search that failed: the caller is told whose.
    if (cause instanceof CorankError && cause.code !== 'WORKER_FAILED') throw cause;
    throw failed(retriever, cause);
  }
  const { hits, skipped = [] } = Array.isArray(answer) ? { hits: answer } : ((answer ?? {}) as Retrieved);
  if (!Array.isArray(hits) || !Array.isArray(skipped)) {
    throw new CorankError('RETRIEVE_FAILED', `retriever ${retriever.name} returned no list of hits`);
  }
  try {
    const taken = take(retriever.name, request, hits);
    return { hits: taken.hits, skipped: [...skipped, ...taken.skipped] };
  } catch (cause) {
    throw failed(retriever, cause);
  }
}

/** Whether its answer to a cancelled search is wanted all the same. */
export const isPartial = ({ onCancel }: Retriever): boolean => onCancel === 'partial';

const failed = (retriever: Retriever, cause: unknown): CorankError =>
  new CorankError('RETRIEVE_FAILED', `retriever ${retriever.name} failed: ${reasonOf(cause)}`, { cause });

/** What is not explained is named as the retriever's own, so that contributions sum to the score. */
function addsUp(name: string, { score, explain = [] }: RowHit): Contribution[] {
  const rest = score - explain.reduce((sum, { value }) => sum + value, 0);
  return Math.abs(rest) <= 1e-9 * Math.max(1, Math.abs(score))
    ? [...explain]
    : [...explain, { from: name, value: rest }];
}

type Fault = 'empty_hits' | 'bad_scores' | 'not_visible' | 'duplicates' | 'over_limit' | 'bad_details';

const FAULTS: Record<Fault, string> = {
  empty_hits: 'entries without an id',
  bad_scores: 'hits whose score is not a finite number',
  not_visible: 'hits that this scope does not have',
  duplicates: 'hits that it had already returned',
  over_limit: 'hits beyond the limit',
  bad_details: 'hits with ranks, scores, a via or reasons that cannot be',
};

function take(name: string, request: RetrieveRequest, hits: readonly (Hit | null | undefined)[]): RowHits {
  const { runtime, scope, limit } = request;
  const visible = runtime.index.u32(scope.bitmapAt, bitmapWords(runtime.index.nodes));
  const counts = new Map<Fault, number>();
  const seen = new Set<number>();
  const sound: RowHit[] = [];
  const faultOf = (hit: Hit | null | undefined, row: number): Fault | undefined => {
    if (typeof hit?.id !== 'string') return 'empty_hits';
    if (!Number.isFinite(hit.score)) return 'bad_scores';
    if (row < 0 || !isSet(visible, row)) return 'not_visible';
    return seen.has(row) ? 'duplicates' : undefined;
  };
  for (const hit of hits) {
    const row = typeof hit?.id === 'string' ? runtime.nodes.row(hit.id) : -1;
    const fault = faultOf(hit, row);
    if (fault === undefined) {
      seen.add(row);
      sound.push({ ...hit!, row });
    } else counts.set(fault, (counts.get(fault) ?? 0) + 1);
  }
  if (sound.length > limit) counts.set('over_limit', sound.length - limit);
  const taken = sound.sort(byScoreThenRow).slice(0, limit);
  const isVisible = (id: string): boolean => {
    const row = runtime.nodes.row(id);
    return row >= 0 && isSet(visible, row);
  };
  const bad = taken.filter((hit) => dropBadDetails(hit, isVisible)).length;
  if (bad > 0) counts.set('bad_details', bad);
  taken.forEach((hit, i) => {
    hit.ranks ??= { [name]: i + 1 };
    hit.scores ??= { [name]: hit.score };
    if (request.explain) hit.explain = addsUp(name, hit);
  });
  return { hits: taken, skipped: [...counts].map(([code, count]) => skipOf(name, code, count)) };
}

const skipOf = (channel: string, code: Fault, count: number): Skip => ({
  channel,
  code,
  count,
  message: `${channel} returned ${count} ${FAULTS[code]}; ${code === 'bad_details' ? 'these' : 'they'} are left out`,
});
