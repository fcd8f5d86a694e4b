import type { Scope } from '../src/access/scope.js';
import { norm, paddedWidth } from '../src/index/embeddings.js';
import { quantizeRow } from '../src/index/quantize.js';
import type { Directory } from '../src/memory/directory.js';
import type { Scratch } from '../src/memory/layout.js';
import { SharedIndex } from '../src/memory/shared-index.js';
import type { ScoreContext } from '../src/score/context.js';
import { Arena } from '../test/kernels/arena.js';
import { bitmap, vectors } from './generate.js';

/** Vectors of `dimension` numbers, one after another. */
export interface Collection {
  name: string;
  dimension: number;
  rows: Float32Array;
  queries: Float32Array;
}

/** Rows around 500 centres; queries lie between two members of the same clusters. */
export function clustered(count: number, dimension: number, asked: number, seed: number): Collection {
  const rows = new Float32Array(count * dimension);
  const queries = new Float32Array(asked * dimension);
  const size = { dimension, width: dimension };
  vectors(rows, { seed, ...size });
  // The same clusters, other members.
  const both = new Float32Array(2 * asked * dimension);
  vectors(both, { seed, ...size });
  queries.forEach((_, i) => {
    queries[i] = both[i]! + 0.7 * both[i + queries.length]!;
  });
  return { name: `${count} x ${dimension}, clustered`, dimension, rows, queries };
}

/**
 * The collection in one memory, seen as an index of f32 rows and as one of int8 rows beside them, which are asked for
 * lists of at most `depth`. Scopes: the whole, and a tenth.
 */
export function place({ dimension, rows: given }: Collection, seed: number, depth: number) {
  const width = paddedWidth(dimension);
  const count = given.length / dimension;
  const arena = new Arena(count * (width * 5 + 100) + 2 ** 20, 65536);
  const rowAt = (row: number) => given.subarray(row * dimension, (row + 1) * dimension);
  const vectorsAt = arena.room(Float32Array, count * width);
  const valuesAt = arena.room(Uint8Array, count * width);
  const values = new Int8Array(arena.kernels.memory.buffer, valuesAt, count * width);
  const scalesAt = arena.room(Float32Array, count);
  const residualsAt = arena.room(Float32Array, count);
  const normsAt = arena.room(Float64Array, count);
  for (let row = 0; row < count; row++) {
    arena.view(Float32Array, vectorsAt + row * width * 4, dimension).set(rowAt(row));
    const { scale, residual } = quantizeRow(rowAt(row), values.subarray(row * width, (row + 1) * width));
    arena.view(Float32Array, scalesAt + row * 4, 1)[0] = scale;
    arena.view(Float32Array, residualsAt + row * 4, 1)[0] = residual;
    arena.view(Float64Array, normsAt + row * 8, 1)[0] = norm(rowAt(row));
  }
  const scratch = {
    queries: arena.room(Float32Array, 2 * width),
    scan: arena.room(Float64Array, count),
    exactRows: arena.room(Uint32Array, count),
    exactScores: arena.room(Float64Array, count),
    topRows: arena.room(Uint32Array, depth),
    topScores: arena.room(Float64Array, depth),
  } as Scratch;
  const embeddings = {
    dimension,
    width,
    models: ['m'],
    count,
    rows: arena.u32(Array.from({ length: count }, (_, row) => row)),
    model: 0,
    norms: normsAt,
    vectors: vectorsAt,
  };
  const quantized = { values: valuesAt, scales: scalesAt, residuals: residualsAt };
  const context = (kept: Directory['embeddings']): ScoreContext => ({
    index: SharedIndex.from(arena.kernels.memory, {
      version: 1,
      nodes: count,
      embeddings: kept,
    } as Directory),
    kernels: arena.kernels,
    scratch,
    kept: new Map(),
  });
  const scopes = [1, 0.1].map((share, id): Scope => {
    const words = bitmap(seed, count, share);
    const visible = words.reduce((sum, word) => sum + word.toString(2).replaceAll('0', '').length, 0);
    return { id, bitmapAt: arena.u32(words), visible, full: share === 1 } as Scope;
  });
  return {
    f32: context(embeddings),
    int8: context({ ...embeddings, quantized }),
    bytes: { at: valuesAt, length: count * width },
    scopes,
  };
}
