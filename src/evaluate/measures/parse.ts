import { CorankError, quote } from '../../errors.js';
import { AP } from './ap.js';
import { Judged } from './judged.js';
import type { Measure, MeasureFamily } from './measure.js';
import { nDCG } from './ndcg.js';
import { P } from './precision.js';
import { R } from './recall.js';
import { RR } from './rr.js';
import { Success } from './success.js';

const FAMILIES: readonly MeasureFamily[] = [nDCG, R, P, RR, AP, Success, Judged];

const KNOWN = FAMILIES.map(({ name, cutoff }) => (cutoff === 'required' ? `${name}@k` : `${name}[@k]`)).join(
  ', ',
);

/** A measure by the name ir_measures gives it: `nDCG@10`, `AP`. Names are case-sensitive. */
export function parseMeasure(name: string): Measure {
  const [familyName, cutoff, ...rest] = name.split('@');
  const family = FAMILIES.find((one) => one.name === familyName);
  if (family === undefined || rest.length > 0) throw refused(`unknown measure ${quote(name)}`);
  if (cutoff === undefined) {
    if (family.cutoff === 'required') throw refused(`measure ${quote(name)} needs a cutoff`);
    return withCutoff(family, name, Number.POSITIVE_INFINITY);
  }
  const k = Number(cutoff);
  if (!/^[1-9]\d*$/.test(cutoff) || !Number.isSafeInteger(k)) {
    throw refused(`the cutoff of measure ${quote(name)} must be a whole number from 1`);
  }
  return withCutoff(family, name, k);
}

/** What `eval` prints unless told otherwise. */
export const DEFAULT_MEASURES: readonly Measure[] = ['nDCG@10', 'R@100', 'RR@10', 'AP', 'Success@5'].map(
  parseMeasure,
);

function withCutoff(family: MeasureFamily, name: string, k: number): Measure {
  return { name, value: (ranked, judged) => family.value(ranked, judged, k) };
}

function refused(message: string): CorankError {
  return new CorankError('INVALID_INPUT', `${message}; known: ${KNOWN}`);
}
