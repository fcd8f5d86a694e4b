export interface Scored {
  row: number;
  score: number;
}

/** All rows that qualify, sorted by score descending, then row ascending; the first k. */
export function best(
  scores: ArrayLike<number>,
  options: { k: number; floor: number; base?: number; isVisible?: (row: number) => boolean },
): Scored[] {
  const { k, floor, base = 0, isVisible = () => true } = options;
  return Array.from(scores, (score, index) => ({ row: index + base, score }))
    .filter(({ row, score }) => isVisible(row) && score > floor)
    .sort((a, b) => b.score - a.score || a.row - b.row)
    .slice(0, k);
}

/** Rows that are not surely below the limit: a NaN anywhere keeps the row. */
export function reaching(
  scan: ArrayLike<number>,
  options: {
    slack: number;
    limit: number;
    norms?: ArrayLike<number>;
    base?: number;
    isVisible?: (row: number) => boolean;
  },
): number[] {
  const { slack, limit, norms, base = 0, isVisible = () => true } = options;
  return Array.from(scan, (_, index) => index)
    .filter((index) => isVisible(index + base) && !(scan[index]! + slack * (norms?.[index] ?? 1) < limit))
    .map((index) => index + base);
}
