import { CorankError } from '../errors.js';
import type { RunComparison } from './comparison.js';
import { type Measure, relevantCount } from './measures/measure.js';
import type { Qrels } from './qrels.js';
import type { Run } from './run.js';

export interface EvaluateOptions {
  /** Means over the queries of the run only. Default: over all judged ones, a missing query counts 0. */
  queriesInRun?: boolean;
}

export interface Evaluation {
  /** Mean over `queries` queries, by the measure's name. */
  measures: Record<string, number>;
  /** Query id -> measure -> value. No prototype: a query may be called `__proto__`. */
  perQuery: Record<string, Record<string, number>>;
  /** Queries that the means are over: judged, with a relevant document (and in the run, if so asked). */
  queries: number;
  /** Judged queries with a relevant document that the run does not have. */
  missing: number;
  /** Queries of the run that have no judgment at all, and count for nothing. */
  unjudged: number;
  /** Judged queries without a relevant document, left out because no measure is defined on them. */
  withoutRelevant: number;
}

/** Measures a run against judgments. Sums run in the order of the qrels, so a mean is always the same bits. */
export function evaluate(
  qrels: Qrels,
  run: Run,
  measures: readonly Measure[],
  options: EvaluateOptions = {},
): Evaluation {
  const perQuery: Evaluation['perQuery'] = Object.create(null);
  const sums = new Float64Array(measures.length);
  let queries = 0;
  let missing = 0;
  let withoutRelevant = 0;
  for (const [query, judged] of qrels) {
    const entries = run.get(query);
    if (relevantCount(judged) === 0) {
      withoutRelevant++;
      continue;
    }
    if (entries === undefined) missing++;
    if (entries === undefined && options.queriesInRun) continue;
    const ranked = (entries ?? []).map((entry) => entry.id);
    const values = measures.map((measure) => measure.value(ranked, judged));
    perQuery[query] = named(measures, values);
    for (const [i, value] of values.entries()) sums[i]! += value;
    queries++;
  }
  if (queries === 0) throw nothingToMean(options);
  return {
    measures: named(
      measures,
      Array.from(sums, (sum) => sum / queries),
    ),
    perQuery,
    queries,
    missing,
    unjudged: [...run.keys()].filter((query) => !qrels.has(query)).length,
    withoutRelevant,
  };
}

function named(measures: readonly Measure[], values: readonly number[]): Record<string, number> {
  const record: Record<string, number> = Object.create(null);
  for (const [i, measure] of measures.entries()) record[measure.name] = values[i]!;
  return record;
}

function nothingToMean({ queriesInRun }: EvaluateOptions): CorankError {
  const where = queriesInRun ? ' that the run has' : '';
  return new CorankError(
    'INVALID_INPUT',
    `nothing to evaluate: the qrels have no query${where} with a relevant document`,
  );
}

export interface NamedEvaluation {
  name: string;
  evaluation: Evaluation;
}

export interface EvalJson {
  runs: {
    name: string;
    measures: Record<string, number>;
    perQuery?: Record<string, Record<string, number>>;
  }[];
  /** Of two runs or more: each against the first. */
  comparisons?: RunComparison[];
}

/** What `eval --json` prints. */
export function toEvalJson(
  runs: readonly NamedEvaluation[],
  options: { perQuery?: boolean; comparisons?: readonly RunComparison[] } = {},
): EvalJson {
  const { perQuery: withQueries, comparisons = [] } = options;
  return {
    runs: runs.map(({ name, evaluation: { measures, perQuery } }) =>
      withQueries ? { name, measures, perQuery } : { name, measures },
    ),
    ...(comparisons.length === 0 ? {} : { comparisons: [...comparisons] }),
  };
}
