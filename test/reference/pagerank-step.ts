/** A CSR graph as the kernel sees it: row r's list is starts[r] .. starts[r + 1]. */
export interface Csr {
  starts: readonly number[];
  ends: readonly number[];
  weights?: readonly number[];
  kinds?: readonly number[];
  kindWeights?: readonly number[];
}

export function edgeWeight({ weights, kinds, kindWeights }: Csr, e: number): number {
  const weight = weights?.[e] ?? 1;
  return kinds && kindWeights ? weight * kindWeights[kinds[e]!]! : weight;
}

/** The pull step as the contract words it, addition by addition. */
export function step(options: {
  graph: Csr;
  second?: Csr;
  ratio: number;
  contributions: readonly number[];
  restart: readonly number[];
  loops?: readonly number[];
  isVisible: (row: number) => boolean;
  base: number;
  damping: number;
  scores: readonly number[];
}): { scores: number[]; change: number } {
  const { graph, second, ratio, contributions, restart, loops, isVisible, base, damping } = options;
  let change = 0;
  const scores = options.scores.map((old, row) => {
    if (!isVisible(row)) return 0;
    let sum = 0;
    for (let e = graph.starts[row]!; e < graph.starts[row + 1]!; e++) {
      sum += contributions[graph.ends[e]!]! * edgeWeight(graph, e);
    }
    if (loops) sum += loops[row]! * contributions[row]!;
    for (let e = second?.starts[row] ?? 0; second && ratio !== 0 && e < second.starts[row + 1]!; e++) {
      sum += contributions[second.ends[e]!]! * (edgeWeight(second, e) * ratio);
    }
    const next = base * restart[row]! + damping * sum;
    change += Math.abs(next - old);
    return next;
  });
  return { scores, change };
}
