/** Scores of one list, best first, made comparable with those of others. */

/**
 * From 0 (the score at `floorRank`, or the last of a shorter list, and all behind it) to 1 (the first); all 1 when
 * they are equal.
 */
export function minMax(scores: readonly number[], floorRank: number): number[] {
  const first = scores[0] ?? 0;
  const floor =
    scores.length < 2 ? Number.NEGATIVE_INFINITY : scores[Math.min(floorRank, scores.length) - 1]!;
  const range = first - floor;
  return scores.map((score) =>
    range > 0 && range < Number.POSITIVE_INFINITY ? Math.max(0, (score - floor) / range) : 1,
  );
}

/** Shares of the first; 0 where the first is not above 0. */
export function shares(scores: readonly number[]): number[] {
  const first = scores[0] ?? 0;
  return scores.map((score) => (first > 0 ? Math.max(0, score / first) : 0));
}

/**
 * 0.5 at the mean, 0 and 1 three sample deviations below and above it; 0.5 where there is no deviation. Scores are
 * taken in units of the largest, so that squares stay finite.
 */
export function deviations(scores: readonly number[]): number[] {
  const unit = scores.reduce((most, score) => Math.max(most, Math.abs(score)), 0);
  const parts = scores.map((score) => (unit > 0 ? score / unit : 0));
  const mean = parts.reduce((sum, part) => sum + part, 0) / parts.length;
  const squares = parts.reduce((sum, part) => sum + (part - mean) ** 2, 0);
  const deviation = Math.sqrt(squares / (parts.length - 1));
  const isSpread = deviation > 0 && parts[0] !== parts.at(-1);
  return parts.map((part) => (isSpread ? 0.5 + (part - mean) / (6 * deviation) : 0.5));
}
