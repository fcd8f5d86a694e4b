import type { Batch, RerankCandidate } from './batch.js';
import { countSignal, mostOf, ownSignal, type Signal } from './signal.js';

const NO_EDGES = 'the index has no edges';

/** What edges say. */
export const graphSignals: readonly Signal[] = [
  countSignal('fan_in', NO_EDGES, ({ links }) => links?.fanIn),
  ownSignal('hits', NO_EDGES, ({ authority, hub }) =>
    authority === undefined || hub === undefined ? undefined : authority / (1 + hub),
  ),
  countSignal('fan_out', NO_EDGES, ({ links }) => links?.fanOut),
  { name: 'community', needs: 'no community, repo or project is known', prepare: community },
  { name: 'minhash', needs: 'no edge of kind similar_to leads to another candidate', prepare: minhash },
  ownSignal('provenance', 'no incoming calls or references', ({ links }) =>
    links?.provenance === undefined ? undefined : (links.provenance - 0.5) / 0.5,
  ),
  {
    name: 'proximity',
    needs: 'no walk from the best candidates: no calls, references or plain links',
    prepare(batch) {
      const most = mostOf(batch, ({ proximity }) => proximity);
      return ({ proximity }) => (proximity === undefined || most === 0 ? undefined : proximity / most);
    },
  },
];

/** What is near others of the batch: in its community, in the caller's repository, in his project. */
function community({ candidates, home }: Batch): (candidate: RerankCandidate) => number | undefined {
  const sizes = new Map<number, number>();
  for (const { community } of candidates)
    if (community !== undefined) sizes.set(community, (sizes.get(community) ?? 0) + 1);
  const largest = Math.max(0, ...sizes.values());
  const repos = new Set(candidates.flatMap(({ repo }) => repo ?? []));
  return ({ community, repo, project }) => {
    const known = community !== undefined || repo !== undefined || project !== undefined;
    if (!known) return undefined;
    const size = community === undefined ? 0 : sizes.get(community)!;
    if (home.repo !== undefined && repo === home.repo && repos.size > 1) return 1;
    const near = home.project !== undefined && project === home.project ? 0.7 : 0;
    return Math.max(size > 1 ? size / largest : 0, near);
  };
}

/** Mean similarity to those others of the batch that edges call alike. */
function minhash({ candidates }: Batch): (candidate: RerankCandidate) => number | undefined {
  const rows = new Set(candidates.map(({ row }) => row));
  return ({ row, links }) => {
    const alike = (links?.similar ?? []).filter((other) => other.row !== row && rows.has(other.row));
    if (alike.length === 0) return undefined;
    return alike.reduce((sum, { similarity }) => sum + similarity, 0) / alike.length;
  };
}

/** Where the walk of `proximity` starts: the best by their better rank of words or vectors, ties by row. */
export function proximitySeeds<C extends Pick<RerankCandidate, 'row' | 'textRank' | 'vectorRank'>>(
  candidates: readonly C[],
  most = 8,
): C[] {
  const best = ({ textRank, vectorRank }: C): number =>
    Math.min(textRank ?? Infinity, vectorRank ?? Infinity);
  return candidates
    .filter((candidate) => best(candidate) < Infinity)
    .sort((a, b) => best(a) - best(b) || a.row - b.row)
    .slice(0, most);
}
