import { MAX_DEPTH } from '../../memory/layout.js';
import { fuseRrf } from '../../rank/fuse.js';
import { factor, knownKeys, positive } from '../options.js';
import { checkedWeights, checkWeights, type Fusion, rankByRow, type WeightOptions } from './fusion.js';

export interface RrfOptions extends WeightOptions {
  /** How flat the fusion is: ranks count weight / (k + rank); default 60. */
  k?: number;
}

/** Reciprocal rank fusion (Cormack, Clarke and Buettcher, 2009): for lists of like quality. */
export function rrf(options: RrfOptions = {}): Fusion {
  knownKeys('rrf', options, ['k', 'weights']);
  const k = factor('rrf.k', positive('rrf.k', options.k ?? 60));
  const weights = checkedWeights('rrf', options.weights);
  return {
    name: 'rrf',
    check: (channels) => checkWeights('rrf', weights, channels),
    fuse(lists, { context }) {
      const fused = fuseRrf(
        context.kernels,
        { slotsAt: context.scratch.fuseSlots, scoresAt: context.scratch.scores, room: MAX_DEPTH },
        lists.map(({ hits }, i) => ({ rows: hits.map((hit) => hit.row), weight: weights?.[i] ?? 1 })),
        k,
      );
      const ranks = lists.map(rankByRow);
      return fused.map(({ row, score }) => ({
        row,
        score,
        parts: () =>
          lists.flatMap(({ name }, channel) => {
            const rank = ranks[channel]!.get(row);
            if (rank === undefined) return [];
            return [{ from: `rrf:${name}`, value: (weights?.[channel] ?? 1) / (k + rank), channel }];
          }),
      }));
    },
  };
}
