import type { Scope } from '../access/scope.js';
import { bitmapWords, isSet } from '../memory/bitmap.js';
import type { ScoreContext } from './context.js';
import { mentionsIn } from './mentions.js';

export interface Neighbour {
  row: number;
  kind: string;
  weight: number;
}

/** The kind of the links that a text makes by having the words of another's title. */
export const MENTION_KIND = 'mentions';

/**
 * The visible other ends of one visible row's edges, and of its mentions where links were derived (kind `mentions`,
 * weight: how often), heaviest first, then by row (that is, by id).
 */
export function neighbours(
  context: ScoreContext,
  scope: Scope,
  row: number,
  direction: 'out' | 'in',
): Neighbour[] {
  const { index } = context;
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
  const found: Neighbour[] = [];
  for (let i = 0; i < count; i++) {
    if (!isSet(words, ends[i]!)) continue;
    found.push({ row: ends[i]!, kind: graph.kinds[kinds[i]!]!, weight: weights[i]! });
  }
  for (const mention of mentionsIn(context, scope)?.of(row, direction) ?? [])
    found.push({ row: mention.row, kind: MENTION_KIND, weight: mention.count });
  return found.sort((a, b) => b.weight - a.weight || a.row - b.row);
}
