import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rrfAdd } from '../../src/kernels/rrf.js';
import { fuse } from '../reference/rrf.js';
import { Arena } from './arena.js';

const arena = new Arena();

function add(lists: { slots: number[]; weight: number }[], k: number, slots: number): number[] {
  arena.reset();
  const accAt = arena.room(Float64Array, slots);
  for (const list of lists) {
    rrfAdd(arena.kernels, arena.u32(list.slots), list.slots.length, k, list.weight, accAt);
  }
  return [...arena.view(Float64Array, accAt, slots)];
}

describe('rrfAdd', () => {
  it('adds weight / (k + rank) with ranks from 1', () => {
    const lists = [
      { slots: [2, 0], weight: 1 },
      { slots: [1, 3, 2], weight: 1 },
    ];
    expect(add(lists, 60, 4)).toEqual([
      1 / (60 + 2),
      1 / (60 + 1),
      1 / (60 + 1) + 1 / (60 + 3),
      1 / (60 + 2),
    ]);
  });

  it('weighs a list as a whole', () => {
    expect(add([{ slots: [0], weight: 0.3 }], 10, 1)).toEqual([0.3 / 11]);
  });

  it('leaves every score alone for an empty list', () => {
    expect(add([{ slots: [], weight: 1 }], 60, 3)).toEqual([0, 0, 0]);
  });

  it('gives the bits of the plain loop for any lists', () => {
    const slots = fc.uniqueArray(fc.nat(99), { maxLength: 100 });
    const list = fc.record({ slots, weight: fc.double({ min: 0, max: 10, noNaN: true }) });
    const property = fc.property(
      fc.array(list, { maxLength: 5 }),
      fc.integer({ min: 1, max: 100 }),
      (lists, k) => {
        const fused = fuse(lists, k);
        expect(add(lists, k, 100)).toEqual(Array.from({ length: 100 }, (_, slot) => fused.get(slot) ?? 0));
      },
    );
    fc.assert(property);
  });

  it('refuses a list that leaves the memory', () => {
    const end = arena.kernels.memory.buffer.byteLength;
    expect(() => rrfAdd(arena.kernels, end - 4, 2, 60, 1, 64)).toThrow('slotsAt: 2 x 4 bytes');
  });
});
