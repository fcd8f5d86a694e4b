import { CorankError } from '../errors.js';
import { MAX_DEPTH } from '../memory/layout.js';
import { flatnessOf, minMax, shares } from '../rank/flatness.js';
import { fuseRrf } from '../rank/fuse.js';
import { byScoreThenRow } from '../rank/order.js';
import type { Contribution } from '../types.js';
import type { RowHit } from './hits.js';
import { factor, knownKeys, positive } from './options.js';
import type { Runtime } from './runtime.js';

/** The list of one channel, best first; empty when it could not run. */
export interface ChannelList {
  name: string;
  hits: readonly RowHit[];
}

export interface FusedRow {
  row: number;
  score: number;
  /** What makes up the score; added up, it is the score within 1e-9. */
  parts: () => Contribution[];
}

/** How several lists become one, best first. */
export interface Fusion {
  readonly name: string;
  /** Throws INVALID_INPUT when it cannot fuse so many channels. */
  check(channels: readonly string[]): void;
  fuse(lists: readonly ChannelList[], runtime: Runtime): FusedRow[];
}

export interface RrfOptions {
  /** How flat the fusion is: ranks count weight / (k + rank); default 60. */
  k?: number;
  /** One weight per channel, in their order; default 1 each. */
  weights?: readonly number[];
}

/** Reciprocal rank fusion (Cormack, Clarke and Buettcher, 2009): for lists of like quality. */
export function rrf(options: RrfOptions = {}): Fusion {
  knownKeys('rrf', options, ['k', 'weights']);
  const k = factor('rrf.k', positive('rrf.k', options.k ?? 60));
  const weights = options.weights?.map((weight, i) => factor(`rrf.weights[${i}]`, weight));
  return {
    name: 'rrf',
    check(channels) {
      if (weights === undefined || weights.length === channels.length) return;
      throw new CorankError(
        'INVALID_INPUT',
        `rrf has ${weights.length} weights for ${channels.length} retrievers`,
      );
    },
    fuse(lists, { context }) {
      const fused = fuseRrf(
        context.kernels,
        { slotsAt: context.scratch.fuseSlots, scoresAt: context.scratch.scores, room: MAX_DEPTH },
        lists.map(({ hits }, i) => ({ rows: hits.map((hit) => hit.row), weight: weights?.[i] ?? 1 })),
        k,
      );
      return fused.map(({ row, score }) => ({
        row,
        score,
        parts: () => reciprocalRanks(lists, row, (i, rank) => (weights?.[i] ?? 1) / (k + rank)),
      }));
    },
  };
}

export interface FlatnessOptions {
  /** What vectors can add at most, where the words' best is 1; default 0.5. */
  weight?: number;
}

/** What settles an order among rows of which scores say nothing: a thousandth of plain RRF. */
const TAIL = 1e-3;
const TAIL_K = 60;

/**
 * Words decide, and vectors as much as the words leave open: score = s / s1 + weight * p^2 * mm(cos), with p the
 * flatness s20 / s1 of the words' list and mm from the 101st (0) to the first (1) of the vectors' (QUALITY section
 * 2.2). Where words found nothing p is 1. The channel named dense holds the vectors, the other one the words.
 */
export function flatness(options: FlatnessOptions = {}): Fusion {
  knownKeys('flatness', options, ['weight']);
  const weight = factor('flatness.weight', options.weight ?? 0.5);
  return {
    name: 'flatness',
    check(channels) {
      if (isWordsAndVectors(channels)) return;
      throw new CorankError(
        'INVALID_INPUT',
        `flatness fuses two retrievers, one of them named dense; got ${channels.join(', ') || 'none'}`,
      );
    },
    fuse(lists) {
      const at = lists.findIndex(({ name }) => name === 'dense');
      const [vectors, words] = [lists[at]!, lists[1 - at]!];
      const scores = words.hits.map(({ score }) => score);
      const flat = flatnessOf(scores);
      const most = weight * flat * flat;
      const wordShare = byRow(words, shares(scores));
      const vectorShare = byRow(vectors, minMax(vectors.hits.map(({ score }) => score)));
      const rows = new Set([...wordShare.keys(), ...vectorShare.keys()]);
      const ranks = lists.map(rankByRow);
      return [...rows]
        .map((row): FusedRow => {
          const parts = (): Contribution[] => [
            ...part(words.name, wordShare.get(row)),
            ...part(vectors.name, vectorShare.get(row), most),
            ...ranks.flatMap((rankOf, i) => {
              const rank = rankOf.get(row);
              return rank === undefined
                ? []
                : [{ from: `tail:${lists[i]!.name}`, value: TAIL / (TAIL_K + rank) }];
            }),
          ];
          return { row, score: parts().reduce((sum, { value }) => sum + value, 0), parts };
        })
        .sort(byScoreThenRow);
    },
  };
}

/** Two channels, one of them `dense`. */
export const isWordsAndVectors = (channels: readonly string[]): boolean =>
  channels.length === 2 && channels.filter((name) => name === 'dense').length === 1;

const part = (name: string, share: number | undefined, factor = 1): Contribution[] =>
  share === undefined || share * factor === 0 ? [] : [{ from: `flatness:${name}`, value: share * factor }];

const byRow = ({ hits }: ChannelList, values: readonly number[]): Map<number, number> =>
  new Map(hits.map(({ row }, i) => [row, values[i]!]));

const rankByRow = ({ hits }: ChannelList): Map<number, number> =>
  new Map(hits.map(({ row }, i) => [row, i + 1]));

function reciprocalRanks(
  lists: readonly ChannelList[],
  row: number,
  value: (channel: number, rank: number) => number,
): Contribution[] {
  return lists.flatMap(({ name, hits }, i) => {
    const rank = hits.findIndex((hit) => hit.row === row) + 1;
    return rank === 0 ? [] : [{ from: `rrf:${name}`, value: value(i, rank) }];
  });
}
