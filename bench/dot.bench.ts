import assert from 'node:assert/strict';
import { dotExact, dotScan } from '../src/kernels/dot.js';
import { Arena } from '../test/kernels/arena.js';
import { dot } from '../test/reference/dot.js';
import { bitmap, vectors } from './generate.js';
import { readLimit } from './read-limit.js';
import { race, type Table, type Variant } from './report.js';

const ROWS = 200_000;
const WIDTH = 384;
const QUERIES = 64;

export default async function dense(seed: number): Promise<Table[]> {
  const arena = new Arena((ROWS * (WIDTH + QUERIES + 4) + QUERIES * WIDTH) * 4, 65536);
  const { kernels } = arena;
  const rowsAt = arena.room(Float32Array, ROWS * WIDTH);
  const rows = arena.view(Float32Array, rowsAt, ROWS * WIDTH);
  vectors(rows, { seed, dimension: WIDTH, width: WIDTH });
  const queriesAt = arena.room(Float32Array, QUERIES * WIDTH);
  const queries = arena.view(Float32Array, queriesAt, QUERIES * WIDTH);
  vectors(queries, { seed: seed + 1, dimension: WIDTH, width: WIDTH });
  const outAt = arena.room(Float32Array, ROWS * QUERIES);
  const out = arena.view(Float32Array, outAt, ROWS * QUERIES);
  const listed = Array.from({ length: 40 }, (_, i) => (i * 4999) % ROWS);
  const listAt = arena.u32(listed);
  const exactAt = arena.room(Float64Array, listed.length);

  const scan = (queryCount: number, bitmapAt = 0) =>
    dotScan(kernels, queriesAt, queryCount, rowsAt, WIDTH, 0, ROWS, bitmapAt, outAt, ROWS);
  const exact = () => dotExact(kernels, queriesAt, rowsAt, WIDTH, WIDTH, listAt, listed.length, exactAt);
  const read = await readLimit(kernels.memory);

  exact();
  const expected = listed.map((row) =>
    dot(queries.subarray(0, WIDTH), rows.subarray(row * WIDTH, (row + 1) * WIDTH)),
  );
  assert.deepEqual([...arena.view(Float64Array, exactAt, listed.length)], expected);
  for (const queryCount of [1, QUERIES]) {
    scan(queryCount);
    listed.forEach((row, i) => {
      assert.ok(Math.abs(out[row]! - expected[i]!) < (WIDTH / 4 + 6) * 2 ** -24, `row ${row}`);
    });
  }

  const scopes = [0.01, 0.1, 0.3, 0.5, 0.9].map((share): Variant => {
    const bitmapAt = arena.u32(bitmap(seed, ROWS, share));
    // A small scope would stay in the cache from call to call.
    const before = () => read(rowsAt, 2 ** 27);
    return { name: `${share * 100} % visible`, run: () => scan(1, bitmapAt), before };
  });
  const one: Variant = { name: 'one query', run: () => scan(1) };
  return [
    await race(
      `dot: ${ROWS} x ${WIDTH} f32, one query`,
      [
        one,
        { name: 'read', run: () => read(rowsAt, rows.byteLength) },
        { name: 'plain JS', run: () => scanPlainly(rows, queries, out) },
        { name: 'exact, 40 rows', run: exact, units: 40 / ROWS },
      ],
      ['read', 'plain JS'],
    ),
    await race('dot: one query in a scope (ratio of time: 1 / x)', [one, ...scopes], ['one query']),
    await race(
      'dot: several queries in one pass, per query',
      [one, ...[2, 4, 8, QUERIES].map((n) => ({ name: `${n} queries`, run: () => scan(n), units: n }))],
      ['one query'],
    ),
  ];
}

function scanPlainly(rows: Float32Array, query: Float32Array, out: Float32Array): void {
  for (let row = 0, at = 0; row < ROWS; row++, at += WIDTH) {
    let sum = 0;
    for (let d = 0; d < WIDTH; d++) sum += query[d]! * rows[at + d]!;
    out[row] = sum;
  }
}
