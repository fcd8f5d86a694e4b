import { EigenvalueDecomposition, Matrix } from 'ml-matrix';
import type { SparseMatrix } from './sparse-matrix.js';

/** Columns beyond those asked for, and passes over the matrix: Halko, Martinsson and Tropp (2011), section 4. */
const OVERSAMPLING = 16;
const PASSES = 3;
/** Directions weaker than this share of the strongest are left out; iteration tells those above it apart from rounding. */
const WEAKEST = 1e-3;
const ROUNDING = 1e-14;

export interface RightSingular {
  /** Row-major f64[columns of the matrix][rank]: right singular vectors, strongest first. */
  vectors: Float64Array;
  /** How many there are: at most the dimension asked for. */
  rank: number;
}

/**
 * The strongest right singular vectors of a sparse matrix, by randomised subspace iteration (Halko, Martinsson
 * and Tropp, 2011) on the shorter side. Starts from signs of a fixed generator and adds in a fixed order: the
 * same bytes everywhere.
 */
export function rightSingularVectors(matrix: SparseMatrix, dimension: number): RightSingular {
  const width = Math.min(dimension + OVERSAMPLING, matrix.rows, matrix.columns);
  const byRows = matrix.rows < matrix.columns;
  let basis = start(Math.min(matrix.rows, matrix.columns), width);
  for (let pass = 0; pass < PASSES; pass++) {
    const image = byRows ? timesTransposed(matrix, basis, width) : times(matrix, basis, width);
    basis = orthonormal(byRows ? times(matrix, image, width) : timesTransposed(matrix, image, width), width);
  }
  const image = byRows ? timesTransposed(matrix, basis, width) : times(matrix, basis, width);
  const { vectors, values } = eigen(gram(image, width), width);
  const least = WEAKEST ** 2 * values[0]!;
  const rank = Math.min(dimension, values.filter((value) => value > least).length);
  if (!byRows) return { vectors: multiply(basis, width, vectors, rank), rank };
  // The image is V S X': V = image X S^-1.
  scaleColumns(vectors, width, (column) => (column < rank ? 1 / Math.sqrt(values[column]!) : 0));
  return { vectors: multiply(image, width, vectors, rank), rank };
}

/** matrix x dense, dense row-major with `width` columns. */
export function times(matrix: SparseMatrix, dense: Float64Array, width: number): Float64Array {
  const { rows, starts, places, values } = matrix;
  const out = new Float64Array(rows * width);
  for (let row = 0; row < rows; row++) {
    const to = row * width;
    for (let e = starts[row]!; e < starts[row + 1]!; e++)
      addScaled(out, to, dense, places[e]! * width, width, values[e]!);
  }
  return out;
}

/** Transposed matrix x dense. */
function timesTransposed(matrix: SparseMatrix, dense: Float64Array, width: number): Float64Array {
  const { rows, columns, starts, places, values } = matrix;
  const out = new Float64Array(columns * width);
  for (let row = 0; row < rows; row++) {
    const from = row * width;
    for (let e = starts[row]!; e < starts[row + 1]!; e++)
      addScaled(out, places[e]! * width, dense, from, width, values[e]!);
  }
  return out;
}

function addScaled(
  out: Float64Array,
  to: number,
  from: Float64Array,
  at: number,
  width: number,
  factor: number,
): void {
  for (let d = 0; d < width; d++) out[to + d]! += factor * from[at + d]!;
}

/** A basis of the columns' span: Y W L^-1/2 from Y'Y = W L W'. Directions without energy become 0. */
function orthonormal(y: Float64Array, width: number): Float64Array {
  const { vectors, values } = eigen(gram(y, width), width);
  const least = ROUNDING * values[0]!;
  scaleColumns(vectors, width, (column) => (values[column]! > least ? 1 / Math.sqrt(values[column]!) : 0));
  return multiply(y, width, vectors, width);
}

function scaleColumns(square: Float64Array, width: number, scale: (column: number) => number): void {
  const scales = Float64Array.from({ length: width }, (_, column) => scale(column));
  for (let i = 0; i < square.length; i++) square[i]! *= scales[i % width]!;
}

/** Y'Y, both triangles. Four rows of Y at a time: a quarter of the traffic to the sums. */
function gram(y: Float64Array, width: number): Float64Array {
  const out = new Float64Array(width * width);
  const whole = y.length - (y.length % (4 * width));
  for (let at = 0; at < whole; at += 4 * width) addGram(out, y, at, width);
  // What is left, padded with rows of zeros.
  const rest = new Float64Array(4 * width);
  rest.set(y.subarray(whole));
  addGram(out, rest, 0, width);
  for (let i = 0; i < width; i++) for (let j = 0; j < i; j++) out[i * width + j] = out[j * width + i]!;
  return out;
}

/** Adds what four rows at `a` give to the upper triangle. */
function addGram(out: Float64Array, y: Float64Array, a: number, width: number): void {
  const [b, c, d] = [a + width, a + 2 * width, a + 3 * width];
  for (let i = 0; i < width; i++) {
    const [p, q, r, s] = [y[a + i]!, y[b + i]!, y[c + i]!, y[d + i]!];
    const to = i * width;
    for (let j = i; j < width; j++) {
      out[to + j]! += p * y[a + j]! + q * y[b + j]! + r * y[c + j]! + s * y[d + j]!;
    }
  }
}

/** Eigenvectors (as columns, row-major) and eigenvalues of a symmetric matrix, largest first. */
function eigen(symmetric: Float64Array, width: number): { vectors: Float64Array; values: Float64Array } {
  const { realEigenvalues, eigenvectorMatrix } = new EigenvalueDecomposition(
    Matrix.from1DArray(width, width, symmetric),
    { assumeSymmetric: true },
  );
  const vectors = new Float64Array(width * width);
  // ml-matrix gives them in ascending order.
  for (let column = 0; column < width; column++) {
    for (let row = 0; row < width; row++) {
      vectors[row * width + column] = eigenvectorMatrix.get(row, width - 1 - column);
    }
  }
  return { vectors, values: Float64Array.from(realEigenvalues).reverse() };
}

/** dense (row-major, `width` columns) x the first `wanted` columns of a square matrix. */
function multiply(dense: Float64Array, width: number, square: Float64Array, wanted: number): Float64Array {
  const rows = dense.length / width;
  const out = new Float64Array(rows * wanted);
  for (let row = 0; row < rows; row++) {
    const to = row * wanted;
    for (let i = 0; i < width; i++) {
      const factor = dense[row * width + i]!;
      const from = i * width;
      for (let d = 0; d < wanted; d++) out[to + d]! += factor * square[from + d]!;
    }
  }
  return out;
}

/** Signs of a xorshift generator (Marsaglia, 2003) with a fixed seed; the whole space where all of it is wanted. */
function start(side: number, width: number): Float64Array {
  if (side === width)
    return Float64Array.from({ length: side * side }, (_, i) => (i % (side + 1) === 0 ? 1 : 0));
  let state = 0x9e3779b9;
  return Float64Array.from({ length: side * width }, () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state & 1 ? 1 : -1;
  });
}
