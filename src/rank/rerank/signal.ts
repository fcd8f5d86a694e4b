import type { Batch, RerankCandidate } from './batch.js';

/** What one candidate has of a signal, 0 to 1 (more counts 1); undefined: there is nothing to tell it from. */
export type SignalValue = (candidate: RerankCandidate) => number | undefined;

/** One kind of evidence. */
export interface Signal {
  /** Names it in weights and explanations. */
  readonly name: string;
  /** Looks at the whole batch once, then at each candidate. */
  prepare(batch: Batch): SignalValue;
  /** What is absent where it has no value, for explanations. */
  readonly needs?: string;
}

/** How a rank counts: 1 for the first, as reciprocal rank fusion with k = 60 has it, times 61. */
export const rankValue = (rank: number | undefined): number | undefined =>
  rank === undefined ? undefined : 61 / (60 + rank);

/** A count on a logarithmic scale, where the largest is 1. */
export function normLog(value: number, most: number): number {
  if (value <= 0 || most <= 0) return 0;
  return Math.min(1, Math.log1p(value) / Math.log1p(most));
}

/** The largest of what candidates have; 0 when none has any. */
export function mostOf(batch: Batch, value: (candidate: RerankCandidate) => number | undefined): number {
  return batch.candidates.reduce((most, candidate) => Math.max(most, value(candidate) ?? 0), 0);
}

/** A count among the counts of the batch. */
export const countSignal = (
  name: string,
  needs: string,
  count: (candidate: RerankCandidate) => number | undefined,
): Signal => ({
  name,
  needs,
  prepare(batch) {
    const most = mostOf(batch, count);
    return (candidate) => {
      const value = count(candidate);
      return value === undefined ? undefined : normLog(value, most);
    };
  },
});

/** A value that a candidate has whatever the others have. */
export const ownSignal = (name: string, needs: string, value: SignalValue): Signal => ({
  name,
  needs,
  prepare: () => value,
});
