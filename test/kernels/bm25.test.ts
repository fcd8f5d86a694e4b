import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bm25Accumulate, bm25AccumulateCounts, countVisible } from '../../src/kernels/bm25.js';
import { accumulate, type Posting } from '../reference/bm25-term.js';
import { Arena, randoms } from './arena.js';

const arena = new Arena(32 * 65536);

interface Term {
  rows: number[];
  /** codes[j][i]: code of posting i in field j. */
  codes: number[][];
  /** tables[j][code]. */
  tables: number[][];
  norms?: number[];
  k1: number;
  weight: number;
}

function run(codeBytes: 2 | 4, term: Term, start: number[]): number[] {
  arena.reset();
  const fields = term.codes.flatMap((codes, j) => [
    codeBytes === 2 ? arena.u16(codes) : arena.u32(codes),
    arena.f64(term.tables[j]!),
  ]);
  const normsAt = term.norms ? arena.f64(term.norms) : 0;
  const accAt = arena.f64(start);
  const { rows, codes, k1, weight } = term;
  const [rowsAt, fieldsAt] = [arena.u32(rows), arena.u32(fields)];
  bm25Accumulate(
    arena.kernels,
    codeBytes,
    rowsAt,
    rows.length,
    fieldsAt,
    codes.length,
    normsAt,
    k1,
    weight,
    accAt,
  );
  return [...arena.view(Float64Array, accAt, start.length)];
}

function expected({ rows, codes, tables, norms, k1, weight }: Term, start: number[]): number[] {
  const postings: Posting[] = rows.map((row, i) => ({
    row,
    parts: codes.map((list, j) => tables[j]![list[i]!]!),
  }));
  return accumulate(start, postings, { k1, weight, ...(norms && { norms }) });
}

/** A term over `n` of the rows 0, 2, 4 ... with `fieldCount` fields; code 0 means that the field lacks it. */
function makeTerm(n: number, fieldCount: number, normed: boolean, k1 = 1.2): Term {
  const next = randoms(n * 10 + fieldCount);
  const tables = Array.from({ length: fieldCount }, () => [0, ...Array.from({ length: 40 }, () => next(9))]);
  const codes = tables.map(() => Array.from({ length: n }, () => Math.floor(next(41))));
  const rows = Array.from({ length: n }, (_, i) => 2 * i);
  const norms = Array.from({ length: 2 * n }, () => 0.4 + next(2));
  return { rows, codes, tables, k1, weight: next(8), ...(normed && { norms }) };
}

describe('bm25Accumulate', () => {
  for (const codeBytes of [2, 4] as const) {
    for (const fieldCount of [1, 2, 3, 7]) {
      for (const n of [0, 1, 2, 3, 4, 5, 1000]) {
        it(`gives the bits of the formula: ${n} postings, ${fieldCount} fields, ${codeBytes}-byte codes`, () => {
          const start = Array.from({ length: 2 * n }, (_, row) => row / 7);
          for (const normed of [false, true]) {
            const term = makeTerm(n, fieldCount, normed);
            expect(run(codeBytes, term, start)).toEqual(expected(term, start));
          }
        });
      }
    }
  }

  it('adds 0 for a frequency of 0, with k1 = 0 too', () => {
    for (const k1 of [0, 1.2]) {
      const term: Term = { rows: [0, 1, 2], codes: [[0, 1, 0]], tables: [[0, 2]], k1, weight: 3 };
      expect(run(2, term, [5, 5, 5])).toEqual([5, 5 + 3 * (2 / (2 + k1)), 5]);
    }
  });

  it('reads codes beyond 65,535 when they are u32', () => {
    const table = new Array(70_001).fill(0);
    table[70_000] = 4;
    const term: Term = { rows: [1], codes: [[70_000]], tables: [table], k1: 1, weight: 1 };
    expect(run(4, term, [0, 0])).toEqual([0, 0.8]);
  });

  it('gives a row the same bits whichever other rows the term has', () => {
    const property = fc.property(
      fc.array(fc.boolean(), { minLength: 60, maxLength: 60 }),
      fc.boolean(),
      (keep, normed) => {
        const term = makeTerm(60, 2, normed);
        const visible = term.rows.map((_, i) => i).filter((i) => keep[i]);
        const scoped = {
          ...term,
          rows: visible.map((i) => term.rows[i]!),
          codes: term.codes.map((list) => visible.map((i) => list[i]!)),
        };
        const start = new Array(120).fill(0.1);
        const [all, some] = [run(2, term, start), run(2, scoped, start)];
        for (const row of scoped.rows) expect(some[row]).toBe(all[row]);
      },
    );
    fc.assert(property, { numRuns: 50 });
  });

  it('refuses misaligned addresses and counts that are no counts', () => {
    const call = (rowsAt: number, count: number, accAt: number) => () =>
      bm25Accumulate(arena.kernels, 2, rowsAt, count, 64, 1, 0, 1.2, 1, accAt);
    expect(call(66, 1, 64)).toThrow('rowsAt is 66');
    expect(call(64, -1, 64)).toThrow('count is -1');
    expect(call(64, 1, 68)).toThrow('accAt is 68: expected an address that is a multiple of 8');
  });
});

describe('bm25AccumulateCounts', () => {
  for (const n of [0, 1, 2, 3, 4, 5, 1000]) {
    it(`gives the bits of the formula for ${n} rows`, () => {
      const next = randoms(n);
      const rows = Array.from({ length: n }, (_, i) => 3 * i + 1);
      const counts = rows.map(() => 1 + Math.floor(next(9)));
      const norms = Array.from({ length: 3 * n + 2 }, () => 0.4 + next(2));
      const start = norms.map((norm) => norm / 3);
      const postings = rows.map((row, i) => ({ row, parts: [counts[i]!] }));
      for (const k1 of [0, 1.2]) {
        arena.reset();
        const accAt = arena.f64(start);
        const [rowsAt, countsAt, normsAt] = [arena.u32(rows), arena.u32(counts), arena.f64(norms)];
        bm25AccumulateCounts(arena.kernels, rowsAt, countsAt, n, normsAt, k1, 0.2, accAt);
        const sums = [...arena.view(Float64Array, accAt, start.length)];
        expect(sums).toEqual(accumulate(start, postings, { k1, weight: 0.2, norms }));
      }
    });
  }
});

describe('countVisible', () => {
  it('counts set bits of any ascending ids', () => {
    const property = fc.property(
      fc.array(fc.tuple(fc.boolean(), fc.boolean()), { maxLength: 300 }),
      (rows) => {
        arena.reset();
        const ids = rows.flatMap(([listed], row) => (listed ? [row] : []));
        const bitmapAt = arena.bitmap(rows.length, (row) => rows[row]![1]);
        const idsAt = arena.u32(ids);
        expect(countVisible(arena.kernels, idsAt, ids.length, bitmapAt)).toBe(
          ids.filter((row) => rows[row]![1]).length,
        );
        expect(countVisible(arena.kernels, idsAt, ids.length, 0)).toBe(ids.length);
      },
    );
    fc.assert(property);
  });
});
