export interface LocalizeLink {
  from: number;
  to: number;
  kind: string;
}

export interface LocalizedRow {
  row: number;
  score: number;
  distance: number;
  /** Ascending, each one time. */
  kinds: string[];
}

/**
 * System C's bounded walk (C.9), level by level over sets: per seed, whoever is new in a level gets weight / 2 ^ level
 * and the kind of the edge by which the first of the level before leads to it: outgoing edges before incoming ones,
 * each by the other end, then by kind.
 */
export function localized(
  seeds: readonly { row: number; weight: number }[],
  links: readonly LocalizeLink[],
  depth: number,
): LocalizedRow[] {
  const found = new Map<number, LocalizedRow>();
  for (const { row: seed, weight } of seeds) {
    const distances = new Map([[seed, { distance: 0, kind: undefined as string | undefined }]]);
    let level = [seed];
    for (let distance = 1; distance <= depth; distance++) {
      const next: number[] = [];
      for (const { row, kind } of level.flatMap((at) => neighboursOf(at, links))) {
        if (distances.has(row)) continue;
        distances.set(row, { distance, kind });
        next.push(row);
      }
      level = next;
    }
    for (const [row, { distance, kind }] of distances) {
      const known = found.get(row) ?? { row, score: 0, distance: Number.POSITIVE_INFINITY, kinds: [] };
      known.score += weight * 2 ** -distance;
      known.distance = Math.min(known.distance, distance);
      known.kinds = [...new Set([...known.kinds, ...(kind === undefined ? [] : [kind])])].sort();
      found.set(row, known);
    }
  }
  return [...found.values()].sort((a, b) => b.score - a.score || a.distance - b.distance || a.row - b.row);
}

function neighboursOf(at: number, links: readonly LocalizeLink[]): { row: number; kind: string }[] {
  const byEnd = (ends: { row: number; kind: string }[]) =>
    ends.sort((a, b) => a.row - b.row || (a.kind < b.kind ? -1 : Number(a.kind > b.kind)));
  const others = links.filter(({ from, to }) => from !== to);
  return [
    ...byEnd(others.filter(({ from }) => from === at).map(({ to, kind }) => ({ row: to, kind }))),
    ...byEnd(others.filter(({ to }) => to === at).map(({ from, kind }) => ({ row: from, kind }))),
  ];
}
