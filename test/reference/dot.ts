/** The canonical dot product: dimension by dimension, one rounding per multiply and per add. */
export function dot(query: ArrayLike<number>, row: ArrayLike<number>): number {
  let sum = 0;
  for (let d = 0; d < query.length; d++) sum += query[d]! * row[d]!;
  return sum;
}
