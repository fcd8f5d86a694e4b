import { type MeasureFamily, relevantInTop } from './measure.js';

/** Precision: the relevant among the first k, over k even when fewer were returned. */
export const P: MeasureFamily = {
  name: 'P',
  cutoff: 'required',
  value: (ranked, judged, k) => relevantInTop(ranked, judged, k) / k,
};
