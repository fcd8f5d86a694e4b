/** Row values are whole numbers from -127 to 127: -128 would have no opposite. */
export const ROW_LEVELS = 127;

/** What a vector is besides its whole numbers: vector = scale * values + a rest of length at most `residual`. */
export interface Quantized {
  /** Finite as float32, >= 0; 0 when the numbers are too small for one, and the values then are 0. */
  scale: number;
  /** As float32, rounded up: never below the length of the rest. */
  residual: number;
}

/** Rounds a vector to whole numbers of one float32 scale, its largest magnitude / 127, into `values`. */
export function quantizeRow(vector: Float32Array, values: Int8Array): Quantized {
  const scale = Math.fround(largest(vector) / ROW_LEVELS);
  for (let d = 0; d < vector.length; d++) values[d] = level(vector[d]!, scale, ROW_LEVELS);
  return { scale, residual: roundUp(restOf(vector, values, scale)) };
}

/**
 * The same for a query, with 16 bits: at most (2^31 - 1) / (127 d) levels, so that no sum over d products with a
 * row's values leaves 32 bits, and at most 32,767. The scale and the residual are float64.
 */
export function quantizeQuery(query: Float32Array, values: Int16Array): Quantized {
  const levels = Math.min(0x7fff, Math.floor(0x7fffffff / (ROW_LEVELS * query.length)));
  const scale = largest(query) / levels;
  for (let d = 0; d < query.length; d++) values[d] = level(query[d]!, scale, levels);
  return { scale, residual: restOf(query, values, scale) };
}

/** Length of vector - scale * values, enlarged by what its own float64 roundings can have taken. */
function restOf(vector: Float32Array, values: Int8Array | Int16Array, scale: number): number {
  return restLength(vector, values, scale) * (1 + (vector.length + 16) * 2 ** -52);
}

/** Length of vector - scale * values, in f64 in the order of the dimensions. */
export function restLength(vector: Float32Array, values: Int8Array | Int16Array, scale: number): number {
  let sum = 0;
  for (let d = 0; d < vector.length; d++) {
    const rest = vector[d]! - scale * values[d]!;
    sum += rest * rest;
  }
  return Math.sqrt(sum);
}

function largest(vector: Float32Array): number {
  let most = 0;
  for (let d = 0; d < vector.length; d++) most = Math.max(most, Math.abs(vector[d]!));
  return most;
}

function level(x: number, scale: number, levels: number): number {
  return scale === 0 ? 0 : Math.max(-levels, Math.min(levels, Math.round(x / scale)));
}

const word = new Uint32Array(1);
const float = new Float32Array(word.buffer);

/** The least float32 that is not below a value >= 0. */
function roundUp(value: number): number {
  float[0] = value;
  if (float[0] < value) word[0]!++;
  return float[0];
}
