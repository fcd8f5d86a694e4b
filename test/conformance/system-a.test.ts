import { describe, expect, it } from 'vitest';
import { type Edge, type GraphCompletionOptions, graphCompletion, type Retriever } from '../../dist/index.js';
import { opened, refusal } from '../index/small-index.js';

/** Part A.1 of the specification: candidates, retrievers and one-hop completion, with all seeds first. */
const listing = (ids: readonly (string | null)[]): Retriever => ({
  name: 'seeder',
  retrieve: async ({ limit }) =>
    ids.slice(0, limit).map((id, i) => (id === null ? null : { id, score: 1 - i / 1000 })),
});

const edge = (from: string, to: string, kind = 'calls', weight = 1): Edge => ({ from, to, kind, weight });

/** The hub of the system's own tests: it calls a and b and refers to c. */
const HUB = {
  nodes: ['hub', 'a', 'b', 'c', 'z'].map((id) => ({ id })),
  edges: [edge('hub', 'a'), edge('hub', 'b'), edge('hub', 'c', 'references'), edge('z', 'hub')],
};

async function completed(
  seeds: readonly (string | null)[],
  options: Omit<GraphCompletionOptions, 'seeder'> = {},
  limit = 50,
  { nodes, edges }: { nodes: { id: string }[]; edges: Edge[] } = HUB,
) {
  const engine = await opened({ nodes, edges });
  const retriever = graphCompletion({ seeder: listing(seeds), interleave: false, ...options });
  const { candidates, skipped } = await engine.search(
    { text: 'any', principal: 'open', k: limit },
    { retriever, depth: limit },
  );
  return { ids: candidates.map(({ id }) => id), candidates, skipped };
}

describe('graph_completion', () => {
  it('brings the hub and its three neighbours', async () => {
    const { ids, candidates } = await completed(['hub']);
    expect(ids).toEqual(['hub', 'a', 'b', 'c']);
    expect(candidates.every(({ retriever }) => retriever === 'graph_completion')).toBe(true);
  });

  it('follows only the kinds that are named; skipped edges use up nothing', async () => {
    expect((await completed(['hub'], { edgeKinds: ['calls'] })).ids).toEqual(['hub', 'a', 'b']);
    const kinds = { edgeKinds: ['references'], maxSeedExpansion: 1 };
    expect((await completed(['hub'], kinds)).ids).toEqual(['hub', 'c']);
    expect((await completed(['hub'], { edgeKinds: [] })).ids).toHaveLength(4);
  });

  it('adds no more than maxSeedExpansion, of which 0 and less mean eight', async () => {
    expect((await completed(['hub'], { maxSeedExpansion: 1 })).ids).toHaveLength(2);
    const far = Array.from({ length: 10 }, (_, i) => `f${i}`);
    const star = {
      nodes: ['hub', ...far].map((id) => ({ id })),
      edges: far.map((to) => edge('hub', to)),
    };
    for (const maxSeedExpansion of [0, -3])
      expect((await completed(['hub'], { maxSeedExpansion }, 50, star)).ids).toHaveLength(1 + 8);
  });

  it('cuts the list at the limit', async () => {
    expect((await completed(['hub'], {}, 2)).ids).toEqual(['hub', 'a']);
  });

  it('is starved by a seeder that fills the limit, as the original is', async () => {
    expect((await completed(['hub', 'z'], {}, 2)).ids).toEqual(['hub', 'z']);
    // The default interleaves: three seeds, two expansions.
    const some = ['hub', 'z', 'a', 'b'];
    expect((await completed(some, {}, 4)).ids).toEqual(some);
    expect((await completed(some, { interleave: true }, 4)).ids).toEqual(['hub', 'z', 'a', 'c']);
  });

  it('ignores nulls and repeats; the first of a node counts', async () => {
    const { ids, skipped } = await completed([null, 'hub', 'hub', null]);
    expect(ids).toEqual(['hub', 'a', 'b', 'c']);
    expect(skipped.map(({ code, count }) => [code, count])).toEqual([
      ['empty_hits', 2],
      ['duplicates', 1],
    ]);
  });

  it('gives expansions no rank in any channel, and seeds those that they have', async () => {
    const { candidates } = await completed(['hub']);
    expect(candidates.map(({ ranks }) => ranks)).toEqual([{ seeder: 1 }, {}, {}, {}]);
  });

  it('needs a seeder', () => {
    expect(() => graphCompletion({} as never)).toThrow('graphCompletion needs a seeder');
  });

  it('finds out at run time too that what it was given is no retriever any more', async () => {
    const seeder = { ...listing(['hub']) } as { name: string } & Retriever;
    const retriever = graphCompletion({ seeder });
    const engine = await opened(HUB);
    seeder.name = '';
    await refusal(engine.search({ text: 'any', principal: 'open' }, { retriever }), 'INVALID_INPUT', 'name');
  });

  it("passes on the seeder's error", async () => {
    const engine = await opened(HUB);
    const failing: Retriever = { name: 'away', retrieve: () => Promise.reject(new Error('gone fishing')) };
    const retriever = graphCompletion({ seeder: failing });
    const asking = engine.search({ text: 'any', principal: 'open' }, { retriever });
    await refusal(asking, 'RETRIEVE_FAILED', 'away', 'gone fishing');
  });
});
