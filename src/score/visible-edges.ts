import type { Scope } from '../access/scope.js';
import { bitmapWords, isSet } from '../memory/bitmap.js';
import type { ScoreContext } from './context.js';

/** Edges between visible rows, by the row that they hang on. */
export interface VisibleEdges {
  /** u32[nodes + 1]. */
  starts: Uint32Array;
  /** The other ends, ascending in each row. */
  ends: Uint32Array;
  weights: Float64Array;
}

/** The visible rows, ascending. */
export function visibleRows({ index }: ScoreContext, scope: Scope): Uint32Array {
  const words = index.u32(scope.bitmapAt, bitmapWords(index.nodes));
  const rows = new Uint32Array(scope.visible);
  let count = 0;
  for (let row = 0; row < index.nodes; row++) if (isSet(words, row)) rows[count++] = row;
  return rows;
}

/** The stored edges of one direction as a scope sees them; links derived from texts play no part. */
export function visibleEdges({ index }: ScoreContext, scope: Scope, side: 'in' | 'out'): VisibleEdges {
  const n = index.nodes;
  const at = index.directory.graph![side];
  const words = index.u32(scope.bitmapAt, bitmapWords(n));
  const from = index.i32(at.starts, n + 1);
  const all = index.u32(at.nodes, at.length);
  const allWeights = index.f64(at.weights, at.length);
  const starts = new Uint32Array(n + 1);
  const ends = new Uint32Array(at.length);
  const weights = new Float64Array(at.length);
  let count = 0;
  for (let row = 0; row < n; row++) {
    if (isSet(words, row)) {
      for (let i = from[row]!; i < from[row + 1]!; i++) {
        if (!isSet(words, all[i]!)) continue;
        ends[count] = all[i]!;
        weights[count++] = allWeights[i]!;
      }
    }
    starts[row + 1] = count;
  }
  return { starts, ends: ends.subarray(0, count), weights: weights.subarray(0, count) };
}
