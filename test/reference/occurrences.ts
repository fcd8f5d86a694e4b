/** Adds min(most, sum of the row's frequencies) to the row of each posting. */
export function addOccurrences(
  start: readonly number[],
  postings: readonly { row: number; frequencies: readonly number[] }[],
  most: number,
): number[] {
  const sums = [...start];
  for (const { row, frequencies } of postings) {
    const occurrences = frequencies.reduce((sum, frequency) => sum + frequency, 0);
    sums[row]! += Math.min(most, occurrences);
  }
  return sums;
}
