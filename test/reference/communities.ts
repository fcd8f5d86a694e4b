export interface WeightedLink {
  from: number;
  to: number;
  weight: number;
}

/**
 * Label propagation over sets: in turns, in order, whoever has a heavier label around it takes it up; the lowest of the
 * heaviest, unless its own is one of them. At most 20 rounds.
 */
export function communities(nodes: readonly number[], links: readonly WeightedLink[]): Map<number, number> {
  const labels = new Map(nodes.map((node) => [node, node]));
  for (let round = 0; round < 20; round++) {
    const before = JSON.stringify([...labels]);
    for (const node of [...nodes].sort((a, b) => a - b)) {
      const around = links
        .filter(({ from, to }) => from !== to && (from === node || to === node))
        .map(({ from, to, weight }) => ({ label: labels.get(from === node ? to : from)!, weight }));
      const weightOf = (label: number) =>
        around.filter((one) => one.label === label).reduce((sum, { weight }) => sum + weight, 0);
      const heaviest = Math.max(...around.map(({ label }) => weightOf(label)), 0);
      const best = [...new Set(around.map(({ label }) => label))].filter(
        (label) => weightOf(label) === heaviest,
      );
      if (around.length > 0 && !best.includes(labels.get(node)!)) labels.set(node, Math.min(...best));
    }
    if (JSON.stringify([...labels]) === before) break;
  }
  return labels;
}
