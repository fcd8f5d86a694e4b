import type { MeasureFamily } from './measure.js';

/**
 * Judgment rate: the share of the first k that has a judgment, whatever it says. As in ir_measures, a list
 * shorter than k is measured over its own length; an empty one is 0.
 */
export const Judged: MeasureFamily = {
  name: 'Judged',
  cutoff: 'required',
  value(ranked, judged, k) {
    const top = ranked.slice(0, k);
    return top.length === 0 ? 0 : top.filter((id) => judged.has(id)).length / top.length;
  },
};
