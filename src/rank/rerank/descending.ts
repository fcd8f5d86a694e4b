const bits = new BigInt64Array(1);
const number = new Float64Array(bits.buffer);

/** The largest number below a finite one. */
export function nextBelow(value: number): number {
  if (value === 0) return -Number.MIN_VALUE;
  number[0] = value;
  bits[0] = bits[0]! + (value > 0 ? -1n : 1n);
  return number[0]!;
}

/**
 * Scores that say an order, as lists of hits do (score down, then row up): each is what is wanted, or as little lower
 * as keeps it behind what stands before it.
 */
export function descending<T>(
  ordered: readonly T[],
  of: (item: T) => { score: number; row: number },
): number[] {
  let before = { score: Number.POSITIVE_INFINITY, row: -1 };
  return ordered.map((item) => {
    const { score: wanted, row } = of(item);
    const score = Math.min(wanted, row > before.row ? before.score : nextBelow(before.score));
    before = { score, row };
    return score;
  });
}
