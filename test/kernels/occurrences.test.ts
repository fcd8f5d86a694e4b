import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addOccurrences } from '../../src/kernels/occurrences.js';
import { addOccurrences as expected } from '../reference/occurrences.js';
import { Arena } from './arena.js';

const arena = new Arena();
const ROWS = 64;

interface Term {
  rows: number[];
  /** codes[i][j]: code of posting i in field j; frequencies[j][code]. */
  codes: number[][];
  frequencies: number[][];
  most: number;
}

function run(codeBytes: 2 | 4, { rows, codes, frequencies, most }: Term, start: number[]): number[] {
  arena.reset();
  const fields = frequencies.flatMap((table, j) => {
    const column = codes.map((list) => list[j]!);
    return [codeBytes === 2 ? arena.u16(column) : arena.u32(column), arena.u32(table)];
  });
  const accAt = arena.f64(start);
  const [rowsAt, fieldsAt] = [arena.u32(rows), arena.u32(fields)];
  addOccurrences(arena.kernels, codeBytes, rowsAt, rows.length, fieldsAt, frequencies.length, most, accAt);
  return [...arena.view(Float64Array, accAt, start.length)];
}

const CODES = 5;
const term: fc.Arbitrary<Term> = fc.integer({ min: 1, max: 4 }).chain((fields) =>
  fc
    .record({
      rows: fc.uniqueArray(fc.nat(ROWS - 1), { maxLength: ROWS }),
      frequencies: fc.array(
        fc.array(fc.nat(300), { minLength: CODES, maxLength: CODES }).map((list) => [0, ...list]),
        { minLength: fields, maxLength: fields },
      ),
      codes: fc.array(fc.array(fc.nat(CODES), { minLength: fields, maxLength: fields }), {
        minLength: ROWS,
        maxLength: ROWS,
      }),
      most: fc.constantFrom(1, 255, 2 ** 32 - 1),
    })
    .map(({ rows, codes, ...rest }) => ({ rows, codes: codes.slice(0, rows.length), ...rest })),
);

describe.each([2, 4] as const)('addOccurrences with codes of %i bytes', (codeBytes) => {
  it('adds the frequencies of all fields up to the most that counts', () => {
    const one = {
      rows: [3, 0],
      codes: [
        [1, 2],
        [2, 0],
      ],
      frequencies: [
        [0, 2, 9],
        [0, 1, 4],
      ],
      most: 7,
    };
    expect(run(codeBytes, one, [1, 1, 1, 1])).toEqual([1 + 7, 1, 1, 1 + 6]);
  });

  it('gives the numbers of the plain loop for any postings', () => {
    const starts = fc.array(fc.nat(1000), { minLength: ROWS, maxLength: ROWS });
    const property = fc.property(term, starts, (one, start) => {
      const postings = one.rows.map((row, i) => ({
        row,
        frequencies: one.codes[i]!.map((code, j) => one.frequencies[j]![code]!),
      }));
      expect(run(codeBytes, one, start)).toEqual(expected(start, postings, one.most));
    });
    fc.assert(property);
  });

  it('leaves every row alone without postings', () => {
    expect(run(codeBytes, { rows: [], codes: [], frequencies: [[0]], most: 1 }, [5, 6])).toEqual([5, 6]);
  });
});

it('refuses postings that leave the memory', () => {
  const end = arena.kernels.memory.buffer.byteLength;
  expect(() => addOccurrences(arena.kernels, 2, end - 4, 2, 64, 1, 9, 64)).toThrow('rowsAt: 2 x 4 bytes');
});
