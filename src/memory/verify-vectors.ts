import { norm } from '../index/embeddings.js';
import type { Report } from './finding.js';
import type { SharedIndex } from './shared-index.js';

/** Vectors are finite, zero in the padding, and their norms are their norms. */
export function verifyVectors(index: SharedIndex, report: Report): void {
  const embeddings = index.directory.embeddings;
  if (embeddings === undefined) return;
  const { count, width, dimension } = embeddings;
  const norms = index.f64(embeddings.norms, count);
  const values = index.f32(embeddings.vectors, count * width);
  for (let v = 0; v < count; v++) {
    const vector = values.subarray(v * width, v * width + dimension);
    const padding = values.subarray(v * width + dimension, (v + 1) * width);
    if (!vector.every(Number.isFinite)) report('embeddings', `vector ${v} holds a number that is not finite`);
    else if (norm(vector) !== norms[v]) report('embeddings', `the norm of vector ${v} is wrong`);
    if (padding.some((x) => x !== 0)) report('embeddings', `vector ${v} has numbers in its padding`);
  }
}
