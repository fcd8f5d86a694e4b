import { fc, it as property } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { type Engine, graphCompletion, pagerank, type Retriever } from '../../dist/index.js';
import { capitalisedPhrases } from '../../src/ingest/capitalised-phrases.js';
import { opened, withEngine } from '../index/small-index.js';
import { mentionsOf, phraseLinks } from '../reference/derived-links.js';
import { type Link, pagerank as reference, reversed } from '../reference/pagerank.js';

const id = (row: number) => `n${String(row).padStart(2, '0')}`;
const principal = { org: 'o', grants: ['all'] };

/** Gives these rows and scores, whatever is asked. */
const given = (seeds: readonly { row: number; score: number }[]): Retriever => ({
  name: 'given',
  retrieve: async () => seeds.map(({ row, score }) => ({ id: id(row), score })),
});

const ask = (engine: Engine, retriever: Retriever, explain = false) =>
  engine.search({ text: 'x', principal, sources: ['s'], k: 50 }, { retriever, explain });

const word = fc.constantFrom('Ada', 'Lovelace', 'Ada Lovelace', 'Byron', 'Lord Byron', 'met', 'of', '. ');
const cases = fc.record({
  passages: fc.array(
    fc.record({
      title: fc.array(word, { maxLength: 2 }).map((list) => list.join(' ')),
      text: fc.array(word, { maxLength: 10 }).map((list) => list.join(' ')),
      hidden: fc.boolean(),
    }),
    { minLength: 2, maxLength: 12 },
  ),
  seeds: fc.uniqueArray(fc.record({ row: fc.nat(11), score: fc.constantFrom(1, 0.5, 0.25) }), {
    minLength: 1,
    maxLength: 4,
    selector: ({ row }) => row,
  }),
  walk: fc.constantFrom('mixed' as const, 'forward' as const, 'reverse' as const),
  reverseRatio: fc.constantFrom(0.5, 0, 1),
  mentions: fc.constantFrom(1, 0, 3),
  phrase: fc.constantFrom(1, 0, 0.5),
});

property.prop([cases], { numRuns: 150, seed: 2, endOnFailure: true })(
  'a walk over derived links is that of the reference over the visible passages, phrases of these alone',
  ({ passages, seeds, walk, reverseRatio, mentions, phrase }) => {
    const nodes = passages.map(({ title, text, hidden }, row) => ({
      id: id(row),
      title,
      text,
      org: 'o',
      source: 's',
      acl: hidden ? [] : ['all'],
    }));
    const visible = passages.map((_, row) => row).filter((row) => !passages[row]!.hidden);
    const place = new Map(visible.map((row, i) => [row, i]));
    const seen = visible.map((row) => passages[row]!);
    const forward = mentionsOf(seen).map((link) => ({ ...link, weight: link.weight * mentions }));
    const names = seen.map(({ title, text }) => capitalisedPhrases(`${title} . ${text}`));
    const { phrases, links } = phraseLinks(names);
    const back = reversed(forward).map((link) => ({ ...link, weight: link.weight * reverseRatio }));
    const all: Link[] = [
      ...(walk === 'reverse' ? reversed(forward) : forward),
      ...(walk === 'mixed' ? back : []),
      ...links.map((link) => ({ ...link, weight: link.weight * phrase })),
    ].filter(({ weight }) => weight > 0);
    const kept = seeds.filter(({ row }) => place.has(row));
    const mass = kept.reduce((sum, { score }) => sum + score ** 3, 0);
    const restart = new Array<number>(seen.length + phrases.length).fill(0);
    for (const { row, score } of kept) restart[place.get(row)!] = score ** 3 / mass;
    const settings = { damping: 0.8, steps: 300, tolerance: 1e-13 };
    const expected = kept.length === 0 ? [] : reference(restart, all, settings).slice(0, seen.length);
    const kindWeights = { mentions, phrase };
    const retriever = pagerank({
      ...{ seeds: given(seeds), walk, reverseRatio, kindWeights, damping: 0.8 },
      tolerance: 1e-13,
      maxIterations: 300,
    });
    return withEngine({ nodes }, { derive: 'links', accessMode: 'scoped' }, async (engine) => {
      const { candidates } = await ask(engine, retriever, true);
      const scores = new Map(candidates.map((candidate) => [candidate.id, candidate.score]));
      visible.forEach((row, i) => {
        expect(scores.get(id(row)) ?? 0).toBeCloseTo(expected[i] ?? 0, 10);
      });
      expect(scores.size).toBeLessThanOrEqual(visible.length);
      for (const { score, explain } of candidates) {
        expect(explain!.reduce((sum, { value }) => sum + value, 0)).toBeCloseTo(score, 12);
        for (const { value, path } of explain!) {
          expect(value).toBeGreaterThan(-1e-9);
          if (path !== undefined) expect(kept.map(({ row }) => id(row))).toContain(path.seed);
        }
      }
    });
  },
);

describe('links derived from texts', () => {
  const nodes = [
    { id: 'ada', title: 'Ada Lovelace', text: 'daughter of Lord Byron; see the Analytical Engine' },
    { id: 'byron', title: 'Lord Byron', text: 'a poet' },
    { id: 'engine', title: 'Engine', text: 'Charles Babbage built the Analytical Engine' },
    { id: 'babbage', title: 'Babbage', text: 'Charles Babbage' },
  ];
  const seeded = (node: string): Retriever => ({
    name: 'one',
    retrieve: async () => [{ id: node, score: 1 }],
  });
  const open = () => opened({ nodes }, { derive: 'links' });
  const query = { text: 'x', principal: 'open' as const, k: 50 };

  it('are walked, found by no one themselves, and named in explanations', async () => {
    const { candidates } = await (await open()).search(query, {
      retriever: pagerank({ seeds: seeded('ada') }),
      explain: true,
    });
    expect(candidates.map((candidate) => candidate.id).sort()).toEqual(['ada', 'babbage', 'byron', 'engine']);
    const best = (node: string) => candidates.find((candidate) => candidate.id === node)!.explain![0]!.path;
    expect(best('ada')).toMatchObject({ seed: 'ada', steps: [] });
    expect(best('byron')!.steps).toEqual([{ kind: 'mentions', direction: 'out', to: 'byron' }]);
    expect(best('babbage')!.steps.at(-1)!.to).toBe('babbage');
    // Ada's text has the name of the engine, and the engine's text has Babbage's.
    const names = candidates.flatMap(({ explain }) => explain!.flatMap(({ path }) => path?.steps ?? []));
    expect(names).toContainEqual({ kind: 'phrase', direction: 'out', to: 'charles babbage' });
  });

  it('are edges of graph completion and of the graph that retrievers see, kind mentions', async () => {
    const engine = await open();
    const { candidates } = await engine.search(query, {
      retriever: graphCompletion({ seeder: seeded('ada') }),
    });
    expect(candidates.slice(1).map(({ id, via }) => ({ id, via }))).toContainEqual({
      id: 'byron',
      via: { from: 'ada', edgeKind: 'mentions', direction: 'out' },
    });
    let edges: unknown;
    const looking: Retriever = {
      name: 'looking',
      async retrieve({ graph }) {
        edges = graph.inEdges(['byron']).get('byron');
        return [];
      },
    };
    await engine.search(query, { retriever: looking });
    expect(edges).toEqual([{ id: 'ada', kind: 'mentions', weight: 1 }]);
  });

  it('are weighed by kind, and switched off by a weight of 0', async () => {
    const retriever = pagerank({ seeds: seeded('ada'), kindWeights: { mentions: 0, phrase: 0 } });
    const { candidates } = await (await open()).search(query, { retriever });
    expect(candidates.map(({ id, score }) => [id, score])).toEqual([['ada', 1]]);
  });

  it('leave the bare walk alone', async () => {
    const { ids, forward } = await (await open()).walk({ seeds: [{ id: 'ada' }], principal: 'open' });
    expect(ids.map((name, i) => [name, forward[i]]).filter(([, score]) => score !== 0)).toEqual([['ada', 1]]);
  });

  it('may be none at all', async () => {
    const engine = await opened(
      { nodes: [{ id: 'a', text: 'small' }, { id: 'b' }], edges: [{ from: 'a', to: 'b' }] },
      { derive: 'links' },
    );
    const { candidates } = await engine.search(query, { retriever: pagerank({ seeds: seeded('a') }) });
    expect(candidates.map((candidate) => candidate.id)).toEqual(['a', 'b']);
  });
});
