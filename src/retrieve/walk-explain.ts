import type { Scope } from '../access/scope.js';
import { type WalkDone, walkPaths } from '../score/walk-paths.js';
import type { Contribution, PathStep } from '../types.js';
import type { Runtime } from './runtime.js';

/** Less of a score than this is not worth a line. */
const NEGLIGIBLE = 1e-12;

/**
 * What one walk gave to each of some rows: the strongest ways from its seeds, and the rest as one sum. Ways that are
 * told go over visible nodes only.
 */
export function explainWalk(
  runtime: Runtime,
  scope: Scope,
  done: WalkDone,
  rows: ArrayLike<number>,
): Contribution[][] {
  const { direction } = done.settings;
  const { nodes, phrases, index, context } = runtime;
  const nameOf = (row: number): string =>
    row < index.nodes ? nodes.id(row) : phrases!.get(row - index.nodes)!;
  return walkPaths(context, scope, done, rows).map((paths, i) => {
    const score = done.scores[rows[i]!]!;
    if (score === 0) return [];
    const told = paths.map(({ seed, steps, value }): Contribution => {
      const named = steps.map(
        (step): PathStep => ({ kind: step.kind, direction: step.direction, to: nameOf(step.to) }),
      );
      return {
        from: `walk:${direction}`,
        value,
        path: { seed: nameOf(seed), share: value / score, steps: named },
      };
    });
    const rest = score - paths.reduce((sum, { value }) => sum + value, 0);
    if (Math.abs(rest) <= NEGLIGIBLE * score) return told;
    return [...told, { from: `walk:${direction}:other ways`, value: rest }];
  });
}
