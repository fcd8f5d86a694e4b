import { fc, it as property } from '@fast-check/vitest';
import { expect } from 'vitest';
import type { Retriever } from '../../dist/index.js';
import { withEngine } from '../index/small-index.js';

/** Lists every id of the scope, asked one by one. */
const listing = (ids: readonly string[]): Retriever => ({
  name: 'listing',
  retrieve: async ({ graph }) => [...graph.nodes(ids).keys()].map((id) => ({ id, score: 1 })),
});

const names = fc.constantFrom('a', 'b', 'c');
const row = fc.record({ org: names, source: names, acl: fc.uniqueArray(names) });
const asking = fc.record({
  org: fc.constantFrom('a', 'b', 'c', 'unknown'),
  grants: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'unknown'), { minLength: 1 }),
  sources: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'unknown'), { minLength: 1 }),
});

property.prop([fc.array(row, { maxLength: 40 }), fc.array(asking, { minLength: 1, maxLength: 5 })], {
  numRuns: 40,
  seed: 1,
})(
  'a row is seen when its org is equal, its acl meets the grants and its source is asked for',
  (rows, asked) => {
    const nodes = rows.map((access, i) => ({ id: String(i).padStart(2, '0'), ...access }));
    const ids = nodes.map(({ id }) => id);
    return withEngine({ nodes, access: [...nodes] }, {}, async (engine) => {
      for (const { org, grants, sources } of asked) {
        const expected = nodes.filter(
          (node) =>
            node.org === org && sources.includes(node.source) && node.acl.some((tag) => grants.includes(tag)),
        );
        const { candidates } = await engine.search(
          { text: 'any', principal: { org, grants }, sources, k: 50 },
          { retriever: listing(ids) },
        );
        expect(candidates.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
      }
    });
  },
);
