/** A weighted edge that a walk may follow. */
export interface Step {
  to: number;
  weight: number;
}

/** Bounds and settings of system A's walk (spec A.5). */
const DEPTH = 2;
const MAX_NODES = 4096;
const MAX_EDGES = 16_384;
const ITERATIONS = 40;
const RESTART = 0.15;

/**
 * A random walk with restart from some nodes, alike, over what lies within two edges of them: 40 steps; what has no way
 * on goes back to the seeds. Shares by node; undefined when no edge leaves a seed, for then they say nothing.
 */
export function boundedWalk(
  seeds: readonly number[],
  stepsOf: (node: number) => readonly Step[],
): Map<number, number> | undefined {
  const { nodes, edges } = neighbourhood(seeds, stepsOf);
  if (edges.from.length === 0) return undefined;
  const out = new Float64Array(nodes.length);
  edges.from.forEach((from, e) => {
    out[from]! += edges.weight[e]!;
  });
  let shares = new Float64Array(nodes.length).fill(1 / seeds.length, 0, seeds.length);
  for (let step = 0; step < ITERATIONS; step++) {
    let back = RESTART;
    for (let i = 0; i < shares.length; i++) if (out[i] === 0) back += (1 - RESTART) * shares[i]!;
    const next = new Float64Array(nodes.length).fill(back / seeds.length, 0, seeds.length);
    for (let e = 0; e < edges.from.length; e++) {
      const from = edges.from[e]!;
      next[edges.to[e]!]! += ((1 - RESTART) * shares[from]! * edges.weight[e]!) / out[from]!;
    }
    shares = next;
  }
  return new Map(nodes.map((node, i) => [node, shares[i]!]));
}

/** Nodes in the order in which they are met, seeds first, and edges by the places of their ends among them. */
function neighbourhood(seeds: readonly number[], stepsOf: (node: number) => readonly Step[]) {
  const places = new Map(seeds.map((node, i) => [node, i]));
  const nodes = [...seeds];
  const edges = { from: [] as number[], to: [] as number[], weight: [] as number[] };
  for (let depth = 0, from = 0; depth < DEPTH; depth++) {
    const end = nodes.length;
    for (; from < end; from++) {
      for (const { to, weight } of stepsOf(nodes[from]!)) {
        if (edges.from.length === MAX_EDGES) return { nodes, edges };
        let place = places.get(to);
        if (place === undefined) {
          if (nodes.length === MAX_NODES) continue;
          place = nodes.push(to) - 1;
          places.set(to, place);
        }
        edges.from.push(from);
        edges.to.push(place);
        edges.weight.push(weight);
      }
    }
  }
  return { nodes, edges };
}
