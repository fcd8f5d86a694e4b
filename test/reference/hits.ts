import type { WeightedLink } from './communities.js';

/** HITS with whole matrices: authority = (AᵀA)ᵏ 1 and hub = A authority, each divided by its largest. */
export function hits(nodes: number, links: readonly WeightedLink[], steps: number) {
  const a = Array.from({ length: nodes }, () => new Array<number>(nodes).fill(0));
  for (const { from, to, weight } of links) if (from !== to) a[from]![to]! += weight;
  const times = (matrix: number[][], vector: number[]) =>
    matrix.map((row) => row.reduce((sum, x, i) => sum + x * vector[i]!, 0));
  const transposed = a.map((_, i) => a.map((row) => row[i]!));
  const scaled = (vector: number[]) => {
    const most = Math.max(...vector);
    return vector.map((x) => (most === 0 ? 0 : x / most));
  };
  let hub = new Array<number>(nodes).fill(1);
  let authority = hub;
  for (let step = 0; step < steps; step++) {
    authority = scaled(times(transposed, hub));
    hub = scaled(times(a, authority));
  }
  return { authority, hub };
}
