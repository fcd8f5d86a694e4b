import type { Scope } from '../access/scope.js';
import { byScoreThenRow } from '../rank/order.js';
import type { DenseRequest } from '../score/dense.js';
import type { RankedList } from '../types.js';
import type { Runtime } from './runtime.js';

/** A thread is not worth waking for fewer bytes of vectors: a task costs some 50 microseconds, these 0.4 ms. */
const LEAST_BYTES = 4 * 2 ** 20;

/**
 * Scans the vectors, with as many threads as are idle and worth it. Scores depend on their row and the query alone,
 * so the best of the parts' best are the best of all, the same bits however many parts there are.
 */
export async function scanVectors(
  { pool, index, manifest }: Runtime,
  scope: Scope,
  request: Omit<DenseRequest, 'part' | 'parts'>,
  signal: AbortSignal | undefined,
): Promise<RankedList> {
  const { width, count } = index.directory.embeddings!;
  const bytes = count * width * (manifest.embedding!.vectors === 'f32' ? 4 : 1);
  const parts = Math.max(1, Math.min(pool.idle, Math.floor(bytes / LEAST_BYTES)));
  const lists = await Promise.all(
    Array.from({ length: parts }, (_, part) => pool.run('dense', scope, { ...request, part, parts }, signal)),
  );
  return lists.length === 1 ? lists[0]! : best(lists, request.limit);
}

function best(lists: readonly RankedList[], limit: number): RankedList {
  const all = lists.flatMap(({ rows, scores }) => Array.from(rows, (row, i) => ({ row, score: scores[i]! })));
  const first = all.sort(byScoreThenRow).slice(0, limit);
  return {
    rows: Uint32Array.from(first, ({ row }) => row),
    scores: Float64Array.from(first, ({ score }) => score),
  };
}
