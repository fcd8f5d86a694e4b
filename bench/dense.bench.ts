import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildIndex, dense, Engine } from '../dist/index.js';
import { vectors } from './generate.js';
import { race, type Table, type Variant } from './report.js';

const ROWS = 200_000;
const WIDTH = 384;
const QUERIES = 64;
const K = 10;

/** Ten best by dot product through the whole engine, against a peer and a plain loop, one query at a time. */
export default async function denseSearch(seed: number): Promise<Table[]> {
  const size = { seed, dimension: WIDTH, width: WIDTH };
  const data = new Float32Array((ROWS + QUERIES) * WIDTH);
  vectors(data, size);
  const rows = data.subarray(0, ROWS * WIDTH);
  const queries = Array.from({ length: QUERIES }, (_, q) =>
    data.slice((ROWS + q) * WIDTH, (ROWS + q + 1) * WIDTH),
  );
  const out = mkdtempSync(join(tmpdir(), 'corank-bench-'));
  try {
    const nodes = Array.from({ length: ROWS }, (_, i) => ({ id: String(i).padStart(6, '0') }));
    await buildIndex(
      { nodes, embeddings: { rows: ROWS, columns: WIDTH, data: rows } },
      { out: join(out, 'index'), embeddingModel: 'm' },
    );
    await using one = await Engine.open(join(out, 'index'), { threads: 1 });
    await using two = await Engine.open(join(out, 'index'), { threads: 2 });
    const ask = (engine: Engine) => async (embedding: Float32Array) => {
      const query = { text: 'x', embedding, principal: 'open' as const, k: K };
      const { candidates } = await engine.search(query, { retriever: dense({ metric: 'dot' }), depth: K });
      return candidates.map(({ id }) => Number(id));
    };
    const ways: [string, (query: Float32Array) => number[] | Promise<number[]>][] = [
      ['corank, 1 thread', ask(one)],
      ['corank, 2 threads', ask(two)],
      ['plain JS', (query) => plain(rows, query)],
    ];
    const peer = await bruteForce(rows);
    if (peer === undefined) console.log('hnswlib-node is not installed: left out\n');
    else ways.push(['hnswlib-node BruteforceSearch', peer]);
    for (const query of queries.slice(0, 8)) {
      const [expected, ...others] = await Promise.all(ways.map(([, search]) => search(query)));
      for (const [i, other] of others.entries()) assert.deepEqual(other, expected, ways[i + 1]![0]);
    }
    const variants = ways.map(([name, search]): Variant => {
      let q = 0;
      // Declared async: otherwise one more call is made, to find out, and not waited for.
      return { name, run: async () => search(queries[q++ % QUERIES]!) };
    });
    return [
      await race(`dense: ${ROWS} x ${WIDTH} f32, ${K} best, one query`, variants, ['corank, 1 thread']),
    ];
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

async function bruteForce(rows: Float32Array) {
  const library = await import('hnswlib-node').catch(() => undefined);
  if (library === undefined) return undefined;
  const { BruteforceSearch } = library.default;
  const search = new BruteforceSearch('ip', WIDTH);
  search.initIndex(ROWS);
  for (let row = 0; row < ROWS; row++)
    search.addPoint(Array.from(rows.subarray(row * WIDTH, (row + 1) * WIDTH)), row);
  return (query: Float32Array) => {
    const { neighbors, distances } = search.searchKnn(Array.from(query), K);
    return neighbors
      .map((row: number, i: number) => ({ row, distance: distances[i]! }))
      .sort((a, b) => a.distance - b.distance || a.row - b.row)
      .map(({ row }) => row);
  };
}

function plain(rows: Float32Array, query: Float32Array): number[] {
  const best: { row: number; score: number }[] = [];
  for (let row = 0, at = 0; row < ROWS; row++, at += WIDTH) {
    let score = 0;
    for (let d = 0; d < WIDTH; d++) score += query[d]! * rows[at + d]!;
    if (best.length === K && score <= best[K - 1]!.score) continue;
    best.push({ row, score });
    best.sort((a, b) => b.score - a.score);
    best.length = Math.min(best.length, K);
  }
  return best.map(({ row }) => row);
}
