import type { Scope } from '../access/scope.js';
import { type Cancelled, perScope, type ScoreContext, stopIf } from './context.js';
import { type VisibleEdges, visibleEdges, visibleRows } from './visible-edges.js';

const ROUNDS = 20;

/**
 * Communities of the visible subgraph by label propagation (Raghavan, Albert and Kumara, 2007), for some rows: a number
 * that only says which rows belong together. Rows take their turns in the order of ids and take up the label with most
 * weight among their neighbours, either way along edges; of equals they keep their own, else the lowest. So nothing is
 * random. Kept as long as consecutive questions of a thread share the scope.
 */
export function communitiesOf(
  context: ScoreContext,
  scope: Scope,
  rows: ArrayLike<number>,
  cancelled: Cancelled,
): Uint32Array {
  const labels = perScope(context, scope, 'communities', () => propagated(context, scope, cancelled));
  return Uint32Array.from(rows, (row) => labels[row]!);
}

function propagated(context: ScoreContext, scope: Scope, cancelled: Cancelled): Uint32Array {
  const sides = [visibleEdges(context, scope, 'in'), visibleEdges(context, scope, 'out')];
  const labels = Uint32Array.from({ length: context.index.nodes }, (_, row) => row);
  const weights = new Float64Array(labels.length);
  const rows = visibleRows(context, scope);
  for (let round = 0; round < ROUNDS; round++) {
    stopIf(cancelled);
    let changed = false;
    for (const row of rows) {
      const label = strongest(sides, row, labels, weights);
      if (label !== labels[row]) changed = true;
      labels[row] = label;
    }
    if (!changed) break;
  }
  return labels;
}

/** The label with most weight around a row. `weights` is all 0 before and after. */
function strongest(
  sides: readonly VisibleEdges[],
  row: number,
  labels: Uint32Array,
  weights: Float64Array,
): number {
  const met: number[] = [];
  for (const { starts, ends, weights: of } of sides) {
    for (let i = starts[row]!; i < starts[row + 1]!; i++) {
      const label = labels[ends[i]!]!;
      if (weights[label] === 0) met.push(label);
      weights[label]! += of[i]!;
    }
  }
  let best = labels[row]!;
  let most = weights[best]!;
  for (const label of met) {
    const weight = weights[label]!;
    const beats = weight > most || (weight === most && best !== labels[row] && label < best);
    if (beats) [best, most] = [label, weight];
  }
  for (const label of met) weights[label] = 0;
  return best;
}
