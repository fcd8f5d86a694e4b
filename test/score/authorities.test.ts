import { it as property } from '@fast-check/vitest';
import { expect, it } from 'vitest';
import { hits } from '../reference/hits.js';
import { cases, SIZE, toldOf, visibleLinks } from './visible-graph.js';

property.prop([cases], { numRuns: 60, seed: 6, endOnFailure: true })(
  'are those of a graph without the hidden nodes, by whole matrices',
  async ({ links, hidden }) => {
    const expected = hits(SIZE, visibleLinks(links, hidden), 100);
    for (const [node, { authority, hub }] of await toldOf(links, hidden)) {
      expect(Math.abs(authority! - expected.authority[node]!)).toBeLessThanOrEqual(1e-6);
      expect(Math.abs(hub! - expected.hub[node]!)).toBeLessThanOrEqual(1e-6);
    }
  },
);

it('of a star: what is pointed at has authority, what points is a hub', async () => {
  const told = await toldOf(
    [0, 1, 2].map((from) => ({ from, to: 9, weight: 1 })),
    [2],
  );
  const of = (node: number) => [told.get(node)!.authority, told.get(node)!.hub];
  expect([of(9), of(0), of(1), of(4)]).toEqual([
    [1, 0],
    [0, 1],
    [0, 1],
    [0, 0],
  ]);
  expect(told.has(2)).toBe(false);
});
