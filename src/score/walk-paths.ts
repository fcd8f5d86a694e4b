import type { Scope } from '../access/scope.js';
import type { ScoreContext } from './context.js';
import { walkedGraph } from './walk-graph.js';
import { eachInflow, type Step } from './walk-inflow.js';
import { type Seed, sharesOf, type WalkSettings } from './walk-request.js';

/** One way by which mass comes from a seed to a row. */
export interface WalkPath {
  seed: number;
  /** From the seed on; none for the restart at a seed itself. */
  steps: Step[];
  /** What of the row's score came this way. */
  value: number;
}

/** Ways that are told of one row; what is left is told as one sum. */
const PATHS = 3;
/** Rows that are looked back from for one row, and visible links that are looked at. */
const MOST_ROWS = 200;
const MOST_LINKS = 20_000;

interface Open {
  /** No way over this row can bring more than that. */
  most: number;
  row: number;
  /** Undefined for the row that is explained. */
  step: Step | undefined;
  next: Open | undefined;
  /** Share of the row's score that goes on along the steps. */
  factor: number;
  /** Whether this is a whole way, from a seed. */
  whole: boolean;
}

export interface WalkDone {
  settings: WalkSettings;
  seeds: readonly Seed[];
  /** By row, phrases behind the nodes. */
  scores: Float64Array;
}

/**
 * The strongest ways from the seeds to each of some rows, at most 3 a row, strongest first. A score is the sum over
 * all ways from a seed s of base * v(s) * the product of d * w / out-weight over their links, v being the restart and
 * base what restarts in a step (the series of personalised PageRank: Jeh and Widom, 2003). Looked for from the row
 * back, the strongest first: what a row's score gives is never less than what the ways over it bring.
 */
export function walkPaths(
  context: ScoreContext,
  scope: Scope,
  { settings, seeds, scores }: WalkDone,
  rows: ArrayLike<number>,
): WalkPath[][] {
  const graph = walkedGraph(context, scope, settings);
  const inverse = context.index.f64(context.scratch.walkInverse, scores.length);
  const dangling = scores.reduce((sum, score, row) => (inverse[row] === 0 ? sum + score : sum), 0);
  const base = 1 - settings.damping + settings.damping * dangling;
  const restart = new Map(sharesOf(seeds).map(({ row, weight }) => [row, base * weight]));
  const inflow: Inflow = (row, each) => eachInflow(context, scope, settings, graph, row, each);
  return Array.from(rows, (row) => pathsTo(row, { scores, restart, inflow }));
}

type Inflow = (row: number, each: (step: Step, share: number) => void) => void;

interface Walked {
  scores: Float64Array;
  /** What starts at a row in a step. */
  restart: ReadonlyMap<number, number>;
  inflow: Inflow;
}

function pathsTo(row: number, { scores, restart, inflow }: Walked): WalkPath[] {
  const found: WalkPath[] = [];
  const open: Open[] = [];
  let rows = 0;
  let links = 0;
  const look = (from: Open): void => {
    rows++;
    const started = restart.get(from.row);
    if (started !== undefined) push(open, { ...from, most: from.factor * started, whole: true });
    inflow(from.row, (step, share) => {
      links++;
      const factor = from.factor * share;
      const most = factor * scores[step.from]!;
      if (most > 0) push(open, { most, row: step.from, step, next: from, factor, whole: false });
    });
  };
  look({ most: scores[row]!, row, step: undefined, next: undefined, factor: 1, whole: false });
  while (open.length > 0 && found.length < PATHS) {
    const best = pop(open);
    if (best.whole) found.push({ seed: best.row, steps: stepsOf(best), value: best.most });
    else if (rows < MOST_ROWS && links < MOST_LINKS) look(best);
  }
  return found;
}

function stepsOf(open: Open): Step[] {
  const steps: Step[] = [];
  for (let at: Open | undefined = open; at?.step !== undefined; at = at.next) steps.push(at.step);
  return steps;
}

/** A binary heap, the strongest on top; among equals whichever came first stays so long as it is not passed. */
function push(heap: Open[], item: Open): void {
  let at = heap.length;
  heap.push(item);
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (heap[parent]!.most >= item.most) break;
    heap[at] = heap[parent]!;
    at = parent;
  }
  heap[at] = item;
}

function pop(heap: Open[]): Open {
  const top = heap[0]!;
  const last = heap.pop()!;
  if (heap.length === 0) return top;
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && heap[child + 1]!.most > heap[child]!.most) child++;
    if (heap[child]!.most <= last.most) break;
    heap[at] = heap[child]!;
    at = child;
  }
  heap[at] = last;
  return top;
}
