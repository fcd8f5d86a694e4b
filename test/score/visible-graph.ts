import { fc } from '@fast-check/vitest';
import { type Edge, ORIGINAL_WEIGHTS, type RerankCandidate, rerank } from '../../dist/index.js';
import { withEngine } from '../index/small-index.js';
import type { WeightedLink } from '../reference/communities.js';

export const SIZE = 10;

/** Weights of which sums are exact in any order. */
const link = fc.record({
  from: fc.nat({ max: SIZE - 1 }),
  to: fc.nat({ max: SIZE - 1 }),
  weight: fc.constantFrom(1, 1, 0.5, 2, 4),
});

export const cases = fc.record({
  links: fc.array(link, { maxLength: 30, size: 'max' }),
  hidden: fc.uniqueArray(fc.constantFrom<number>(2, 3, 5, 8)),
});

/** What signals are told of every visible node of a graph in which some are hidden, by node. */
export async function toldOf(
  links: readonly WeightedLink[],
  hidden: readonly number[],
): Promise<Map<number, RerankCandidate>> {
  const access = { org: 'acme', source: 'wiki' };
  const nodes = Array.from({ length: SIZE }, (_, i) => ({
    id: `n${i}`,
    ...access,
    acl: hidden.includes(i) ? ['nobody'] : ['everyone'],
  }));
  const edges = links.map(({ from, to, weight }): Edge => ({ from: `n${from}`, to: `n${to}`, weight }));
  const told = new Map<number, RerankCandidate>();
  const listen = {
    name: 'listen',
    prepare: () => (candidate: RerankCandidate) => {
      told.set(Number(candidate.id.slice(1)), candidate);
      return 0;
    },
  };
  const retriever = {
    name: 'all',
    retrieve: async () => nodes.map(({ id }) => ({ id, score: 1 })),
  };
  const off = Object.fromEntries(Object.keys(ORIGINAL_WEIGHTS).map((name) => [name, 0]));
  const weights = { ...off, hits: 1, community: 1 };
  await withEngine({ nodes, edges }, {}, (engine) =>
    engine.search(
      { text: 'any', principal: { org: 'acme', grants: ['everyone'] }, sources: ['wiki'] },
      { retriever: rerank({ retriever, weights, signals: [listen] }) },
    ),
  );
  return told;
}

/** The links between visible nodes. */
export const visibleLinks = (links: readonly WeightedLink[], hidden: readonly number[]): WeightedLink[] =>
  links.filter(({ from, to }) => !hidden.includes(from) && !hidden.includes(to));
