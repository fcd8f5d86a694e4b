import { CorankError } from '../errors.js';
import type { Comparison, RunComparison } from './comparison.js';
import type { Evaluation, NamedEvaluation } from './evaluate.js';
import { seeded } from './random.js';

export interface CompareOptions {
  /** Of the draws; default 1. */
  seed?: number;
  /** How many; default 10,000. */
  samples?: number;
}

/** Of a distribution, the share that lies below the interval, and above it. */
const TAIL = 0.025;

/**
 * Compares the values of two runs for the same queries. The p-value counts all sign flips where there are no more of
 * them than samples, else draws some; the same seed gives the same numbers.
 */
export function compareValues(
  first: readonly number[],
  second: readonly number[],
  { seed = 1, samples = 10_000 }: CompareOptions = {},
): Comparison {
  if (first.length !== second.length || first.length === 0)
    throw new CorankError('INVALID_INPUT', 'a comparison needs values of the same queries, at least of one');
  const differences = Float64Array.from(second, (value, i) => value - first[i]!);
  const random = seeded(seed);
  const difference = differences.reduce((sum, one) => sum + one, 0) / differences.length;
  return {
    difference,
    interval: bootstrap(differences, samples, random),
    p: signFlips(differences, samples, random),
    queries: differences.length,
  };
}

/** Means of as many queries, drawn with replacement (Efron, 1979). */
function bootstrap(values: Float64Array, samples: number, random: () => number): [number, number] {
  const means = new Float64Array(samples);
  for (let s = 0; s < samples; s++) {
    let sum = 0;
    for (let i = 0; i < values.length; i++) sum += values[Math.floor((random() / 2 ** 32) * values.length)]!;
    means[s] = sum / values.length;
  }
  means.sort();
  const at = (share: number): number => means[Math.round(share * (samples - 1))]!;
  return [at(TAIL), at(1 - TAIL)];
}

/** The share of sign flips whose sum is as far from 0 as the one observed. Queries without a difference change nothing. */
function signFlips(values: Float64Array, samples: number, random: () => number): number {
  const moved = values.filter((value) => value !== 0);
  const sumOf = (flips: (i: number) => boolean): number =>
    Math.abs(moved.reduce((sum, value, i) => (flips(i) ? sum - value : sum + value), 0));
  // Sums of the same numbers in other signs may differ in their last bits.
  const least = sumOf(() => false) * (1 - 1e-12);
  const all = 2 ** moved.length;
  let far = 0;
  if (all <= samples) {
    for (let flips = 0; flips < all; flips++) if (sumOf((i) => ((flips >> i) & 1) === 1) >= least) far++;
    return far / all;
  }
  for (let s = 0; s < samples; s++) if (sumOf(() => (random() & 1) === 1) >= least) far++;
  // The one observed counts as drawn: a p of 0 cannot be known.
  return (far + 1) / (samples + 1);
}

/** Compares runs with the first, over the queries that both are measured on. */
export function compareRuns(
  runs: readonly NamedEvaluation[],
  measures: readonly string[],
  options: CompareOptions = {},
): RunComparison[] {
  const [baseline, ...others] = runs;
  return others.map(({ name, evaluation }) => {
    const queries = Object.keys(baseline!.evaluation.perQuery).filter(
      (query) => query in evaluation.perQuery,
    );
    if (queries.length === 0)
      throw new CorankError('INVALID_INPUT', `${baseline!.name} and ${name} have no query in common`);
    const values = ({ perQuery }: Evaluation, measure: string) =>
      queries.map((query) => perQuery[query]![measure]!);
    const compared: Record<string, Comparison> = Object.create(null);
    for (const measure of measures)
      compared[measure] = compareValues(
        values(baseline!.evaluation, measure),
        values(evaluation, measure),
        options,
      );
    return { baseline: baseline!.name, name, measures: compared };
  });
}
