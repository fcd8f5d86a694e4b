import { norm } from '../index/embeddings.js';
import { ROW_LEVELS, restLength } from '../index/quantize.js';
import type { Directory } from './directory.js';
import type { Report } from './finding.js';
import type { SharedIndex } from './shared-index.js';

type Embeddings = NonNullable<Directory['embeddings']>;

/** Vectors are finite, zero in the padding, and their norms are their norms; int8 rows stand for them. */
export function verifyVectors(index: SharedIndex, report: Report): void {
  const embeddings = index.directory.embeddings;
  if (embeddings === undefined) return;
  if (embeddings.vectors !== 0) verifyRows(index, embeddings, report);
  if (embeddings.quantized !== undefined) verifyQuantized(index, embeddings, embeddings.quantized, report);
}

function verifyRows(
  index: SharedIndex,
  { count, width, dimension, ...at }: Embeddings,
  report: Report,
): void {
  const norms = index.f64(at.norms, count);
  const values = index.f32(at.vectors, count * width);
  for (let v = 0; v < count; v++) {
    const vector = values.subarray(v * width, v * width + dimension);
    const padding = values.subarray(v * width + dimension, (v + 1) * width);
    if (!vector.every(Number.isFinite)) report('embeddings', `vector ${v} holds a number that is not finite`);
    else if (norm(vector) !== norms[v]) report('embeddings', `the norm of vector ${v} is wrong`);
    if (padding.some((x) => x !== 0)) report('embeddings', `vector ${v} has numbers in its padding`);
  }
}

/**
 * The rest of each vector is no longer than its residual. Without the vector only a consequence can be seen: the
 * norms of vector and int8 row differ by no more.
 */
function verifyQuantized(
  index: SharedIndex,
  { count, width, dimension, vectors, norms: normsAt }: Embeddings,
  at: NonNullable<Embeddings['quantized']>,
  report: Report,
): void {
  const all = index.i8(at.values, count * width);
  const norms = index.f64(normsAt, count);
  const scales = index.f32(at.scales, count);
  const residuals = index.f32(at.residuals, count);
  for (let v = 0; v < count; v++) {
    const values = all.subarray(v * width, v * width + dimension);
    const padding = all.subarray(v * width + dimension, (v + 1) * width);
    if (values.some((x) => x < -ROW_LEVELS)) report('quantized', `row ${v} holds -128`);
    if (padding.some((x) => x !== 0)) report('quantized', `row ${v} has numbers in its padding`);
    const rest =
      vectors === 0
        ? Math.abs(norms[v]! - scales[v]! * norm(values)) - norms[v]! * 2 ** -40
        : restLength(index.f32(vectors + v * width * 4, dimension), values, scales[v]!);
    if (rest > residuals[v]!) report('quantized', `the residual of row ${v} is too small`);
  }
}
