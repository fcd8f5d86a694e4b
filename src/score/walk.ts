import type { Scope } from '../access/scope.js';
import { outWeights, pagerankContributions, pagerankStep } from '../kernels/pagerank.js';
import { topK } from '../kernels/top-k.js';
import { bitmapWords, isSet } from '../memory/bitmap.js';
import type { Directory, GraphAt } from '../memory/directory.js';
import type { RankedList } from '../types.js';
import { type Cancelled, type ScoreContext, stopIf } from './context.js';

/**
 * `forward`: along the edges. `reverse`: against them. `sum`: both, added (system C). `mixed`: one walk over
 * the edges of weight w and their reversals of weight ratio * w.
 */
export type WalkKind = 'forward' | 'reverse' | 'sum' | 'mixed';

export interface WalkRequest {
  kind: WalkKind;
  /** Visible rows with positive weights, ascending by row; the weights are divided by their sum. */
  seeds: { row: number; weight: number }[];
  /** Share of the mass that follows edges, in [0, 1). */
  damping: number;
  /** Stop once the scores change by no more than this in sum (L1). */
  tolerance: number;
  maxIterations: number;
  /** Weight of reversals in a mixed walk, >= 0. */
  ratio: number;
  selfLoops: 'ignore' | 'keep';
  /** `uniform` takes every edge as 1. */
  edgeWeights: 'stored' | 'uniform';
  /** Factor per edge kind, by the directory's list of kinds; undefined: 1 for all. */
  kindWeights: number[] | undefined;
  limit: number;
}

export interface WalkEnd {
  iterations: number;
  /** L1 change of the last step. */
  residual: number;
}

/** Best visible rows with a score above 0 by the walk's score. */
export function scoreWalk(
  context: ScoreContext,
  scope: Scope,
  request: WalkRequest,
  cancelled: Cancelled,
): RankedList & { ends: WalkEnd[] } {
  const { index, kernels, scratch } = context;
  const n = index.nodes;
  const total = index.f64(scratch.scores, n);
  const kinds: WalkKind[] = request.kind === 'sum' ? ['forward', 'reverse'] : [request.kind];
  const ends = kinds.map((kind, i) => {
    const end = walk(context, scope, { ...request, kind }, cancelled);
    const scores = index.f64(scratch.walkScores, n);
    if (i === 0) total.set(scores);
    else for (let row = 0; row < n; row++) total[row]! += scores[row]!;
    return end;
  });
  const limit = Math.min(request.limit, n);
  const found = topK(
    kernels,
    scratch.scores,
    n,
    0,
    scope.bitmapAt,
    0,
    limit,
    scratch.topRows,
    scratch.topScores,
  );
  const rows = index.u32(scratch.topRows, found).slice();
  return { rows, scores: index.f64(scratch.topScores, found).slice(), ends };
}

/** The whole vector of one walk (forward, reverse or mixed), 0 for hidden rows. */
export function walkVector(
  context: ScoreContext,
  scope: Scope,
  request: WalkRequest,
  cancelled: Cancelled,
): WalkEnd & { scores: Float64Array } {
  const end = walk(context, scope, request, cancelled);
  return { ...end, scores: context.index.f64(context.scratch.walkScores, context.index.nodes).slice() };
}

/**
 * Personalised PageRank by power iteration, x = (1 - d) v + d (P'x + (mass on rows without out-edges) v),
 * on the visible subgraph, from x = v, v being the seeds. The sum of x stays 1. Left in scratch.walkScores.
 * (Page et al., 1999; dangling mass to the restart vector as in system C.)
 */
function walk(context: ScoreContext, scope: Scope, request: WalkRequest, cancelled: Cancelled): WalkEnd {
  const { index, kernels, scratch } = context;
  const n = index.nodes;
  const graph = index.directory.graph;
  if (graph === undefined) throw new Error('this index has no edges');
  const restart = index.f64(scratch.walkRestart, n);
  restart.fill(0);
  // Relative to the heaviest first, so that the sum cannot overflow.
  const heaviest = request.seeds.reduce((most, seed) => Math.max(most, seed.weight), 0);
  const mass = request.seeds.reduce((sum, seed) => sum + seed.weight / heaviest, 0);
  for (const { row, weight } of request.seeds) restart[row] = weight / heaviest / mass;
  const { pull, second, loopsAt } = prepareGraph(context, scope, request, graph);
  index.f64(scratch.walkScores, n).set(restart);
  const ratio = second === 0 ? 0 : request.ratio;
  const { damping } = request;
  const end: WalkEnd = { iterations: 0, residual: Number.POSITIVE_INFINITY };
  while (end.iterations < request.maxIterations && end.residual > request.tolerance) {
    stopIf(cancelled);
    const dangling = pagerankContributions(
      kernels,
      scratch.walkScores,
      scratch.walkInverse,
      n,
      scratch.walkContributions,
    );
    const base = 1 - damping + damping * dangling;
    end.residual = pagerankStep(
      kernels,
      pull,
      second,
      ratio,
      n,
      scratch.walkContributions,
      scratch.walkRestart,
      loopsAt,
      scope.bitmapAt,
      base,
      damping,
      scratch.walkScores,
    );
    end.iterations++;
  }
  return end;
}

/** Graph records for the kernels, the inverse out-weights and the self loops of this request. */
function prepareGraph(
  context: ScoreContext,
  scope: Scope,
  request: WalkRequest,
  graph: NonNullable<Directory['graph']>,
): { pull: number; second: number; loopsAt: number } {
  const { index, kernels, scratch } = context;
  const n = index.nodes;
  const weighted = request.edgeWeights === 'stored' && !graph.unweighted;
  const kindTable = request.kindWeights !== undefined;
  if (kindTable) index.f64(scratch.kindWeights, request.kindWeights!.length).set(request.kindWeights!);
  const record = (at: number, side: GraphAt): number => {
    index
      .u32(at, 5)
      .set([
        side.starts,
        side.nodes,
        weighted ? side.weights : 0,
        kindTable ? side.kinds : 0,
        kindTable ? scratch.kindWeights : 0,
      ]);
    return at;
  };
  const inAt = record(scratch.graphRecords, graph.in);
  const outAt = record(scratch.graphRecords + GRAPH_RECORD, graph.out);
  const reverse = request.kind === 'reverse';
  const mixed = request.kind === 'mixed' && request.ratio > 0;

  const inverse = index.f64(scratch.walkInverse, n);
  inverse.fill(0);
  outWeights(kernels, reverse ? inAt : outAt, n, scope.bitmapAt, 1, scratch.walkInverse);
  if (mixed) outWeights(kernels, inAt, n, scope.bitmapAt, request.ratio, scratch.walkInverse);
  const keepLoops = request.selfLoops === 'keep' && graph.loops.length > 0;
  if (keepLoops) addLoops(context, scope, request, graph, mixed ? 1 + request.ratio : 1);
  for (let row = 0; row < n; row++) if (inverse[row]! > 0) inverse[row] = 1 / inverse[row]!;
  return {
    pull: reverse ? outAt : inAt,
    second: mixed ? outAt : 0,
    loopsAt: keepLoops ? scratch.walkLoops : 0,
  };
}

/** A record is five u32; the second starts 32 bytes on. */
const GRAPH_RECORD = 32;

function addLoops(
  { index, scratch }: ScoreContext,
  scope: Scope,
  request: WalkRequest,
  graph: NonNullable<Directory['graph']>,
  factor: number,
): void {
  const words = index.u32(scope.bitmapAt, bitmapWords(index.nodes));
  const inverse = index.f64(scratch.walkInverse, index.nodes);
  const loops = index.f64(scratch.walkLoops, index.nodes);
  loops.fill(0);
  for (const { row, weight, kind } of graph.loops) {
    if (!isSet(words, row)) continue;
    const stored = request.edgeWeights === 'stored' ? weight : 1;
    loops[row]! += stored * (request.kindWeights?.[kind] ?? 1) * factor;
  }
  for (let row = 0; row < loops.length; row++) inverse[row]! += loops[row]!;
}
