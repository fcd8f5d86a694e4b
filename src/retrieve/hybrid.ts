import { CorankError, quote } from '../errors.js';
import type { Contribution, Skip } from '../types.js';
import { bm25 } from './bm25.js';
import { dense } from './dense.js';
import { flatness, isWordsAndVectors } from './fusion/flatness.js';
import type { ChannelList, FusedPart, Fusion } from './fusion/fusion.js';
import { type RrfOptions, rrf } from './fusion/rrf.js';
import { ask, type RowHit, type RowHits } from './hits.js';
import { knownKeys } from './options.js';
import { pagerank } from './pagerank.js';
import {
  checkRetriever,
  type Hit,
  type RetrieveOptions,
  type RetrieveRequest,
  type Retriever,
} from './retriever.js';
import { ChannelUnavailable } from './unavailable.js';

/** A fusion, or the parameters of `rrf` in short. */
export type HybridOptions = { fusion?: Fusion } | RrfOptions;

/**
 * Fuses the lists of several retrievers. By default words and vectors (two retrievers, one named dense) are fused by
 * `flatness`, anything else by `rrf`. Channels that cannot run on this index or for this query are listed in
 * `skipped`; when none can, the first one's error is thrown.
 */
export function hybrid(channels: readonly Retriever[], options: HybridOptions = {}): Retriever {
  knownKeys('hybrid', options, ['fusion', 'k', 'weights']);
  return fusing('hybrid', channels, options);
}

/** RRF of bm25, dense and pagerank. */
export function fused(
  options: RrfOptions = {},
  channels: readonly Retriever[] = [bm25(), dense(), pagerank()],
): Retriever {
  knownKeys('fused', options, ['k', 'weights']);
  return fusing('fused', channels, { fusion: rrf(options) });
}

function fusing(name: string, channels: readonly Retriever[], options: HybridOptions): Retriever {
  if (!Array.isArray(channels))
    throw new CorankError('INVALID_INPUT', `${name} needs a list of retrievers, got ${quote(channels)}`);
  const names = checkedNames(name, channels);
  const fusion = fusionOf(options, names);
  fusion.check(names);
  return {
    name,
    async retrieve(request, { signal }) {
      const answers = await Promise.all(channels.map((channel) => askIfAble(channel, request, { signal })));
      if (answers.every((answer) => answer instanceof ChannelUnavailable)) throw answers[0];
      const lists = answers.map((answer, i) => ({
        name: names[i]!,
        hits: answer instanceof ChannelUnavailable ? [] : answer.hits,
      }));
      const skipped = answers.flatMap((answer): Skip[] =>
        answer instanceof ChannelUnavailable ? [answer.skip] : answer.skipped,
      );
      const merged = mergeByRow(lists.map(({ hits }) => hits));
      const rows = fusion.fuse(lists, request.runtime);
      const hits = rows.slice(0, request.limit).map(({ row, score, parts }): Hit => {
        const hit = { ...merged.get(row)!, score };
        delete hit.explain;
        if (request.explain) hit.explain = withWays(parts(), lists, row);
        return hit;
      });
      return { hits, skipped };
    },
  };
}

function fusionOf(options: HybridOptions, names: readonly string[]): Fusion {
  const { fusion, ...short } = options as { fusion?: Fusion } & RrfOptions;
  const isShort = short.k !== undefined || short.weights !== undefined;
  if (fusion === undefined) return isShort || !isWordsAndVectors(names) ? rrf(short) : flatness();
  if (isShort) throw new CorankError('INVALID_INPUT', 'hybrid takes a fusion, or k and weights, not both');
  if (typeof Object(fusion).fuse === 'function' && typeof fusion.check === 'function') return fusion;
  throw new CorankError(
    'INVALID_INPUT',
    `hybrid.fusion must be a fusion such as rrf() or flatness(), got ${quote(fusion)}`,
  );
}

/** Duplicate names would overwrite each other's ranks. */
function checkedNames(name: string, channels: readonly Retriever[]): string[] {
  if (channels.length === 0) throw new CorankError('INVALID_INPUT', `${name} needs at least one retriever`);
  for (const channel of channels) checkRetriever(channel, name);
  const names = channels.map((channel) => channel.name);
  const twice = names.find((channel, i) => names.indexOf(channel) !== i);
  if (twice === undefined) return names;
  throw new CorankError('INVALID_INPUT', `${name} has two retrievers named ${twice}`);
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

/** Parts of a walk's list are told by the ways that the walk itself names, each in its share. */
function withWays(parts: readonly FusedPart[], lists: readonly ChannelList[], row: number): Contribution[] {
  return parts.flatMap(({ from, value, channel }): Contribution[] => {
    const { explain = [] } = lists[channel]!.hits.find((hit) => hit.row === row)!;
    const whole = explain.reduce((sum, way) => sum + way.value, 0);
    if (whole <= 0 || explain.every(({ path }) => path === undefined)) return [{ from, value }];
    return explain.map((way) => ({ ...way, from, value: (value * way.value) / whole }));
  });
}
