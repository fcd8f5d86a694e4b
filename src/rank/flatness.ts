/** Rank of the score that the first one is compared with. */
const FLAT_RANK = 20;

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
