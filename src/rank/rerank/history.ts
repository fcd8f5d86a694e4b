import type { Batch, RerankCandidate } from './batch.js';
import { countSignal, ownSignal, type Signal } from './signal.js';

const DAY = 86_400_000;
/** Days after which half of recency is left. */
const HALF_LIFE = 30;

/** What the past says: of the files, and of earlier answers. */
export const historySignals: readonly Signal[] = [
  countSignal(
    'churn',
    'no churn, authors or lastAuthored is known',
    ({ churn, authors, lastAuthored }) => churn ?? authors ?? (lastAuthored === undefined ? undefined : 1),
  ),
  { name: 'co_change', needs: 'no other file of the batch is known to change with it', prepare: coChange },
  {
    name: 'recency',
    needs: 'no lastAuthored is known',
    prepare:
      ({ now }) =>
      ({ lastAuthored }) =>
        lastAuthored === undefined ? undefined : recencyOf((now - lastAuthored) / DAY),
  },
  ownSignal(
    'feedback',
    'no provider told of feedback, frecency or combo',
    ({ feedback, frecency, combo }) => {
      if (feedback === undefined && frecency === undefined && combo === undefined) return undefined;
      return Math.max(0, feedback ?? 0, ((frecency ?? 1) - 1) / 0.5, ((combo ?? 1) - 1) / 2);
    },
  ),
];

/** 1 today, half of it every 30 days; what lies in the future counts as today. */
export const recencyOf = (days: number): number => 2 ** (-Math.max(0, days) / HALF_LIFE);

/** Mean of what ties a candidate's file to others of the batch. */
function coChange({ candidates }: Batch): (candidate: RerankCandidate) => number | undefined {
  const files = [...new Set(candidates.flatMap(({ path }) => path ?? []))].sort();
  return ({ path, coChange }) => {
    if (path === undefined || coChange === undefined) return undefined;
    const ties = files
      .filter((file) => file !== path)
      .map((file) => coChange.get(file) ?? 0)
      .filter((tie) => tie > 0);
    return ties.length === 0 ? undefined : ties.reduce((sum, tie) => sum + tie, 0) / ties.length;
  };
}
