import { type MeasureFamily, relevantInTop } from './measure.js';

/** Success: 1 when a relevant document is among the first k, else 0. */
export const Success: MeasureFamily = {
  name: 'Success',
  cutoff: 'required',
  value: (ranked, judged, k) => (relevantInTop(ranked, judged, k) > 0 ? 1 : 0),
};
