/** A score for people: five significant digits, since a share of rank of 1e-6 must not read as 0. */
export function scoreText(score: number): string {
  return score === 0 ? '0' : score.toPrecision(5);
}
