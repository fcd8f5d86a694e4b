import { isRelevant, type MeasureFamily, relevantCount } from './measure.js';

/**
 * Average precision: the precision at the rank of each relevant document returned among the first k,
 * summed, over the number of all relevant documents (not over k, nor over those found).
 */
export const AP: MeasureFamily = {
  name: 'AP',
  cutoff: 'optional',
  value(ranked, judged, k) {
    const relevant = relevantCount(judged);
    let found = 0;
    let sum = 0;
    for (let i = 0; i < ranked.length && i < k; i++) {
      if (isRelevant(judged, ranked[i]!)) sum += ++found / (i + 1);
    }
    return relevant === 0 ? 0 : sum / relevant;
  },
};
