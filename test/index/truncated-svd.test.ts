import fc from 'fast-check';
import { Matrix, SingularValueDecomposition } from 'ml-matrix';
import { describe, expect, it } from 'vitest';
import type { SparseMatrix } from '../../src/index/sparse-matrix.js';
import { rightSingularVectors, times } from '../../src/index/truncated-svd.js';

function sparse(rows: readonly (readonly number[])[]): SparseMatrix {
  const columns = rows[0]?.length ?? 0;
  const entries = rows.map((row) => row.flatMap((value, place) => (value === 0 ? [] : [{ place, value }])));
  const starts = Uint32Array.from([0, ...entries.map((_, i) => entries.slice(0, i + 1).flat().length)]);
  return {
    rows: rows.length,
    columns,
    starts,
    places: Uint32Array.from(entries.flat(), ({ place }) => place),
    values: Float64Array.from(entries.flat(), ({ value }) => value),
  };
}

/** The projection V V' onto the first `rank` right singular vectors: unlike these it has no free signs. */
const projection = (columns: number, rank: number, entry: (row: number, column: number) => number) =>
  Array.from({ length: columns }, (_, i) =>
    Array.from({ length: columns }, (__, j) =>
      Array.from({ length: rank }, (___, d) => entry(i, d) * entry(j, d)).reduce((sum, x) => sum + x, 0),
    ),
  );

const value = fc.oneof(
  { weight: 2, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.integer({ min: -9, max: 9 }) },
);
const matrix = fc
  .tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 12 }))
  .chain(([rows, columns]) =>
    fc.array(fc.array(value, { minLength: columns, maxLength: columns }), {
      minLength: rows,
      maxLength: rows,
    }),
  )
  .filter((rows) => rows.some((row) => row.some((x) => x !== 0)));

describe('the strongest right singular vectors', () => {
  it('span what those of a dense decomposition span', () => {
    const property = fc.property(matrix, fc.integer({ min: 1, max: 12 }), (rows, wanted) => {
      const dense = new SingularValueDecomposition(new Matrix(rows.map((row) => [...row])), {
        autoTranspose: true,
      });
      const values = dense.diagonal;
      const rankOf = values.filter((s) => s > 1e-3 * values[0]!).length;
      // Directions at the edge of what is left out may fall on either side.
      fc.pre(values.every((s) => s > 1.01e-3 * values[0]! || s < 0.99e-3 * values[0]!));
      const dimension = Math.min(wanted, rankOf);
      // Between equal singular values any basis is as good as another.
      fc.pre(dimension === rankOf || values[dimension - 1]! > 1.05 * values[dimension]!);
      const { vectors, rank } = rightSingularVectors(sparse(rows), wanted);
      expect(rank).toBe(dimension);
      const columns = rows[0]!.length;
      const ours = projection(columns, rank, (i, d) => vectors[i * rank + d]!);
      const theirs = projection(columns, rank, (i, d) => dense.rightSingularVectors.get(i, d));
      for (const [i, x] of ours.flat().entries()) expect(x).toBeCloseTo(theirs.flat()[i]!, 6);
    });
    fc.assert(property, { seed: 7, numRuns: 300 });
  });

  it('come strongest first, at right angles and of unit length', () => {
    const rows = Array.from({ length: 40 }, (_, i) =>
      Array.from({ length: 25 }, (__, j) => ((i * 7 + j * 13) % 11) - 5),
    );
    const { vectors, rank } = rightSingularVectors(sparse(rows), 6);
    const image = times(sparse(rows), vectors, rank);
    const energies = Array.from({ length: rank }, (_, d) =>
      rows.reduce((sum, __, row) => sum + image[row * rank + d]! ** 2, 0),
    );
    expect(energies).toEqual([...energies].sort((a, b) => b - a));
    for (let d = 0; d < rank; d++) {
      for (let e = 0; e <= d; e++) {
        const product = rows[0]!.reduce(
          (sum, _, c) => sum + vectors[c * rank + d]! * vectors[c * rank + e]!,
          0,
        );
        expect(product).toBeCloseTo(d === e ? 1 : 0, 9);
      }
    }
  });
});
