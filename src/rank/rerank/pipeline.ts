import { CorankError } from '../../errors.js';
import { type Batch, fileOf, type RerankCandidate } from './batch.js';
import { spreadFiles } from './diversity.js';
import type { QueryClass } from './query-class.js';
import type { Signal, SignalValue } from './signal.js';
import { isTest } from './symbols.js';

/** A signal that counts: its weight for this query is above 0. */
export interface WeighedSignal {
  signal: Signal;
  /** With the factors of the query's class. */
  weight: number;
}

/** What one signal gave: `raw` from 0 to 1, undefined where it had nothing to go by. */
export interface Evidence {
  name: string;
  raw: number | undefined;
  /** weight * raw, 0 without any. */
  value: number;
  needs: string;
}

export interface Reranked {
  candidate: RerankCandidate;
  score: number;
  /** What the demotion of tests took away; 0 or below. */
  demotion: number;
}

/** Of a query for a concept a test is seldom the answer; a name, a path or a signature may mean one. */
const TESTS_DEMOTED: ReadonlySet<QueryClass> = new Set(['concept', 'keyword_soup']);
const TEST_FACTOR = 0.5;

/** Scores and orders a batch. Evidence is told on demand: most callers want none. */
export class Pipeline {
  readonly batch: Batch;
  private readonly signals: { signal: Signal; weight: number; value: SignalValue }[];

  constructor(batch: Batch, signals: readonly WeighedSignal[]) {
    this.batch = batch;
    this.signals = signals
      .filter(({ weight }) => weight > 0)
      .map(({ signal, weight }) => ({ signal, weight, value: signal.prepare(batch) }));
  }

  /** Score down, then rank of words (without one last), then row; for a concept, files take turns. */
  run(): Reranked[] {
    const scored = this.batch.candidates.map((candidate): Reranked => {
      let total = 0;
      for (const { signal, weight, value } of this.signals)
        total += weight * (clamped(signal, value, candidate) ?? 0);
      const score = this.isDemoted(candidate) ? total * TEST_FACTOR : total;
      return { candidate, score, demotion: score - total };
    });
    scored.sort((a, b) => b.score - a.score || byTextRank(a.candidate, b.candidate));
    if (this.batch.queryClass !== 'concept') return scored;
    return spreadFiles(scored, ({ candidate }) => fileOf(candidate));
  }

  /** What each signal gave one candidate of the batch. */
  evidence(candidate: RerankCandidate): Evidence[] {
    return this.signals.map(({ signal, weight, value }) => {
      const raw = clamped(signal, value, candidate);
      return {
        name: signal.name,
        raw,
        value: weight * (raw ?? 0),
        needs: signal.needs ?? 'it gave no value',
      };
    });
  }

  private isDemoted(candidate: RerankCandidate): boolean {
    return TESTS_DEMOTED.has(this.batch.queryClass) && isTest(candidate);
  }
}

function clamped({ name }: Signal, value: SignalValue, candidate: RerankCandidate): number | undefined {
  const raw = value(candidate);
  if (raw === undefined) return undefined;
  if (typeof raw === 'number' && !Number.isNaN(raw)) return Math.min(1, Math.max(0, raw));
  throw new CorankError('RETRIEVE_FAILED', `the signal ${name} gave ${String(raw)}, which is no number`);
}

function byTextRank(a: RerankCandidate, b: RerankCandidate): number {
  const [first, second] = [a.textRank ?? Infinity, b.textRank ?? Infinity];
  return first < second ? -1 : first > second ? 1 : a.row - b.row;
}
