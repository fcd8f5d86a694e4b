/** Exact integer sum, then the documented roundings: scales first, the division last. */
export function int8Score(options: {
  query: ArrayLike<number>;
  row: ArrayLike<number>;
  scale: number;
  queryScale: number;
  /** Left out for the bare dot product. */
  norms?: { row: number; query: number };
}): number {
  const { query, row, scale, queryScale, norms } = options;
  let sum = 0n;
  for (let d = 0; d < query.length; d++) sum += BigInt(query[d]!) * BigInt(row[d]!);
  const product = Number(sum) * (scale * queryScale);
  if (norms === undefined) return product;
  return norms.row === 0 ? 0 : product / (norms.query * norms.row);
}

/** A finite number as a whole multiple of 2^-1074, the least there is: exact. */
export function exactly(value: number): bigint {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const exponent = (bits >> 52n) & 0x7ffn;
  const fraction = bits & ((1n << 52n) - 1n);
  const magnitude = exponent === 0n ? fraction : (fraction | (1n << 52n)) << (exponent - 1n);
  return bits >> 63n === 0n ? magnitude : -magnitude;
}

/** The squared length of vector - scale * values, in units of 2^-2148: exact. */
export function squaredRest(vector: ArrayLike<number>, values: ArrayLike<number>, scale: number): bigint {
  let sum = 0n;
  for (let d = 0; d < vector.length; d++) {
    const rest = exactly(vector[d]!) - exactly(scale) * BigInt(values[d]!);
    sum += rest * rest;
  }
  return sum;
}
