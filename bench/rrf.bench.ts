import assert from 'node:assert/strict';
import { rrfAdd } from '../src/kernels/rrf.js';
import { Arena } from '../test/kernels/arena.js';
import { fuse } from '../test/reference/rrf.js';
import { uniform } from './generate.js';
import { race, type Table } from './report.js';

const LISTS = 3;
const DEPTH = 1000;
const SLOTS = LISTS * DEPTH;
const K = 60;

export default async function rrf(seed: number): Promise<Table[]> {
  const arena = new Arena(2 ** 20, 65536);
  const next = uniform(seed);
  const lists = Array.from({ length: LISTS }, () => {
    const slots = new Set<number>();
    while (slots.size < DEPTH) slots.add(Math.floor(next() * SLOTS));
    return Uint32Array.from(slots);
  });
  const placed = lists.map((slots) => arena.u32(slots));
  const accAt = arena.room(Float64Array, SLOTS);
  const acc = arena.view(Float64Array, accAt, SLOTS);

  const kernel = () => {
    for (const slotsAt of placed) rrfAdd(arena.kernels, slotsAt, DEPTH, K, 1, accAt);
  };
  const plainly = () => {
    for (const slots of lists) for (let i = 0; i < DEPTH; i++) acc[slots[i]!]! += 1 / (K + i + 1);
  };

  const fused = fuse(
    lists.map((slots) => ({ slots: [...slots], weight: 1 })),
    K,
  );
  for (const run of [kernel, plainly]) {
    acc.fill(0);
    run();
    assert.deepEqual(
      [...acc],
      Array.from({ length: SLOTS }, (_, slot) => fused.get(slot) ?? 0),
    );
  }
  return [
    await race(
      `rrf: ${LISTS} lists of ${DEPTH}`,
      [
        { name: 'plain JS', run: plainly },
        { name: 'kernel', run: kernel },
      ],
      ['plain JS'],
    ),
  ];
}
