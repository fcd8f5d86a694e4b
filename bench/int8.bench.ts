import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Scope } from '../src/access/scope.js';
import { norm, paddedWidth } from '../src/index/embeddings.js';
import { quantizeRow } from '../src/index/quantize.js';
import { readNpy } from '../src/ingest/npy.js';
import { dotScan } from '../src/kernels/dot.js';
import type { Directory } from '../src/memory/directory.js';
import type { Scratch } from '../src/memory/layout.js';
import { SharedIndex } from '../src/memory/shared-index.js';
import type { Metric } from '../src/score/canonical.js';
import type { ScoreContext } from '../src/score/context.js';
import { rankDense } from '../src/score/dense.js';
import { Arena } from '../test/kernels/arena.js';
import { bitmap, vectors } from './generate.js';
import { readLimit } from './read-limit.js';
import { median, printCells, race, type Table } from './report.js';

const ROWS = 200_000;
const WIDTH = 384;
const QUERIES = 64;
const K = 10;

const REAL = [
  ['scifact', 'use-lite-512'],
  ['scifact', 'lsa-128'],
  ['2wiki-164', 'lsa-128'],
] as const;

/** Vectors of `dimension` numbers, one after another. */
interface Collection {
  name: string;
  dimension: number;
  rows: Float32Array;
  queries: Float32Array;
}

/** Exact answers from int8 rows against exact answers from f32 rows: time, differences and rows rescored. */
export default async function int8(seed: number): Promise<Table[]> {
  const tables = [await compare(clustered(seed), seed)];
  for (const [set, model] of REAL) {
    const real = await stored(set, model);
    if (real !== undefined) tables.push(await compare(real, seed));
  }
  return tables;
}

function clustered(seed: number): Collection {
  const rows = new Float32Array(ROWS * WIDTH);
  const queries = new Float32Array(QUERIES * WIDTH);
  const size = { dimension: WIDTH, width: WIDTH };
  vectors(rows, { seed, ...size });
  // The same clusters, other members.
  const both = new Float32Array(2 * QUERIES * WIDTH);
  vectors(both, { seed, ...size });
  queries.forEach((_, i) => {
    queries[i] = both[i]! + 0.7 * both[i + queries.length]!;
  });
  return { name: `${ROWS} x ${WIDTH}, clustered`, dimension: WIDTH, rows, queries };
}

async function stored(set: string, model: string): Promise<Collection | undefined> {
  const path = (of: string) =>
    fileURLToPath(new URL(`../../shared/data/${set}/embeddings/${model}.${of}.npy`, import.meta.url));
  if (!existsSync(path('docs'))) return undefined;
  const { rows, columns, data } = await readNpy(path('docs'));
  const queries = (await readNpy(path('queries'))).data;
  return { name: `${set} ${model}, ${rows} rows`, dimension: columns, rows: data, queries };
}

async function compare(given: Collection, seed: number): Promise<Table> {
  const { name, dimension, queries } = given;
  const { f32, int8, bytes, scopes } = place(given, seed);
  const count = queries.length / dimension;
  const ask = (context: ScoreContext, scope: Scope, metric: Metric, q: number) => {
    const query = queries.subarray(q * dimension, (q + 1) * dimension);
    return rankDense(context, scope, { query, model: 0, metric, limit: K, part: 0, parts: 1 }, () => false);
  };
  const rescored: number[] = [];
  for (const scope of scopes) {
    for (const metric of ['cosine', 'dot'] as const) {
      for (let q = 0; q < count; q++) {
        const exact = ask(f32, scope, metric, q);
        const fast = ask(int8, scope, metric, q);
        assert.deepEqual(fast.list, exact.list, `${name}, ${metric}, query ${q}`);
        if (scope.full) rescored.push(fast.rescored);
      }
    }
  }
  printCells(
    `int8: ${name}, ${count} queries, ${K} best, cosine and dot, whole and scoped: 0 differences`,
    ['', 'median', 'most'],
    [['rows rescored', String(median(rescored)), String(Math.max(...rescored))]],
  );
  const next = (context: ScoreContext, scope: Scope, metric: Metric) => {
    let q = 0;
    return () => ask(context, scope, metric, q++ % count);
  };
  const [whole, tenth] = scopes as [Scope, Scope];
  const embeddings = f32.index.directory.embeddings!;
  const { width, vectors: rowsAt } = embeddings;
  const scanned = f32.scratch;
  const read = await readLimit(f32.kernels.memory);
  return race(
    `int8: ${name}, ${K} best, exact`,
    [
      { name: 'f32, cosine', run: next(f32, whole, 'cosine') },
      { name: 'int8, cosine', run: next(int8, whole, 'cosine') },
      { name: 'f32, dot', run: next(f32, whole, 'dot') },
      { name: 'int8, dot', run: next(int8, whole, 'dot') },
      {
        name: 'f32 scan alone',
        run: () =>
          dotScan(
            f32.kernels,
            scanned.queries,
            1,
            rowsAt,
            width,
            0,
            embeddings.count,
            0,
            scanned.scan,
            embeddings.count,
          ),
      },
      { name: 'read of the int8 rows', run: () => read(bytes.at, bytes.length) },
      { name: 'f32, cosine, 10 % visible', run: next(f32, tenth, 'cosine') },
      { name: 'int8, cosine, 10 % visible', run: next(int8, tenth, 'cosine') },
    ],
    ['f32 scan alone', 'f32, cosine', 'f32, dot', 'f32, cosine, 10 % visible'],
  );
}

/** The collection in one memory, seen as an index of f32 rows and as one of int8 rows beside them. */
function place({ dimension, rows: given }: Collection, seed: number) {
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
    topRows: arena.room(Uint32Array, K),
    topScores: arena.room(Float64Array, K),
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
