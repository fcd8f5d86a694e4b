import { CorankError, quote } from '../errors.js';
import { MAX_DEPTH } from '../memory/layout.js';
import { fuseRrf } from '../rank/fuse.js';
import type { Contribution, Skip } from '../types.js';
import { bm25 } from './bm25.js';
import { dense } from './dense.js';
import { ask, type RowHit, type RowHits } from './hits.js';
import { factor, knownKeys, positive } from './options.js';
import { pagerank } from './pagerank.js';
import {
  checkRetriever,
  type Hit,
  type RetrieveOptions,
  type RetrieveRequest,
  type Retriever,
} from './retriever.js';
import { ChannelUnavailable } from './unavailable.js';

export interface HybridOptions {
  /** How flat the fusion is: ranks count weight / (k + rank); default 60. */
  k?: number;
  /** One weight per channel, in their order; default 1 each. */
  weights?: readonly number[];
}

/**
 * Fuses the lists of several retrievers by reciprocal rank. Channels that cannot run on this index or for this
 * query are listed in `skipped`; when none can, the first one's error is thrown.
 */
export function hybrid(channels: readonly Retriever[], options: HybridOptions = {}): Retriever {
  return fusion('hybrid', channels, options);
}

/** RRF of bm25, dense and pagerank. */
export function fused(
  options: HybridOptions = {},
  channels: readonly Retriever[] = [bm25(), dense(), pagerank()],
): Retriever {
  return fusion('fused', channels, options);
}

function fusion(name: string, channels: readonly Retriever[], options: HybridOptions): Retriever {
  if (!Array.isArray(channels))
    throw new CorankError('INVALID_INPUT', `${name} needs a list of retrievers, got ${quote(channels)}`);
  knownKeys(name, options, ['k', 'weights']);
  const k = factor(`${name}.k`, positive(`${name}.k`, options.k ?? 60));
  const weights = channels.map((_, i) => factor(`${name}.weights[${i}]`, options.weights?.[i] ?? 1));
  checkChannels(name, channels, options.weights);
  return {
    name,
    async retrieve(request, { signal }) {
      const answers = await Promise.all(channels.map((channel) => askIfAble(channel, request, { signal })));
      if (answers.every((answer) => answer instanceof ChannelUnavailable)) throw answers[0];
      const lists = answers.map((answer) => (answer instanceof ChannelUnavailable ? [] : answer.hits));
      const skipped = answers.flatMap((answer): Skip[] =>
        answer instanceof ChannelUnavailable ? [answer.skip] : answer.skipped,
      );
      const { context } = request.runtime;
      const rows = fuseRrf(
        context.kernels,
        { slotsAt: context.scratch.fuseSlots, scoresAt: context.scratch.scores, room: MAX_DEPTH },
        lists.map((hits, i) => ({ rows: hits.map((hit) => hit.row), weight: weights[i]! })),
        k,
      );
      const merged = mergeByRow(lists);
      const hits = rows.slice(0, request.limit).map(({ row, score }): Hit => {
        const hit = { ...merged.get(row)!, score };
        delete hit.explain;
        if (request.explain) hit.explain = contributions(channels, lists, weights, k, row);
        return hit;
      });
      return { hits, skipped };
    },
  };
}

/** Duplicate names would overwrite each other's ranks. */
function checkChannels(
  name: string,
  channels: readonly Retriever[],
  weights: readonly number[] | undefined,
): void {
  if (channels.length === 0) throw new CorankError('INVALID_INPUT', `${name} needs at least one retriever`);
  for (const channel of channels) checkRetriever(channel, name);
  const names = channels.map((channel) => channel.name);
  const twice = names.find((channel, i) => names.indexOf(channel) !== i);
  if (twice !== undefined)
    throw new CorankError('INVALID_INPUT', `${name} has two retrievers named ${twice}`);
  if (weights !== undefined && weights.length !== channels.length) {
    throw new CorankError(
      'INVALID_INPUT',
      `${name} has ${channels.length} retrievers and ${weights.length} weights`,
    );
  }
}

async function askIfAble(
  channel: Retriever,
  request: RetrieveRequest,
  options: RetrieveOptions,
): Promise<RowHits | ChannelUnavailable> {
  try {
    return await ask(channel, request, options);
  } catch (cause) {
    if (cause instanceof ChannelUnavailable) return cause;
    throw cause;
  }
}

/** One hit a row: ranks and scores of all channels, `via` of the first channel that has one. */
function mergeByRow(lists: readonly (readonly RowHit[])[]): Map<number, RowHit> {
  const merged = new Map<number, RowHit>();
  for (const hit of lists.flat()) {
    const known = merged.get(hit.row);
    if (known === undefined) merged.set(hit.row, { ...hit });
    else {
      known.ranks = { ...known.ranks, ...hit.ranks };
      known.scores = { ...known.scores, ...hit.scores };
      if (known.via === undefined && hit.via !== undefined) known.via = hit.via;
    }
  }
  return merged;
}

function contributions(
  channels: readonly Retriever[],
  lists: readonly (readonly RowHit[])[],
  weights: readonly number[],
  k: number,
  row: number,
): Contribution[] {
  return lists.flatMap((hits, i) => {
    const rank = hits.findIndex((hit) => hit.row === row) + 1;
    return rank === 0 ? [] : [{ from: `rrf:${channels[i]!.name}`, value: weights[i]! / (k + rank) }];
  });
}
