import type { Scope } from '../access/scope.js';
import { outWeights } from '../kernels/pagerank.js';
import { bitmapWords, isSet } from '../memory/bitmap.js';
import type { Directory, GraphAt } from '../memory/directory.js';
import type { ScoreContext } from './context.js';
import type { WalkSettings } from './walk-request.js';

type Graph = NonNullable<Directory['graph']>;

/** What the kernels are told of a graph that is walked; the inverse out-weights lie in scratch.walkInverse. */
export interface WalkedGraph {
  /** Record of the edges that mass comes in by. */
  pull: number;
  /** Record of the reversals of a mixed walk, else 0. */
  second: number;
  /** Weight of a reversal; 0 without any. */
  ratio: number;
  /** f64[nodes]: weights of self loops; 0 when they are ignored. */
  loopsAt: number;
}

/** The graph of these settings in this scope, made once as long as consecutive walks share both. */
export function walkedGraph(context: ScoreContext, scope: Scope, settings: WalkSettings): WalkedGraph {
  const { direction, ratio, selfLoops, edgeWeights, kindWeights } = settings;
  const key = JSON.stringify([direction, ratio, selfLoops, edgeWeights, kindWeights]);
  const known = context.kept.get(KEPT);
  const made = known?.value as { key: string; graph: WalkedGraph } | undefined;
  if (known?.scope === scope.id && made?.key === key) return made.graph;
  const graph = prepareGraph(context, scope, settings);
  context.kept.set(KEPT, { scope: scope.id, value: { key, graph } });
  return graph;
}

const KEPT = 'walked graph';

/** Graph records for the kernels, the inverse out-weights and the self loops. */
function prepareGraph(context: ScoreContext, scope: Scope, request: WalkSettings): WalkedGraph {
  const { index, kernels, scratch } = context;
  const graph = index.directory.graph;
  if (graph === undefined) throw new Error('this index has no edges');
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
  const reverse = request.direction === 'reverse';
  const mixed = request.direction === 'mixed' && request.ratio > 0;

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
    ratio: mixed ? request.ratio : 0,
    loopsAt: keepLoops ? scratch.walkLoops : 0,
  };
}

/** A record is five u32; the second starts 32 bytes on. */
const GRAPH_RECORD = 32;

function addLoops(
  { index, scratch }: ScoreContext,
  scope: Scope,
  request: WalkSettings,
  graph: Graph,
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
