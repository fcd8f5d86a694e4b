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

/** The pull step as the contract words it, addition by addition. Rows without a restart are phrases. */
export function step(options: {
  graph: Csr;
  second?: Csr;
  ratio: number;
  /** Links of the rows and of the phrases behind them. */
  derived?: Csr;
  contributions: readonly number[];
  restart: readonly number[];
  loops?: readonly number[];
  isVisible: (row: number) => boolean;
  base: number;
  damping: number;
  scores: readonly number[];
}): { scores: number[]; change: number } {
  const { graph, second, derived, ratio, contributions, restart, loops, isVisible, base, damping } = options;
  let change = 0;
  const scores = options.scores.map((old, row) => {
    if (row >= restart.length) {
      const next = damping * add(derived, row, contributions, 0);
      change += Math.abs(next - old);
      return next;
    }
    if (!isVisible(row)) return 0;
    let sum = 0;
    for (let e = graph.starts[row]!; e < graph.starts[row + 1]!; e++) {
      sum += contributions[graph.ends[e]!]! * edgeWeight(graph, e);
    }
    if (loops) sum += loops[row]! * contributions[row]!;
    for (let e = second?.starts[row] ?? 0; second && ratio !== 0 && e < second.starts[row + 1]!; e++) {
      sum += contributions[second.ends[e]!]! * (edgeWeight(second, e) * ratio);
    }
    sum = add(derived, row, contributions, sum);
    const next = base * restart[row]! + damping * sum;
    change += Math.abs(next - old);
    return next;
  });
  return { scores, change };
}

function add(links: Csr | undefined, row: number, contributions: readonly number[], sum: number): number {
  let total = sum;
  for (let e = links?.starts[row] ?? 0; links && e < links.starts[row + 1]!; e++)
    total += contributions[links.ends[e]!]! * edgeWeight(links, e);
  return total;
}
