import { fc, it as property } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { fuseRrf, type RankedRows } from '../../src/rank/fuse.js';
import { Arena } from '../kernels/arena.js';
import { fuse } from '../reference/rrf.js';

const arena = new Arena();

function fused(channels: readonly RankedRows[], k = 60, room = 1000) {
  arena.reset();
  const slotsAt = arena.room(Uint32Array, room);
  const scoresAt = arena.room(Float64Array, 4 * room);
  return fuseRrf(arena.kernels, { slotsAt, scoresAt, room }, channels, k);
}

const list = (...rows: number[]): RankedRows => ({ rows, weight: 1 });

describe('reciprocal rank fusion', () => {
  it('adds 1 / (k + rank) over the lists, ranks from 1', () => {
    expect(fused([list(7, 8, 9), list(9, 7, 3)])).toEqual([
      { row: 7, score: 1 / (60 + 1) + 1 / (60 + 2) },
      { row: 9, score: 1 / (60 + 3) + 1 / (60 + 1) },
      { row: 8, score: 1 / (60 + 2) },
      { row: 3, score: 1 / (60 + 3) },
    ]);
  });

  it('weighs each list', () => {
    const weighted = [
      { rows: [1, 2], weight: 1 },
      { rows: [2], weight: 0.5 },
    ];
    expect(fused(weighted, 1)).toEqual([
      { row: 2, score: 1 / (1 + 2) + 0.5 / (1 + 1) },
      { row: 1, score: 1 / (1 + 1) },
    ]);
  });

  it('is flatter for a larger k', () => {
    const ratio = (k: number) => {
      const [first, second] = fused([list(1, 2)], k);
      return first!.score / second!.score;
    };
    expect(ratio(0.5)).toBe(1 / 1.5 / (1 / 2.5));
    expect(ratio(1000)).toBe(1 / 1001 / (1 / 1002));
  });

  it('puts equal scores in the order of rows', () => {
    expect(fused([list(9, 4), list(2, 5)]).map(({ row }) => row)).toEqual([2, 9, 4, 5]);
  });

  it('keeps rows of a list of weight 0, at score 0', () => {
    expect(fused([list(1), { rows: [2, 1], weight: 0 }])).toEqual([
      { row: 1, score: 1 / 61 },
      { row: 2, score: 0 },
    ]);
  });

  it('gives nothing for no lists and for empty ones', () => {
    expect(fused([])).toEqual([]);
    expect(fused([list(), list()])).toEqual([]);
  });

  it('refuses a list that is longer than planned', () => {
    expect(() => fused([list(1, 2, 3)], 60, 2)).toThrow(RangeError);
    expect(fused([list(1, 2)], 60, 2)).toHaveLength(2);
  });
});

const channels = fc.array(
  fc.record({
    rows: fc.uniqueArray(fc.nat({ max: 30 }), { maxLength: 20 }),
    weight: fc.double({ min: 0, max: 4, noNaN: true }),
  }),
  { maxLength: 4 },
);

/** Whole and half numbers: k + rank is then exact, in whatever order it is added. */
const constant = fc.integer({ min: 1, max: 400 }).map((halves) => halves / 2);

property.prop([channels, constant], { seed: 1 })(
  'equals the plain formula, bit for bit, best first',
  (lists, k) => {
    const expected = [
      ...fuse(
        lists.map(({ rows, weight }) => ({ slots: rows, weight })),
        k,
      ),
    ]
      .map(([row, score]) => ({ row, score }))
      .sort((a, b) => b.score - a.score || a.row - b.row);
    expect(fused(lists, k)).toEqual(expected);
  },
);
