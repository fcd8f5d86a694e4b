import { fc, it as property } from '@fast-check/vitest';
import { expect } from 'vitest';
import type { LocalizeRequest, Retriever } from '../../dist/index.js';
import { withEngine } from '../index/small-index.js';
import { localized } from '../reference/localize.js';

const SIZE = 9;
const idOf = (row: number) => `n${row}`;
/** More than 32, so that the kinds of a row take more than one word. */
const KINDS = Array.from({ length: 40 }, (_, i) => `k${i + 10}`);

const cases = fc.record({
  links: fc.array(
    fc.record({
      from: fc.nat({ max: SIZE - 1 }),
      to: fc.nat({ max: SIZE - 1 }),
      kind: fc.oneof(fc.constantFrom(...KINDS), fc.constantFrom('k10', 'k49')),
    }),
    { maxLength: 30 },
  ),
  seeds: fc.uniqueArray(fc.nat({ max: SIZE - 1 }), { minLength: 1, maxLength: 4 }),
  hidden: fc.uniqueArray(fc.nat({ max: SIZE - 1 }), { maxLength: 3 }),
  depth: fc.nat({ max: 5 }),
  walked: fc.oneof(fc.constant(KINDS), fc.subarray(KINDS)),
});

property.prop([cases], { numRuns: 150, seed: 5, endOnFailure: true })(
  'reaches what the reference reaches on a graph without the hidden nodes and other kinds',
  async ({ links, seeds, hidden, depth, walked }) => {
    const isVisible = (row: number) => !hidden.includes(row);
    const visibleSeeds = seeds.filter(isVisible);
    const nodes = Array.from({ length: SIZE }, (_, row) => ({
      id: idOf(row),
      ...{ org: 'o', source: 's', acl: isVisible(row) ? ['t'] : [] },
    }));
    const edges = links.map(({ from, to, kind }) => ({ from: idOf(from), to: idOf(to), kind }));
    const retriever: Retriever = {
      name: 'mine',
      // In this order by score; as seeds they weigh 1, 1/2, 1/3 ...
      retrieve: async () => visibleSeeds.map((row, i) => ({ id: idOf(row), score: 10 - i })),
    };
    const request: LocalizeRequest = {
      text: 'any',
      strategy: 'retriever',
      retriever,
      seedWeights: 'rank',
      depth,
      kinds: walked,
      k: 50,
      principal: { org: 'o', grants: ['t'] },
      sources: ['s'],
    };
    const expected = localized(
      visibleSeeds.map((row, i) => ({ row, weight: 1 / (1 + i) })),
      links.filter(({ from, to, kind }) => isVisible(from) && isVisible(to) && walked.includes(kind)),
      depth,
    );
    await withEngine({ nodes, edges }, { accessMode: 'scoped' }, async (engine) => {
      const asking = engine.localize(request);
      if (visibleSeeds.length === 0) {
        await expect(asking).rejects.toMatchObject({ code: 'NO_SEEDS' });
        return;
      }
      const got = (await asking).candidates.map(({ id, score, distance, kinds }) => [
        id,
        score,
        distance,
        kinds,
      ]);
      expect(got).toEqual(
        expected.map(({ row, score, distance, kinds }) => [idOf(row), score, distance, kinds]),
      );
    });
  },
);
