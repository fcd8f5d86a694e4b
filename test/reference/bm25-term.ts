export interface Posting {
  row: number;
  /** What each field adds to the frequency, in field order. */
  parts: readonly number[];
}

/** acc[row] + weight * f / (f + k1), where f = sum of the parts / norm of the row; f = 0 adds nothing. */
export function accumulate(
  start: readonly number[],
  postings: readonly Posting[],
  options: { k1: number; weight: number; norms?: readonly number[] },
): number[] {
  const { k1, weight, norms } = options;
  const acc = [...start];
  for (const { row, parts } of postings) {
    let f = 0;
    for (const part of parts) f += part;
    if (norms) f /= norms[row]!;
    if (f > 0) acc[row]! += weight * (f / (f + k1));
  }
  return acc;
}
