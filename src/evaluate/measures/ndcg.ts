import type { Judgments, MeasureFamily } from './measure.js';

/**
 * Normalised discounted cumulative gain: the relevance of each returned document, over log2(rank + 1),
 * summed, over the same sum of the best order there could be. Linear gain, as trec_eval has it;
 * documents without a judgment, or with a negative one, gain nothing.
 * Järvelin and Kekäläinen, Cumulated gain-based evaluation of IR techniques, TOIS 20(4), 2002.
 */
export const nDCG: MeasureFamily = {
  name: 'nDCG',
  cutoff: 'optional',
  value(ranked, judged, k) {
    const ideal = dcg(idealGains(judged), k);
    return ideal === 0 ? 0 : dcg(returnedGains(ranked, judged, k), k) / ideal;
  },
};

function returnedGains(ranked: readonly string[], judged: Judgments, k: number): number[] {
  return ranked.slice(0, k).map((id) => Math.max(0, judged.get(id) ?? 0));
}

function idealGains(judged: Judgments): number[] {
  return [...judged.values()].filter((relevance) => relevance > 0).sort((a, b) => b - a);
}

function dcg(gains: readonly number[], k: number): number {
  let sum = 0;
  for (let i = 0; i < gains.length && i < k; i++) sum += gains[i]! / Math.log2(i + 2);
  return sum;
}
