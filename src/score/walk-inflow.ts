import type { Scope } from '../access/scope.js';
import { bitmapWords, isSet } from '../memory/bitmap.js';
import type { ScoreContext } from './context.js';
import { mentionsIn } from './mentions.js';
import { MENTION_KIND } from './neighbours.js';
import type { WalkedGraph } from './walk-graph.js';
import type { WalkSettings } from './walk-request.js';

/** One link of a way, in the direction in which mass goes. */
export interface Step {
  /** Rows; phrases lie behind the nodes. */
  from: number;
  to: number;
  kind: string;
  /** Whether the walk follows the edge, or goes against it. */
  direction: 'out' | 'in';
}

/** The kind of the links between passages and the names that they share. */
export const PHRASE_KIND = 'phrase';

/**
 * Calls `each` for the visible links by which mass comes to a row, with the share of their source's score that comes
 * this way in a step. In the order in which the walk adds them; self loops are left out.
 */
export function eachInflow(
  context: ScoreContext,
  scope: Scope,
  settings: WalkSettings,
  graph: WalkedGraph,
  row: number,
  each: (step: Step, share: number) => void,
): void {
  const { index, scratch } = context;
  const { direction, damping, edgeWeights, kindWeights } = settings;
  const inverse = index.f64(scratch.walkInverse, index.nodes + graph.phrases);
  const visible = index.u32(scope.bitmapAt, bitmapWords(index.nodes));
  const { kinds, ...sides } = index.directory.graph!;
  const edges = (way: 'out' | 'in', factor: number): void => {
    const side = sides[way === 'out' ? 'in' : 'out'];
    const starts = index.i32(side.starts, index.nodes + 1);
    const ends = index.u32(side.nodes, side.length);
    const weights = index.f64(side.weights, side.length);
    const kindOf = index.u16(side.kinds, side.length);
    for (let e = starts[row]!; e < starts[row + 1]!; e++) {
      const from = ends[e]!;
      if (!isSet(visible, from)) continue;
      const stored = edgeWeights === 'stored' ? weights[e]! : 1;
      const weight = stored * (kindWeights?.[kindOf[e]!] ?? 1) * factor;
      const step: Step = { from, to: row, kind: kinds[kindOf[e]!]!, direction: way };
      each(step, damping * weight * inverse[from]!);
    }
  };
  if (row < index.nodes) {
    if (direction !== 'reverse') edges('out', 1);
    if (direction === 'reverse') edges('in', 1);
    else if (direction === 'mixed' && graph.ratio > 0) edges('in', graph.ratio);
  }
  if (graph.derivedAt === 0) return;
  const starts = index.i32(scratch.derivedStarts, index.nodes + graph.phrases + 1);
  const first = starts[row]!;
  const count = starts[row + 1]! - first;
  const sources = index.u32(scratch.derivedSources + first * 4, count);
  const weights = index.f64(scratch.derivedWeights + first * 8, count);
  // Mentions come before their reversals, and phrases last: see eachDerivedLink.
  const mentioned = settings.derived!.mentions > 0 && direction !== 'reverse' && row < index.nodes;
  const forward = mentioned ? mentionsIn(context, scope)!.of(row, 'in').length : 0;
  sources.forEach((from, i) => {
    const phrase = row >= index.nodes || from >= index.nodes;
    const way = phrase || i < forward ? 'out' : 'in';
    const step: Step = { from, to: row, kind: phrase ? PHRASE_KIND : MENTION_KIND, direction: way };
    each(step, damping * weights[i]! * inverse[from]!);
  });
}
