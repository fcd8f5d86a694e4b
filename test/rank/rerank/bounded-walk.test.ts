import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boundedWalk, type Step } from '../../../src/rank/rerank/bounded-walk.js';

const SIZE = 6;

/** Forty steps of whole matrices: .15 to the seeds, what has no way on goes to them too. */
function walked(
  seeds: readonly number[],
  links: readonly { from: number; to: number; weight: number }[],
): number[] {
  const matrix = Array.from({ length: SIZE }, () => new Array<number>(SIZE).fill(0));
  for (const { from, to, weight } of links) matrix[from]![to]! += weight;
  const restart = matrix.map((_, node) => (seeds.includes(node) ? 1 / seeds.length : 0));
  const rows = matrix.map((row) => {
    const sum = row.reduce((total, x) => total + x, 0);
    return sum === 0 ? restart : row.map((x) => x / sum);
  });
  let shares = restart;
  for (let step = 0; step < 40; step++)
    shares = shares.map(
      (_, to) =>
        0.15 * restart[to]! + 0.85 * shares.reduce((sum, share, from) => sum + share * rows[from]![to]!, 0),
    );
  return shares;
}

const link = fc.record({
  from: fc.nat(SIZE - 1),
  to: fc.nat(SIZE - 1),
  weight: fc.constantFrom(1, 0.8, 0.6, 0.5),
});
const seeds = fc.uniqueArray(fc.nat(SIZE - 1), { minLength: 1, maxLength: 3 });

describe('the walk', () => {
  it('is that of whole matrices over the edges that leave the seeds or their neighbours', () => {
    fc.assert(
      fc.property(fc.array(link, { maxLength: 14 }), seeds, (links, from) => {
        const steps = (node: number): Step[] => links.filter((one) => one.from === node);
        const near = new Set([...from, ...from.flatMap((seed) => steps(seed).map(({ to }) => to))]);
        const shares = boundedWalk(from, steps);
        const walkable = links.filter((one) => near.has(one.from));
        const said = links.some((one) => from.includes(one.from));
        expect(shares !== undefined).toBe(said);
        if (shares === undefined) return;
        const far = walked(from, walkable).map((share, node) => Math.abs((shares.get(node) ?? 0) - share));
        expect(Math.max(...far)).toBeLessThanOrEqual(1e-12);
      }),
      { seed: 3, numRuns: 300 },
    );
  });

  it('shares by trust: 1 against .5', () => {
    const steps = (node: number): Step[] =>
      node === 0
        ? [
            { to: 1, weight: 1 },
            { to: 2, weight: 0.5 },
          ]
        : [];
    const shares = boundedWalk([0], steps)!;
    expect(shares.get(1)! / shares.get(2)!).toBeCloseTo(2, 12);
  });

  it('goes no further than two edges, 4,096 nodes and 16,384 edges', () => {
    const chain = boundedWalk([0], (node) => [{ to: node + 1, weight: 1 }])!;
    expect([...chain.keys()]).toEqual([0, 1, 2]);
    const star = boundedWalk([0], (node) =>
      node === 0 ? Array.from({ length: 9000 }, (_, i) => ({ to: i + 1, weight: 1 })) : [],
    )!;
    expect(star.size).toBe(4096);
    let asked = 0;
    const dense = boundedWalk([0, 1, 2, 3], (node) => {
      asked++;
      return Array.from({ length: 4000 }, (_, i) => ({ to: (node + i + 1) % 4100, weight: 1 }));
    })!;
    expect(asked).toBe(5);
    expect([...dense.values()].reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 9);
  });

  it('without seeds says nothing', () => {
    expect(boundedWalk([], () => [{ to: 1, weight: 1 }])).toBeUndefined();
  });
});
