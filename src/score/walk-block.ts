import type { Scope } from '../access/scope.js';
import { pagerankContributions8, pagerankStep8, takeLane8 } from '../kernels/pagerank-block.js';
import { WALK_LANES as LANES } from '../memory/layout.js';
import { type Cancelled, type ScoreContext, stopIf } from './context.js';
import type { WalkedGraph } from './walk-graph.js';
import { type OneWalk, sharesOf, type WalkAnswer, type WalkEnd, type WalkSettings } from './walk-request.js';

export interface Block {
  settings: WalkSettings;
  /** At most 8, of at most WALK_SEEDS seeds together. */
  walks: readonly OneWalk[];
  graph: WalkedGraph;
  /** Makes the answer of a walk that has ended and lies in scratch.walkScores. */
  take(one: OneWalk, end: WalkEnd): WalkAnswer;
}

/**
 * Walks side by side, a lane each, no thread waiting for another. Each is taken out when its own residual or count
 * says so, as if it had been alone; the others go on.
 */
export function walkBlock(
  context: ScoreContext,
  scope: Scope,
  { settings, walks, graph, take }: Block,
  cancelled: Cancelled,
): WalkAnswer[] {
  const { index, kernels, scratch } = context;
  const n = index.nodes;
  const seedCount = placeSeeds(context, walks, n + graph.phrases);
  const [danglingAt, baseAt, changeAt] = [0, 1, 2].map((i) => scratch.blockSums + i * LANES * 8) as [
    number,
    number,
    number,
  ];
  const dangling = index.f64(danglingAt, LANES);
  const base = index.f64(baseAt, LANES);
  const change = index.f64(changeAt, LANES);
  const { damping, tolerance, maxIterations } = settings;
  const answers: WalkAnswer[] = [];
  const going = new Set(walks.keys());
  for (let iterations = 1; going.size > 0; iterations++) {
    stopIf(cancelled);
    pagerankContributions8(
      kernels,
      scratch.blockScores,
      scratch.walkInverse,
      n + graph.phrases,
      scratch.blockContributions,
      danglingAt,
    );
    for (let lane = 0; lane < LANES; lane++) base[lane] = 1 - damping + damping * dangling[lane]!;
    pagerankStep8(kernels, {
      graphAt: graph.pull,
      secondAt: graph.second,
      ratio: graph.ratio,
      derivedAt: graph.derivedAt,
      n,
      phrases: graph.phrases,
      contributionsAt: scratch.blockContributions,
      seedsAt: scratch.blockSeeds,
      seedCount,
      restartAt: scratch.blockRestart,
      loopsAt: graph.loopsAt,
      bitmapAt: scope.bitmapAt,
      baseAt,
      damping,
      scoresAt: scratch.blockScores,
      changeAt,
    });
    for (const lane of going) {
      const residual = change[lane]!;
      if (iterations < maxIterations && residual > tolerance) continue;
      takeLane8(kernels, scratch.blockScores, lane, n + graph.phrases, scratch.walkScores);
      answers[lane] = take(walks[lane]!, { iterations, residual });
      going.delete(lane);
    }
  }
  return answers;
}

/** Lists the rows that any of the walks restarts at, with each walk's share, and starts the walks there. */
function placeSeeds({ index, scratch }: ScoreContext, walks: readonly OneWalk[], walked: number): number {
  const scores = index.f64(scratch.blockScores, walked * LANES).fill(0);
  const shares = walks.map(({ seeds }) => sharesOf(seeds));
  const rows = [...new Set(shares.flatMap((list) => list.map(({ row }) => row)))].sort((a, b) => a - b);
  const placeOf = new Map(rows.map((row, place) => [row, place]));
  index.u32(scratch.blockSeeds, rows.length).set(rows);
  const restart = index.f64(scratch.blockRestart, rows.length * LANES).fill(0);
  shares.forEach((list, lane) => {
    for (const { row, weight } of list) {
      restart[placeOf.get(row)! * LANES + lane] = weight;
      scores[row * LANES + lane] = weight;
    }
  });
  return rows.length;
}
