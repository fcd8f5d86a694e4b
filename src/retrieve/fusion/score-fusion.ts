import { CorankError } from '../../errors.js';
import { deviations, minMax } from '../../rank/normalise.js';
import { fraction, knownKeys } from '../options.js';
import { checkedWeights, checkWeights, type Fusion, type WeightOptions } from './fusion.js';
import { sumOfParts } from './sum-of-parts.js';

/**
 * Relative score fusion (min-max, CombSUM): the sum of weight * (s - last) / (first - last), each list being scaled by
 * its own first and last score. Scores that are all equal, and a single one, count 1; an empty list adds nothing.
 */
export const relativeScore = (options: WeightOptions = {}): Fusion =>
  weighted('relativeScore', 'relative_score', (scores) => minMax(scores, scores.length), options);

/**
 * Distribution-based score fusion (Mazzeschi, 2023; Qdrant's form): the sum of weight * (s - (m - 3 d)) / (6 d), with m
 * the mean of the list's scores and d their sample deviation. Scores that are all equal, and a single one, count 0.5;
 * one that lies more than 3 d away counts below 0 or above 1; an empty list adds nothing.
 */
export const dbsf = (options: WeightOptions = {}): Fusion => weighted('dbsf', 'dbsf', deviations, options);

export interface AlphaOptions {
  /** Share of the second list, from 0 (the first alone) to 1 (the second alone); default 0.5. */
  alpha?: number;
}

/** Two lists blended: (1 - alpha) times the first and alpha times the second, scaled as in `relativeScore`. */
export function alphaBlend(options: AlphaOptions = {}): Fusion {
  knownKeys('alphaBlend', options, ['alpha']);
  const alpha = fraction('alphaBlend.alpha', options.alpha ?? 0.5);
  const blend = weighted('alphaBlend', 'alpha', (scores) => minMax(scores, scores.length), {
    weights: [1 - alpha, alpha],
  });
  return {
    ...blend,
    check(channels) {
      if (channels.length === 2) return;
      throw new CorankError('INVALID_INPUT', `alphaBlend blends two retrievers, got ${channels.length}`);
    },
  };
}

function weighted(
  of: string,
  name: string,
  scaled: (scores: readonly number[]) => number[],
  options: WeightOptions,
): Fusion {
  knownKeys(of, options, ['weights']);
  const weights = checkedWeights(of, options.weights);
  return {
    name,
    check: (channels) => checkWeights(of, weights, channels),
    fuse(lists) {
      const values = lists.map(({ hits }, channel) =>
        scaled(hits.map(({ score }) => score)).map((value) => (weights?.[channel] ?? 1) * value),
      );
      return sumOfParts(name, lists, values);
    },
  };
}
