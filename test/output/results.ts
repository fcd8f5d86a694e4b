import { fc } from '@fast-check/vitest';
import type { RunResult } from '../../src/output/candidate-json.js';
import type { Candidate } from '../../src/types.js';

export function candidate(id: string, score: number, more: Partial<Candidate> = {}): Candidate {
  return { id, score, retriever: 'bm25', ranks: {}, scores: {}, tokenEstimate: 1, ...more };
}

export function result(id: string, candidates: Candidate[], more: Partial<RunResult> = {}): RunResult {
  return { id, candidates, retriever: 'bm25', skipped: [], totalTokens: candidates.length, ...more };
}

export const anyScore = fc.double({ noNaN: true, noDefaultInfinity: true }).map((score) => score + 0);

/** Distinct ids and finite scores in any order, as a run may hold them. */
export function anyResults(anyId: fc.Arbitrary<string>): fc.Arbitrary<RunResult[]> {
  const candidates = fc.uniqueArray(
    fc.record({ id: anyId, score: anyScore }).map(({ id, score }) => candidate(id, score)),
    { selector: ({ id }) => id, maxLength: 8 },
  );
  const one = fc.record({ id: anyId, candidates }).map(({ id, candidates }) => result(id, candidates));
  return fc.uniqueArray(one, { selector: ({ id }) => id, maxLength: 6 });
}

/** The ids and scores of results, as `readRun` gives them back. */
export function asRun(results: readonly RunResult[]) {
  return new Map(
    results.map(({ id, candidates }) => [id, candidates.map(({ id, score }) => ({ id, score }))]),
  );
}
