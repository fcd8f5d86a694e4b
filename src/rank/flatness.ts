/** Rank of the score that the first one is compared with. */
const FLAT_RANK = 20;
/** Rank whose score counts as nothing, in lists that reach so far; else that of the last. */
const FLOOR_RANK = 101;

/**
 * How flat a list of scores is, best first: its 20th over its first, from 0 (one stands out, or there are fewer)
 * to 1 (all alike). A list without any score says nothing and counts as flat.
 */
export function flatnessOf(scores: readonly number[]): number {
  if (scores.length === 0) return 1;
  const first = scores[0]!;
  const twentieth = scores[FLAT_RANK - 1] ?? 0;
  return first > 0 ? Math.max(0, twentieth / first) : 1;
}

/** Scores from 0 (the 101st, and all behind it) to 1 (the first); all 1 when they are equal. Best first. */
export function minMax(scores: readonly number[]): number[] {
  const first = scores[0] ?? 0;
  const floor =
    scores.length < 2 ? Number.NEGATIVE_INFINITY : scores[Math.min(FLOOR_RANK, scores.length) - 1]!;
  const range = first - floor;
  return scores.map((score) =>
    range > 0 && range < Number.POSITIVE_INFINITY ? Math.max(0, (score - floor) / range) : 1,
  );
}

/** Scores as shares of the first; 0 where the first is not above 0. */
export function shares(scores: readonly number[]): number[] {
  const first = scores[0] ?? 0;
  return scores.map((score) => (first > 0 ? Math.max(0, score / first) : 0));
}
