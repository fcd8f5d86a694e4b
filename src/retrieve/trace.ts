import type { Stage } from '../types.js';

/** Watches one row on its way through the retrievers of an answer. */
export interface Trace {
  readonly row: number;
  /** Of the retrievers asked so far, in the order of asking. */
  readonly stages: Stage[];
}

/** A further retriever is asked. What it asks of others comes under its stage. */
export function beginStage({ stages }: Trace, retriever: string, limit: number): Stage {
  const stage: Stage = { retriever, limit, returned: 0, stages: [] };
  stages.push(stage);
  return stage;
}

/** Notes where among its hits, best first, a retriever has the row. */
export function noteRank(
  stage: Stage,
  { row }: Trace,
  hits: readonly { row: number; score: number }[],
): void {
  stage.returned = hits.length;
  const at = hits.findIndex((hit) => hit.row === row);
  if (at < 0) return;
  stage.rank = at + 1;
  stage.score = hits[at]!.score;
}
