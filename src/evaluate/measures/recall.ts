import { type MeasureFamily, relevantCount, relevantInTop } from './measure.js';

/** Recall: the share of all relevant documents that is among the first k. */
export const R: MeasureFamily = {
  name: 'R',
  cutoff: 'required',
  value(ranked, judged, k) {
    const relevant = relevantCount(judged);
    return relevant === 0 ? 0 : relevantInTop(ranked, judged, k) / relevant;
  },
};
