import type { Scope } from '../access/scope.js';
import { type Cancelled, perScope, type ScoreContext, stopIf } from './context.js';
import { type VisibleEdges, visibleEdges } from './visible-edges.js';

/** Kleinberg's HITS: each at most 1, the best is 1; all 0 without edges. */
export interface Authorities {
  authority: Float64Array;
  hub: Float64Array;
}

const ITERATIONS = 100;
const TOLERANCE = 1e-9;

/**
 * HITS over the visible subgraph, edges by their weights, for some rows. Kept as long as consecutive questions of a
 * thread share the scope.
 */
export function authoritiesOf(
  context: ScoreContext,
  scope: Scope,
  rows: ArrayLike<number>,
  cancelled: Cancelled,
): Authorities {
  const all = perScope(context, scope, 'authorities', () => hits(context, scope, cancelled));
  return {
    authority: Float64Array.from(rows, (row) => all.authority[row]!),
    hub: Float64Array.from(rows, (row) => all.hub[row]!),
  };
}

function hits(context: ScoreContext, scope: Scope, cancelled: Cancelled): Authorities {
  const n = context.index.nodes;
  const [into, out] = [visibleEdges(context, scope, 'in'), visibleEdges(context, scope, 'out')];
  const authority = new Float64Array(n);
  const hub = new Float64Array(n).fill(1);
  for (let step = 0; step < ITERATIONS; step++) {
    stopIf(cancelled);
    const moved = Math.max(pull(into, hub, authority), pull(out, authority, hub));
    if (moved <= TOLERANCE) break;
  }
  return { authority, hub };
}

/** to[row] = the sum of weight * from[end] over the row's edges, where the largest is 1; how far the largest change went. */
function pull({ starts, ends, weights }: VisibleEdges, from: Float64Array, to: Float64Array): number {
  const sums = new Float64Array(to.length);
  let most = 0;
  for (let row = 0; row < sums.length; row++) {
    let sum = 0;
    for (let i = starts[row]!; i < starts[row + 1]!; i++) sum += weights[i]! * from[ends[i]!]!;
    sums[row] = sum;
    if (sum > most) most = sum;
  }
  let moved = 0;
  for (let row = 0; row < sums.length; row++) {
    const value = most === 0 ? 0 : sums[row]! / most;
    moved = Math.max(moved, Math.abs(value - to[row]!));
    to[row] = value;
  }
  return moved;
}
