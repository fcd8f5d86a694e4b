import { CorankError, quote } from '../errors.js';
import type { Candidate, Contribution, Result, Skip, Stage, WhyNot } from '../types.js';

/** A result that belongs to a run: it carries its query's id. */
export type RunResult = Result & { id: string };

type Copy<T> = { [K in keyof Required<T>]: (value: NonNullable<T[K]>) => unknown };

/** Every key of a candidate, in the order in which it is written. */
const CANDIDATE: Copy<Candidate> = {
  id: same,
  score: same,
  retriever: same,
  ranks: (ranks) => byKey(ranks, (rank) => rank >= 1),
  scores: (scores) => byKey(scores),
  kind: same,
  name: same,
  qualifiedName: same,
  path: same,
  documentId: same,
  source: same,
  title: same,
  uri: same,
  heading: same,
  ordinal: same,
  startLine: same,
  endLine: same,
  signature: same,
  text: same,
  tokenEstimate: same,
  meta: (meta) => byKey(meta),
  via: ({ from, edgeKind, direction }) => ({ from, edgeKind, direction }),
  explain: (contributions) => contributions.map(contributionJson),
};

function contributionJson({ from, value, raw, absent, path }: Contribution) {
  const signal = { ...(raw === undefined ? {} : { raw }), ...(absent === undefined ? {} : { absent }) };
  if (path === undefined) return { from, value, ...signal };
  const steps = path.steps.map(({ kind, direction, to }) => ({ kind, direction, to }));
  return { from, value, ...signal, path: { seed: path.seed, share: path.share, steps } };
}

const SKIP: Copy<Skip> = { channel: same, code: same, message: same, count: same };

const STAGE: Copy<Stage> = {
  retriever: same,
  limit: same,
  returned: same,
  rank: same,
  score: same,
  unavailable: (skip) => copy(skip, SKIP),
  stages: (stages) => stages.map((stage) => copy(stage, STAGE)),
};

const WHY_NOT: Copy<WhyNot> = {
  id: same,
  outcome: same,
  message: same,
  stages: (stages) => stages.map((stage) => copy(stage, STAGE)),
};

const RESULT: Copy<Result> = {
  id: same,
  retriever: same,
  candidates: (candidates) => candidates.map(candidateJson),
  skipped: (skipped) => skipped.map((skip) => copy(skip, SKIP)),
  totalTokens: same,
  whyNot: (whyNot) => copy(whyNot, WHY_NOT),
};

/** The JSON form of a candidate: keys in a fixed order, only what is defined, no rank for an absent channel. */
export function candidateJson(candidate: Candidate): Record<string, unknown> {
  const { id, score, scores, explain = [] } = candidate;
  for (const number of [score, ...Object.values(scores), ...explain.map(({ value }) => value)]) {
    if (number !== undefined) finiteScore(number, id);
  }
  return copy(candidate, CANDIDATE);
}

/** Refuses what no format can say: JSON.stringify would write null for NaN. */
export function finiteScore(score: number, id: string): number {
  if (Number.isFinite(score)) return score;
  const message = `a score of ${quote(id)} is not finite (${score})`;
  throw new CorankError('INVALID_INPUT', message, { place: { id } });
}

/** The JSON form of a result, shared by `search --json` and runs in JSON lines. */
export function resultJson(result: Result): Record<string, unknown> {
  return copy(result, RESULT);
}

function copy<T extends object>(record: T, fields: Copy<T>): Record<string, unknown> {
  const json: Record<string, unknown> = {};
  for (const key of Object.keys(fields) as (keyof T & string)[]) {
    const value = record[key];
    if (value !== undefined && value !== null) json[key] = fields[key](value as NonNullable<T[typeof key]>);
  }
  return json;
}

/** Keys sorted, so that the bytes do not tell which channel answered first. No prototype: keys are data. */
function byKey<V>(record: Readonly<Record<string, V>>, keep: (value: V) => boolean = () => true) {
  const json: Record<string, V> = Object.create(null);
  for (const key of Object.keys(record).sort()) {
    const value = record[key];
    if (value !== undefined && keep(value)) json[key] = value;
  }
  return json;
}

function same<T>(value: T): T {
  return value;
}
