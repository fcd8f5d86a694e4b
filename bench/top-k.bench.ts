import assert from 'node:assert/strict';
import { selectAbove, topK, topK32 } from '../src/kernels/top-k.js';
import { Arena } from '../test/kernels/arena.js';
import { best, reaching } from '../test/reference/top-k.js';
import { bitmap, uniform } from './generate.js';
import { race, type Table } from './report.js';

const ROWS = 200_000;

export default async function top(seed: number): Promise<Table[]> {
  const arena = new Arena(32 * 2 ** 20, 65536);
  const { kernels } = arena;
  const next = uniform(seed);
  // Half of the rows score 0, as after a bag of words.
  const scores = Float64Array.from({ length: ROWS }, () => Math.max(0, next() - 0.5));
  const scan = Float32Array.from(scores);
  const [scoresAt, scanAt] = [arena.f64(scores), arena.f32(scan)];
  const halfAt = arena.u32(bitmap(seed, ROWS, 0.5));
  const fewAt = arena.u32(bitmap(seed, ROWS, 0.01));
  const [rowsAt, outAt] = [arena.room(Uint32Array, ROWS), arena.room(Float64Array, ROWS)];

  const kernel = (k: number, bitmapAt = 0) => topK(kernels, scoresAt, ROWS, 0, bitmapAt, 0, k, rowsAt, outAt);
  const select = (limit: number) => selectAbove(kernels, scanAt, ROWS, 0, 0, 0, 1e-6, limit, rowsAt);
  const rowsOf = (size: number) => [...arena.view(Uint32Array, rowsAt, size)];

  for (const k of [10, 1000]) {
    const expected = best(scores, { k, floor: 0 }).map(({ row }) => row);
    assert.deepEqual(rowsOf(kernel(k)), expected);
    assert.deepEqual(bestPlainly(scores, k), expected);
  }
  assert.deepEqual(rowsOf(select(0.499)), reaching(scan, { slack: 1e-6, limit: 0.499 }));

  return [
    await race(
      `top-k: ${ROWS} scores`,
      [
        { name: 'plain JS, k = 10', run: () => bestPlainly(scores, 10) },
        { name: 'k = 10', run: () => kernel(10) },
        { name: 'k = 10, 50 % visible', run: () => kernel(10, halfAt) },
        { name: 'k = 10, 1 % visible', run: () => kernel(10, fewAt) },
        { name: 'k = 1,000', run: () => kernel(1000) },
        { name: 'f32, k = 10', run: () => topK32(kernels, scanAt, ROWS, 0, 0, 0, 10, rowsAt, outAt) },
        { name: 'select above', run: () => select(0.499) },
      ],
      ['plain JS, k = 10'],
    ),
  ];
}

/** Insertion into a short sorted list: what one writes without a kernel. */
function bestPlainly(scores: Float64Array, k: number): number[] {
  const rows: number[] = [];
  for (let row = 0; row < scores.length; row++) {
    const score = scores[row]!;
    if (!(score > 0) || (rows.length === k && !(score > scores[rows[k - 1]!]!))) continue;
    let at = rows.length < k ? rows.length : k - 1;
    for (; at > 0 && scores[rows[at - 1]!]! < score; at--) rows[at] = rows[at - 1]!;
    rows[at] = row;
  }
  return rows;
}
