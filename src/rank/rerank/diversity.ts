/** Rows that a file may have before those behind them step back, and how far each then does. */
const KEPT = 2;
const STEP = 3;
/** Fewer candidates than this stay as they are. */
const LEAST = 3;

/**
 * Bounded diversity of files, best first (spec A.2): the k-th row of a file beyond its first two steps back by 3 k
 * places. What has no file stays.
 */
export function spreadFiles<C>(ordered: readonly C[], fileOf: (candidate: C) => string | undefined): C[] {
  if (ordered.length < LEAST) return [...ordered];
  const counts = new Map<string, number>();
  const places = ordered.map((candidate, i) => {
    const file = fileOf(candidate);
    if (file === undefined) return i;
    const count = (counts.get(file) ?? 0) + 1;
    counts.set(file, count);
    return i + STEP * Math.max(0, count - KEPT);
  });
  return ordered
    .map((candidate, i) => ({ candidate, i }))
    .sort((a, b) => places[a.i]! - places[b.i]! || a.i - b.i)
    .map(({ candidate }) => candidate);
}
