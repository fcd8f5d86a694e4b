export interface Link {
  from: number;
  to: number;
  weight: number;
}

export interface WalkSettings {
  damping: number;
  steps: number;
  /** Stop early once the L1 change of a step is at most this. */
  tolerance?: number;
  selfLoops?: 'drop' | 'keep';
}

/**
 * Personalised PageRank by pushing along the edges: x' = d x P + (d * dangling mass + 1 - d) restart, from x = restart.
 * P is row-stochastic over out-edges; parallel edges add up. `restart` must sum to 1.
 * (The kernel pulls; a push shares none of its loops.)
 */
export function pagerank(
  restart: readonly number[],
  links: readonly Link[],
  settings: WalkSettings,
): number[] {
  const { damping, steps, tolerance = -1, selfLoops = 'drop' } = settings;
  const kept = links.filter(({ from, to }) => selfLoops === 'keep' || from !== to);
  const out = restart.map(() => 0);
  for (const { from, weight } of kept) out[from]! += weight;
  let scores = [...restart];
  for (let step = 0; step < steps; step++) {
    const dangling = sum(scores.filter((_, row) => out[row] === 0));
    const next = restart.map((share) => (1 - damping + damping * dangling) * share);
    for (const { from, to, weight } of kept) next[to]! += (damping * scores[from]! * weight) / out[from]!;
    const change = sum(next.map((score, row) => Math.abs(score - scores[row]!)));
    scores = next;
    if (change <= tolerance) break;
  }
  return scores;
}

export function reversed(links: readonly Link[]): Link[] {
  return links.map(({ from, to, weight }) => ({ from: to, to: from, weight }));
}

/** System C's score: a forward walk plus a walk on the reversed edges. Sums to 2. */
export function walkSum(
  restart: readonly number[],
  links: readonly Link[],
  settings: WalkSettings,
): number[] {
  const forward = pagerank(restart, links, settings);
  const backward = pagerank(restart, reversed(links), settings);
  return forward.map((score, row) => score + backward[row]!);
}

/** One walk over the edges and, with weights times `ratio`, their reversals. */
export function walkMixed(
  restart: readonly number[],
  links: readonly Link[],
  ratio: number,
  settings: WalkSettings,
): number[] {
  const back = reversed(links).map((link) => ({ ...link, weight: link.weight * ratio }));
  return pagerank(restart, ratio === 0 ? links : [...links, ...back], settings);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
