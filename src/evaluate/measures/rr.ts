import { isRelevant, type MeasureFamily } from './measure.js';

/** Reciprocal rank: 1 over the rank of the first relevant document, 0 when none is among the first k. */
export const RR: MeasureFamily = {
  name: 'RR',
  cutoff: 'optional',
  value(ranked, judged, k) {
    const first = ranked.findIndex((id) => isRelevant(judged, id));
    return first < 0 || first >= k ? 0 : 1 / (first + 1);
  },
};
