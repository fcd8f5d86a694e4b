import { beforeAll, describe, expect, it } from 'vitest';
import type { Engine, Query, Retriever } from '../../dist/index.js';
import { bm25 } from '../../dist/index.js';
import {
  accessOf,
  answers,
  differences,
  json,
  nodesOf,
  openIndex,
  queriesOf,
  reference,
} from './collection.js';

interface Named {
  id: string;
  org: string;
  grants: string[];
  sources: string[];
  visible: number;
}

/** Stands where a retriever stands, and tells how many nodes its scope has. */
function counting(): Retriever & { visible: number } {
  return {
    name: 'counting',
    visible: -1,
    async retrieve({ scope }) {
      this.visible = scope.visible;
      return [];
    },
  };
}

describe.each(['cacm', 'cranfield', 'scifact'])('%s', (set) => {
  const principals: Named[] = json(`reference/scoped/${set}/principals.json`);
  let engine: Engine;
  let queries: Query[];

  beforeAll(async () => {
    engine = await openIndex(
      { nodes: await nodesOf(set), access: await accessOf(`reference/scoped/${set}/acl.jsonl`) },
      { analyzer: 'plain' },
    );
    queries = await queriesOf(set);
  });

  it('has seven principals, two of whom see nothing', () => {
    expect(principals).toHaveLength(7);
    expect(principals.filter(({ visible }) => visible === 0)).toHaveLength(2);
  });

  describe.each(principals)('$id, who sees $visible', ({ id, org, grants, sources, visible }) => {
    const caller = { principal: { org, grants }, sources };

    it('makes a scope of the visible rows', async () => {
      const retriever = counting();
      await engine.search({ text: 'any', ...caller }, { retriever });
      expect(retriever.visible).toBe(visible);
    });

    it('gives the lists of a corpus of the visible rows only', async () => {
      const theirs = reference(`reference/scoped/${set}/scoped.trec.gz`, id);
      expect(theirs.size > 0).toBe(visible > 0);
      const retriever = bm25({ form: 'joined', pairs: 0, phrases: false, k1: 0.9, b: 0.4 });
      const asked = queries.map((query) => ({ ...query, ...caller }));
      const ours = await answers(engine.rank(asked, { retriever, k: 21, cite: false }));
      let compared = 0;
      for (const [query, list] of theirs) {
        const candidates = ours.get(query)!.candidates;
        expect(Math.min(20, candidates.length), query).toBe(list.length);
        expect(differences(candidates, list, { within: 1e-9 }), query).toEqual([]);
        // Its ties are in id order, as corank's are: no exception within a group of equal scores.
        expect(
          candidates.slice(0, 20).map((candidate) => candidate.id),
          query,
        ).toEqual(list.map((entry) => entry.id));
        compared += list.length;
      }
      if (visible === 0) {
        for (const [query, { candidates }] of ours) expect(candidates, query).toEqual([]);
      } else expect(compared).toBeGreaterThan(100);
    });
  });
});
