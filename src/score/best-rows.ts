import type { Scope } from '../access/scope.js';
import { topK } from '../kernels/top-k.js';
import type { RankedList } from '../types.js';
import type { ScoreContext } from './context.js';

/** The best visible rows of the scratch scores, at most `limit`, all above 0; best first, ties by row. */
export function bestRows({ index, kernels, scratch }: ScoreContext, scope: Scope, limit: number): RankedList {
  const found = topK(
    kernels,
    scratch.scores,
    index.nodes,
    0,
    scope.bitmapAt,
    0,
    Math.min(limit, index.nodes),
    scratch.topRows,
    scratch.topScores,
  );
  return {
    rows: index.u32(scratch.topRows, found).slice(),
    scores: index.f64(scratch.topScores, found).slice(),
  };
}
