import { CorankError } from '../../errors.js';
import { flatnessOf } from '../../rank/flatness.js';
import { minMax, shares } from '../../rank/normalise.js';
import { byScoreThenRow } from '../../rank/order.js';
import { factor, knownKeys } from '../options.js';
import { type ChannelList, type FusedPart, type FusedRow, type Fusion, rankByRow } from './fusion.js';

export interface FlatnessOptions {
  /** What vectors can add at most, where the words' best is 1; default 0.5. */
  weight?: number;
}

/** Rank of the vectors' list whose score counts as nothing; in a shorter list the last. */
const FLOOR_RANK = 101;

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
      const vectorShare = byRow(
        vectors,
        minMax(
          vectors.hits.map(({ score }) => score),
          FLOOR_RANK,
        ),
      );
      const rows = new Set([...wordShare.keys(), ...vectorShare.keys()]);
      const ranks = lists.map(rankByRow);
      return [...rows]
        .map((row): FusedRow => {
          const parts = (): FusedPart[] => [
            ...part(words.name, 1 - at, wordShare.get(row)),
            ...part(vectors.name, at, vectorShare.get(row), most),
            ...ranks.flatMap((rankOf, channel) => {
              const rank = rankOf.get(row);
              if (rank === undefined) return [];
              return [{ from: `tail:${lists[channel]!.name}`, value: TAIL / (TAIL_K + rank), channel }];
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

const part = (name: string, channel: number, share: number | undefined, factor = 1): FusedPart[] =>
  share === undefined || share * factor === 0
    ? []
    : [{ from: `flatness:${name}`, value: share * factor, channel }];

const byRow = ({ hits }: ChannelList, values: readonly number[]): Map<number, number> =>
  new Map(hits.map(({ row }, i) => [row, values[i]!]));
