import { norm } from './embeddings.js';
import type { Hnsw } from './hnsw.js';

/** Recall is that of the first so many neighbours, over at most so many vectors asked for theirs. */
export const RECALL_AT = 10;
export const RECALL_QUERIES = 100;

/** Cosines that differ by less are equal: the graph adds up in float32. */
const EQUAL = 1e-6;

/**
 * The share of the nearest RECALL_AT neighbours that a search with `ef` candidates finds, 0 to 1: asked for vectors of the
 * graph itself, spread evenly, each without itself, and compared with an exact scan. A neighbour as near as
 * the last one counts for it. `breathe` is awaited between two vectors.
 */
export async function recallOf(
  graph: Hnsw,
  vectorOf: (i: number) => Float32Array,
  ef: number,
  breathe: () => Promise<void>,
): Promise<number> {
  const others = graph.rows - 1;
  const wanted = Math.min(RECALL_AT, others);
  const asked = Math.min(RECALL_QUERIES, graph.rows);
  if (wanted === 0) return 1;
  const norms = Float64Array.from({ length: graph.rows }, (_, i) => norm(vectorOf(i)));
  let found = 0;
  for (let q = 0; q < asked; q++) {
    await breathe();
    const query = Math.floor((q * graph.rows) / asked);
    const cosines = cosinesTo(query, vectorOf, norms);
    const least = leastOfBest(cosines, wanted) - EQUAL;
    const near = graph.search(vectorOf(query), ef, ef).filter((i) => i !== query);
    const best = near.map((i) => cosines[i]!).sort((a, b) => b - a);
    found += best.slice(0, wanted).filter((cosine) => cosine >= least).length;
  }
  return found / (asked * wanted);
}

/** Cosines of one vector with all, -Infinity with itself. */
function cosinesTo(query: number, vectorOf: (i: number) => Float32Array, norms: Float64Array): Float64Array {
  const vector = vectorOf(query);
  return norms.map((length, i) => {
    if (i === query) return Number.NEGATIVE_INFINITY;
    const other = vectorOf(i);
    let sum = 0;
    for (let d = 0; d < vector.length; d++) sum += vector[d]! * other[d]!;
    return sum / (length * norms[query]!);
  });
}

/** The least of the `count` greatest. */
function leastOfBest(values: Float64Array, count: number): number {
  const best = values.slice(0, count).sort();
  for (let i = count; i < values.length; i++) {
    if (values[i]! <= best[0]!) continue;
    best[0] = values[i]!;
    best.sort();
  }
  return best[0]!;
}
