import type { Scope } from '../access/scope.js';
import { bitmapWords, isSet } from '../memory/bitmap.js';
import type { SharedIndex } from '../memory/shared-index.js';

export interface Neighbour {
  row: number;
  kind: string;
  weight: number;
  /** Row of the edge table. */
  edge: number;
}

/** The visible other ends of one visible row's edges, heaviest first, then by row (that is, by id). */
export function neighbours(
  index: SharedIndex,
  scope: Scope,
  row: number,
  direction: 'out' | 'in',
): Neighbour[] {
  const graph = index.directory.graph;
  if (graph === undefined) return [];
  const words = index.u32(scope.bitmapAt, bitmapWords(index.nodes));
  if (!isSet(words, row)) return [];
  const side = graph[direction];
  const starts = index.i32(side.starts, index.nodes + 1);
  const from = starts[row]!;
  const count = starts[row + 1]! - from;
  const ends = index.u32(side.nodes + from * 4, count);
  const weights = index.f64(side.weights + from * 8, count);
  const kinds = index.u16(side.kinds + from * 2, count);
  const edges = index.u32(side.edges + from * 4, count);
  const found: Neighbour[] = [];
  for (let i = 0; i < count; i++) {
    if (!isSet(words, ends[i]!)) continue;
    found.push({ row: ends[i]!, kind: graph.kinds[kinds[i]!]!, weight: weights[i]!, edge: edges[i]! });
  }
  return found.sort((a, b) => b.weight - a.weight || a.row - b.row);
}
