import { setImmediate } from 'node:timers/promises';
import { DEFAULT_EF, Hnsw } from '../src/index/hnsw.js';
import { RECALL_AT } from '../src/index/recall.js';
import { DEFAULT_DEPTH } from '../src/rank/limit.js';
import type { ScoreContext } from '../src/score/context.js';
import { scoreDense } from '../src/score/dense.js';
import { scoreVectors } from '../src/score/dense-rows.js';
import { printCells, race, type Table } from './report.js';
import { clustered, place } from './vector-index.js';

const DIMENSION = 64;
const QUERIES = 200;
const SIZES = [10_000, 100_000];
/** Takes a quarter of an hour to build. */
const LARGE = 1_000_000;

/** The walk over a graph of neighbours against exact scans of one thread: recall and time, as the retrievers ask. */
export default async function hnsw(seed: number, large: boolean): Promise<Table[]> {
  const tables: Table[] = [];
  for (const rows of large ? [...SIZES, LARGE] : SIZES) tables.push(await compare(rows, seed));
  return tables;
}

async function compare(rows: number, seed: number): Promise<Table> {
  const collection = clustered(rows, DIMENSION, QUERIES, seed);
  const start = performance.now();
  const graph = await linked(collection.rows, rows);
  const seconds = (performance.now() - start) / 1000;
  const { f32, int8, scopes } = place(collection, seed, DEFAULT_DEPTH);
  const scope = scopes[0]!;
  const request = (q: number) => ({
    query: collection.queries.subarray(q * DIMENSION, (q + 1) * DIMENSION),
    model: 0,
    metric: 'cosine' as const,
    limit: DEFAULT_DEPTH,
  });
  const exact = (context: ScoreContext, q: number) =>
    scoreDense(context, scope, { ...request(q), part: 0, parts: 1 }, () => false);
  const walk = (q: number, ef: number, limit = DEFAULT_DEPTH) => {
    const near = graph.search(request(q).query, limit, ef);
    return scoreVectors(f32, scope, { ...request(q), limit }, Uint32Array.from(near));
  };
  const recall = (ef: number, limit?: number): string => {
    let found = 0;
    for (let q = 0; q < QUERIES; q++) {
      const best = new Set(exact(f32, q).rows.slice(0, RECALL_AT));
      found += walk(q, ef, limit)
        .rows.slice(0, RECALL_AT)
        .filter((row) => best.has(row)).length;
    }
    return (found / (QUERIES * RECALL_AT)).toFixed(4);
  };
  printCells(
    `hnsw: ${collection.name}, m 16, efConstruction 200, built in ${seconds.toFixed(1)} s by one thread`,
    ['', `recall@${RECALL_AT}`],
    [
      [`depth ${DEFAULT_DEPTH}, ef ${DEFAULT_EF}`, recall(DEFAULT_EF)],
      [`depth ${DEFAULT_DEPTH}, ef 1000`, recall(1000)],
      ['depth 50, ef 50', recall(50, 50)],
    ],
  );
  const next = (ask: (q: number) => unknown) => {
    let q = 0;
    return () => ask(q++ % QUERIES);
  };
  return race(
    `hnsw: ${collection.name}, ${DEFAULT_DEPTH} best unless said otherwise, cosine, one thread`,
    [
      { name: 'exact, f32', run: next((q) => exact(f32, q)) },
      { name: 'exact, int8', run: next((q) => exact(int8, q)) },
      { name: 'hnsw, ef 200', run: next((q) => walk(q, DEFAULT_EF)) },
      { name: 'hnsw, ef 1000', run: next((q) => walk(q, 1000)) },
      { name: 'hnsw, depth 50, ef 50', run: next((q) => walk(q, 50, 50)) },
    ],
    ['exact, f32', 'exact, int8'],
  );
}

async function linked(all: Float32Array, rows: number): Promise<Hnsw> {
  const graph = Hnsw.empty({ dimension: DIMENSION, rows, m: 16, efConstruction: 200 });
  for (let row = 0; row < rows; row++) {
    graph.add(all.subarray(row * DIMENSION, (row + 1) * DIMENSION));
    if (row % 65_536 === 0) await setImmediate();
  }
  return graph;
}
