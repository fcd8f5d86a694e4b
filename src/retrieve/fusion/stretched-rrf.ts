import { atLeast, knownKeys } from '../options.js';
import { checkedWeights, checkWeights, type Fusion, type WeightOptions } from './fusion.js';
import { sumOfParts } from './sum-of-parts.js';

export interface StretchedRrfOptions extends WeightOptions {
  /** Ranks count 1 / (k - 1 + rank / weight); at least 1, default 2. */
  k?: number;
}

/**
 * Reciprocal rank fusion whose weights stretch the ranks instead of scaling what they count, as Qdrant does: the
 * score is the sum of 1 / (k - 1 + rank / weight), ranks from 1. With a weight of 3 to 1, three places of the first
 * list count as much as one of the second. A channel of weight 0 adds 0.
 */
export function stretchedRrf(options: StretchedRrfOptions = {}): Fusion {
  knownKeys('stretchedRrf', options, ['k', 'weights']);
  const k = atLeast('stretchedRrf.k', options.k ?? 2, 1);
  const weights = checkedWeights('stretchedRrf', options.weights);
  return {
    name: 'stretched_rrf',
    check: (channels) => checkWeights('stretchedRrf', weights, channels),
    fuse(lists) {
      const values = lists.map(({ hits }, channel) => {
        const weight = weights?.[channel] ?? 1;
        return hits.map((_, i) => (weight === 0 ? 0 : 1 / (k - 1 + (i + 1) / weight)));
      });
      return sumOfParts('stretched_rrf', lists, values);
    },
  };
}
