import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Scope } from '../src/access/scope.js';
import { readNpy } from '../src/ingest/npy.js';
import { dotScan } from '../src/kernels/dot.js';
import type { Metric } from '../src/score/canonical.js';
import type { ScoreContext } from '../src/score/context.js';
import { rankDense } from '../src/score/dense.js';
import { readLimit } from './read-limit.js';
import { median, printCells, race, type Table } from './report.js';
import { type Collection, clustered, place } from './vector-index.js';

const ROWS = 200_000;
const WIDTH = 384;
const QUERIES = 64;
const K = 10;

const REAL = [
  ['scifact', 'use-lite-512'],
  ['scifact', 'lsa-128'],
  ['2wiki-164', 'lsa-128'],
] as const;

/** Exact answers from int8 rows against exact answers from f32 rows: time, differences and rows rescored. */
export default async function int8(seed: number): Promise<Table[]> {
  const tables = [await compare(clustered(ROWS, WIDTH, QUERIES, seed), seed)];
  for (const [set, model] of REAL) {
    const real = await stored(set, model);
    if (real !== undefined) tables.push(await compare(real, seed));
  }
  return tables;
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
  const { f32, int8, bytes, scopes } = place(given, seed, K);
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
