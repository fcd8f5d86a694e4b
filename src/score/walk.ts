import type { Scope } from '../access/scope.js';
import { pagerankContributions, pagerankStep } from '../kernels/pagerank.js';
import { topK } from '../kernels/top-k.js';
import { WALK_SEEDS } from '../memory/layout.js';
import type { RankedList } from '../types.js';
import { type Cancelled, type ScoreContext, stopIf } from './context.js';
import { walkBlock } from './walk-block.js';
import { type WalkedGraph, walkedGraph } from './walk-graph.js';
import {
  type OneWalk,
  type Seed,
  sharesOf,
  type WalkAnswer,
  type WalkEnd,
  type WalkSettings,
} from './walk-request.js';

/** So many walks are faster side by side than one after the other, on every graph measured. */
const WORTH_A_BLOCK = 4;

export interface WalksRequest {
  settings: WalkSettings;
  /** At most 8. */
  walks: OneWalk[];
}

/** Walks of the same settings, one by one or side by side: a walk has the same bits either way. */
export function scoreWalks(
  context: ScoreContext,
  scope: Scope,
  { settings, walks }: WalksRequest,
  cancelled: Cancelled,
): WalkAnswer[] {
  const { scratch } = context;
  const graph = walkedGraph(context, scope, settings);
  const take = (one: OneWalk, end: WalkEnd) => answerOf(context, scope, graph, one, end);
  const seeds = walks.reduce((sum, one) => sum + one.seeds.length, 0);
  if (walks.length >= WORTH_A_BLOCK && seeds <= WALK_SEEDS && scratch.blockScores !== 0) {
    return walkBlock(context, scope, { settings, walks, graph, take }, cancelled);
  }
  return walks.map((one) =>
    take(one, walk(context, scope, { settings, graph, seeds: one.seeds }, cancelled)),
  );
}

/** The finished walk in scratch.walkScores: the best visible rows with a score above 0, or all of it. */
function answerOf(
  { index, kernels, scratch }: ScoreContext,
  scope: Scope,
  { phrases }: WalkedGraph,
  { limit }: OneWalk,
  end: WalkEnd,
): WalkAnswer {
  const walked = index.nodes + phrases;
  if (limit === undefined) return { ...end, scores: index.f64(scratch.walkScores, walked).slice() };
  return { ...end, list: bestOf({ index, kernels, scratch }, scope, scratch.walkScores, limit) };
}

/** The best visible rows with a score above 0 of f64[nodes]. */
export function bestOf(
  { index, kernels, scratch }: Omit<ScoreContext, 'kept'>,
  scope: Scope,
  scoresAt: number,
  limit: number,
): RankedList {
  const n = index.nodes;
  const most = Math.min(limit, n);
  const found = topK(kernels, scoresAt, n, 0, scope.bitmapAt, 0, most, scratch.topRows, scratch.topScores);
  const rows = index.u32(scratch.topRows, found).slice();
  return { rows, scores: index.f64(scratch.topScores, found).slice() };
}

/**
 * Personalised PageRank by power iteration, x = (1 - d) v + d (P'x + (mass on rows without out-edges) v),
 * on the visible subgraph, from x = v, v being the seeds. The sum of x stays 1. Left in scratch.walkScores.
 * (Page et al., 1999; dangling mass to the restart vector as in system C.)
 */
function walk(
  { index, kernels, scratch }: ScoreContext,
  scope: Scope,
  { settings, graph, seeds }: { settings: WalkSettings; graph: WalkedGraph; seeds: Seed[] },
  cancelled: Cancelled,
): WalkEnd {
  const n = index.nodes;
  const restart = index.f64(scratch.walkRestart, n).fill(0);
  for (const { row, weight } of sharesOf(seeds)) restart[row] = weight;
  const scores = index.f64(scratch.walkScores, n + graph.phrases).fill(0);
  scores.set(restart);
  const { damping, tolerance, maxIterations } = settings;
  const end: WalkEnd = { iterations: 0, residual: Number.POSITIVE_INFINITY };
  while (end.iterations < maxIterations && end.residual > tolerance) {
    stopIf(cancelled);
    const dangling = pagerankContributions(
      kernels,
      scratch.walkScores,
      scratch.walkInverse,
      n + graph.phrases,
      scratch.walkContributions,
    );
    const base = 1 - damping + damping * dangling;
    end.residual = pagerankStep(
      kernels,
      graph.pull,
      graph.second,
      graph.ratio,
      graph.derivedAt,
      n,
      graph.phrases,
      scratch.walkContributions,
      scratch.walkRestart,
      graph.loopsAt,
      scope.bitmapAt,
      base,
      damping,
      scratch.walkScores,
    );
    end.iterations++;
  }
  return end;
}
