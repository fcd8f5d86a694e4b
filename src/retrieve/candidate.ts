import type { Candidate, Query, Result, Skip } from '../types.js';
import type { RowHit } from './hits.js';
import type { Runtime } from './runtime.js';

/** What a hit becomes in an answer: with the fields of its node, or with id, score and ranks alone. */
export function candidateOf(
  { nodes }: Runtime,
  retriever: string,
  hit: RowHit,
  { cite, explain }: { cite: boolean; explain: boolean },
): Candidate {
  return {
    id: hit.id,
    score: hit.score,
    retriever,
    ranks: hit.ranks ?? {},
    scores: hit.scores ?? {},
    ...(cite ? nodes.citation(hit.row) : { tokenEstimate: nodes.tokenEstimate(hit.row) }),
    ...(hit.via === undefined ? {} : { via: hit.via }),
    ...(explain && hit.explain !== undefined ? { explain: hit.explain } : {}),
  };
}

export function resultOf<C extends Candidate>(
  query: Pick<Query, 'id'>,
  retriever: string,
  candidates: C[],
  skipped: Skip[],
): Result & { candidates: C[] } {
  return {
    ...(query.id === undefined ? {} : { id: query.id }),
    candidates,
    retriever,
    skipped,
    totalTokens: candidates.reduce((sum, candidate) => sum + candidate.tokenEstimate, 0),
  };
}
