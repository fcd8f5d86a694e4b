/** The best `count` of many rows by an order without ties, best first; what is kept is at most `count` rows long. */
export function bestBy(
  rows: Iterable<number>,
  count: number,
  order: (a: number, b: number) => number,
): number[] {
  const best: number[] = [];
  for (const row of rows) {
    if (best.length === count && (count === 0 || order(row, best[count - 1]!) > 0)) continue;
    let [low, high] = [0, best.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (order(row, best[middle]!) < 0) high = middle;
      else low = middle + 1;
    }
    best.splice(low, 0, row);
    if (best.length > count) best.pop();
  }
  return best;
}
