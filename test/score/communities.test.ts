import { it as property } from '@fast-check/vitest';
import { expect, it } from 'vitest';
import { communities } from '../reference/communities.js';
import { cases, SIZE, toldOf, visibleLinks } from './visible-graph.js';

/** Nodes that belong together, each group ascending, in the order of their firsts. */
function groups(labels: Iterable<[number, number]>): number[][] {
  const byLabel = new Map<number, number[]>();
  for (const [node, label] of [...labels].sort(([a], [b]) => a - b))
    byLabel.set(label, [...(byLabel.get(label) ?? []), node]);
  return [...byLabel.values()];
}

const found = async (links: Parameters<typeof toldOf>[0], hidden: readonly number[]) =>
  groups([...(await toldOf(links, hidden))].map(([node, { community }]) => [node, community!]));

property.prop([cases], { numRuns: 60, seed: 5, endOnFailure: true })(
  'are those of a graph without the hidden nodes, found over sets',
  async ({ links, hidden }) => {
    const nodes = Array.from({ length: SIZE }, (_, i) => i).filter((node) => !hidden.includes(node));
    expect(await found(links, hidden)).toEqual(groups(communities(nodes, visibleLinks(links, hidden))));
  },
);

it('part two cliques that one edge joins', async () => {
  const clique = (...nodes: number[]) =>
    nodes.flatMap((from) => nodes.filter((to) => to > from).map((to) => ({ from, to, weight: 1 })));
  const links = [...clique(0, 3, 5, 7), ...clique(1, 2, 4, 6), { from: 3, to: 4, weight: 1 }];
  expect(await found(links, [])).toEqual([[0, 3, 5, 7], [1, 2, 4, 6], [8], [9]]);
});

it('are not joined by a hidden node', async () => {
  const star = [0, 1, 4, 6].map((to) => ({ from: 8, to, weight: 1 }));
  expect(await found(star, [])).toEqual([[0, 1, 4, 6, 8], [2], [3], [5], [7], [9]]);
  expect((await found(star, [8])).every((group) => group.length === 1)).toBe(true);
});
