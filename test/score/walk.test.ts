import { fc, it as property } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { type Edge, pagerank as pagerankRetriever, type Retriever } from '../../dist/index.js';
import { built, opened, refusal, withEngine } from '../index/small-index.js';
import { type Link, pagerank, reversed, walkMixed, walkSum } from '../reference/pagerank.js';

const SIZE = 9;
const idOf = (row: number) => `n${row}`;

const link = fc.record({
  from: fc.nat({ max: SIZE - 1 }),
  to: fc.nat({ max: SIZE - 1 }),
  weight: fc.constantFrom(1, 1, 0.5, 2, 1000, 1e-6),
  kind: fc.constantFrom('calls', 'cites'),
});

const cases = fc.record({
  links: fc.array(link, { maxLength: 30 }),
  seeds: fc.dictionary(fc.constantFrom('0', '1', '4'), fc.constantFrom(1, 2, 0.25), {
    minKeys: 1,
    noNullPrototype: true,
  }),
  hidden: fc.uniqueArray(fc.constantFrom<number>(2, 3, 5, 8)),
  damping: fc.constantFrom(0, 0.5, 0.7, 0.85, 0.99),
  selfLoops: fc.constantFrom('ignore' as const, 'keep' as const),
  edgeWeights: fc.constantFrom('stored' as const, 'uniform' as const),
  kindWeights: fc.constantFrom<Record<string, number> | undefined>(
    undefined,
    { calls: 2 },
    { cites: 0.5, calls: 3 },
  ),
  steps: fc.constantFrom(1, 2, 25),
});

property.prop([cases], { numRuns: 70, seed: 1, endOnFailure: true })(
  'walks the visible graph as the oracle walks a graph without the hidden nodes',
  ({ links, seeds, hidden, damping, selfLoops, edgeWeights, kindWeights, steps }) => {
    const isVisible = (row: number) => !hidden.includes(row);
    const nodes = Array.from({ length: SIZE }, (_, row) => ({
      id: idOf(row),
      org: 'acme',
      source: 'wiki',
      acl: isVisible(row) ? ['everyone'] : ['nobody'],
    }));
    const edges = links.map(
      ({ from, to, weight, kind }): Edge => ({ from: idOf(from), to: idOf(to), weight, kind }),
    );
    const kept = links
      .filter(({ from, to }) => isVisible(from) && isVisible(to))
      .map(
        ({ from, to, weight, kind }): Link => ({
          from,
          to,
          weight: (edgeWeights === 'uniform' ? 1 : weight) * (kindWeights?.[kind] ?? 1),
        }),
      );
    const mass = Object.values(seeds).reduce((sum, weight) => sum + weight, 0);
    const restart = nodes.map((_, row) => (seeds[String(row)] ?? 0) / mass);
    const settings = { damping, steps, selfLoops: selfLoops === 'ignore' ? ('drop' as const) : selfLoops };
    return withEngine({ nodes, edges }, {}, async (engine) => {
      const walk = await engine.walk({
        seeds: Object.entries(seeds).map(([row, weight]) => ({ id: idOf(Number(row)), weight })),
        principal: { org: 'acme', grants: ['everyone'] },
        sources: ['wiki'],
        damping,
        tolerance: 0,
        maxIterations: steps,
        selfLoops,
        edgeWeights,
        ...(kindWeights === undefined ? {} : { kindWeights }),
      });
      expect(walk.ids).toEqual(nodes.filter((_, row) => isVisible(row)).map(({ id }) => id));
      for (const [scores, expected] of [
        [walk.forward, pagerank(restart, kept, settings)],
        [walk.reverse, pagerank(restart, reversed(kept), settings)],
      ] as const) {
        const visible = expected.filter((_, row) => isVisible(row));
        scores.forEach((score, i) => {
          expect(Math.abs(score - visible[i]!)).toBeLessThanOrEqual(1e-12);
        });
        expect(Math.abs(scores.reduce((sum, score) => sum + score, 0) - 1)).toBeLessThanOrEqual(1e-12);
      }
    });
  },
);

property.prop([cases, fc.constantFrom(0, 0.3, 0.5, 1, 4)], { numRuns: 40, seed: 2, endOnFailure: true })(
  'gives the pagerank retriever the sum of both walks, or one walk over edges and weaker reversals',
  ({ links, seeds, damping, selfLoops, steps }, ratio) => {
    const nodes = Array.from({ length: SIZE }, (_, row) => ({ id: idOf(row) }));
    const edges = links.map(
      ({ from, to, weight, kind }): Edge => ({ from: idOf(from), to: idOf(to), weight, kind }),
    );
    const best = Math.max(...Object.values(seeds));
    const mass = Object.values(seeds).reduce((sum, score) => sum + (score / best) ** 3, 0);
    const restart = nodes.map((_, row) => ((seeds[String(row)] ?? 0) / best) ** 3 / mass);
    const settings = { damping, steps, selfLoops: selfLoops === 'ignore' ? ('drop' as const) : selfLoops };
    const seeding: Retriever = {
      name: 'seeding',
      retrieve: async () =>
        Object.entries(seeds)
          .map(([row, score]) => ({ id: idOf(Number(row)), score }))
          .sort((a, b) => b.score - a.score),
    };
    return withEngine({ nodes, edges }, {}, async (engine) => {
      for (const walk of ['sum', 'mixed'] as const) {
        const expected =
          walk === 'sum' ? walkSum(restart, links, settings) : walkMixed(restart, links, ratio, settings);
        const retriever = pagerankRetriever({
          seeds: seeding,
          walk,
          reverseRatio: ratio,
          damping,
          selfLoops,
          tolerance: 0,
          maxIterations: steps,
        });
        const { candidates } = await engine.search({ text: 'any', principal: 'open', k: 50 }, { retriever });
        const ours = new Map(candidates.map(({ id, score }) => [id, score]));
        expected.forEach((score, row) => {
          expect(Math.abs((ours.get(idOf(row)) ?? 0) - score), `${walk} ${row}`).toBeLessThanOrEqual(1e-12);
        });
      }
    });
  },
);

describe('numbers at the ends of their range', () => {
  const nodes = ['a', 'b', 'c'].map((id) => ({ id }));

  it.each([1e-100, 1e-50, 1e50, 1e100])(
    'walks edges of weight %s like edges of weight 1 when all have it',
    async (weight) => {
      const edges = ['ab', 'ac', 'ba', 'ca'].map(([from, to]) => ({ from: from!, to: to!, weight }));
      const engine = await opened({ nodes, edges });
      const plain = await opened({ nodes, edges: edges.map(({ from, to }) => ({ from, to })) });
      const request = { seeds: [{ id: 'a' }], principal: 'open' };
      const [walk, expected] = [await engine.walk(request), await plain.walk(request)];
      for (const direction of ['forward', 'reverse'] as const) {
        walk[direction].forEach((score, i) => {
          expect(Math.abs(score - expected[direction][i]!)).toBeLessThanOrEqual(1e-12);
        });
      }
    },
  );

  it.each([5e-324, 9e-101, 2e100, Number.MAX_VALUE])('refuses an edge of weight %s', async (weight) => {
    await refusal(
      built({ nodes, edges: [{ from: 'a', to: 'b', weight }] }),
      'INVALID_INPUT',
      '"a"',
      'weight',
    );
  });

  it.each([
    { kindWeights: { link: 1e-100 } },
    { kindWeights: { link: 1e100 } },
    { kindWeights: { link: 0 } },
    { kindWeights: { link: 5e-324 } },
    { kindWeights: { link: 1e308 } },
  ])('keeps the mass, or refuses the request, with %j', async (options) => {
    for (const weight of [1e-100, 1, 1e100]) {
      const edges = ['ab', 'ac', 'ba', 'ca'].map(([from, to]) => ({ from: from!, to: to!, weight }));
      const engine = await opened({ nodes, edges });
      const asking = engine.walk({ seeds: [{ id: 'a' }], principal: 'open', ...options });
      const mass = await asking.then(
        ({ forward }) => forward.reduce((sum, score) => sum + score, 0),
        ({ code }) => code,
      );
      if (mass !== 'INVALID_INPUT') expect(Math.abs(mass - 1)).toBeLessThanOrEqual(1e-12);
    }
  });

  it.each([0, 5e-324, 1e-100, 1e100, 1e300])(
    'keeps the mass of a mixed walk, or refuses it, when reversals count %s',
    async (reverseRatio) => {
      const engine = await opened({
        nodes,
        edges: [
          { from: 'a', to: 'b', weight: 1e100 },
          { from: 'b', to: 'c' },
        ],
      });
      const seeds: Retriever = { name: 'seeds', retrieve: async () => [{ id: 'a', score: 1 }] };
      const asking = async () =>
        engine.search(
          { text: 'any', principal: 'open' },
          { retriever: pagerankRetriever({ seeds, reverseRatio }) },
        );
      const mass = await asking().then(
        ({ candidates }) => candidates.reduce((sum, { score }) => sum + score, 0),
        ({ code }) => code,
      );
      if (mass !== 'INVALID_INPUT') expect(Math.abs(mass - 1)).toBeLessThanOrEqual(1e-12);
    },
  );

  it.each([5e-324, 1e-310, 1e308, Number.MAX_VALUE])(
    'takes two seeds of weight %s as two equal seeds',
    async (weight) => {
      const engine = await opened({ nodes, edges: [{ from: 'a', to: 'b' }] });
      const seeds = [
        { id: 'a', weight },
        { id: 'c', weight },
      ];
      const walk = await engine.walk({ seeds, principal: 'open', maxIterations: 1 });
      const mass = walk.forward.reduce((sum, score) => sum + score, 0);
      expect(Math.abs(mass - 1)).toBeLessThanOrEqual(1e-12);
      // c keeps (1 - d) / 2 and gets half of its own dangling mass d / 2.
      expect(walk.forward[2]).toBeCloseTo(0.15 / 2 + (0.85 * 0.5) / 2, 12);
    },
  );

  it('adds repeats of a seed', async () => {
    const engine = await opened({ nodes, edges: [{ from: 'a', to: 'b' }] });
    const walked = async (seeds: { id: string; weight?: number }[]) =>
      (await engine.walk({ seeds, principal: 'open' })).forward;
    expect(await walked([{ id: 'a' }, { id: 'b' }, { id: 'a' }])).toEqual(
      await walked([{ id: 'b' }, { id: 'a', weight: 2 }]),
    );
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('refuses a seed of weight %s', async (weight) => {
    const engine = await opened({ nodes, edges: [{ from: 'a', to: 'b' }] });
    const asking = engine.walk({ seeds: [{ id: 'a', weight }], principal: 'open' });
    await expect(asking).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });
});
