import { fc, it as property } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { bm25, type Edge, type Engine, pagerank, type Retriever } from '../../dist/index.js';
import { scoreWalks, type WalksRequest } from '../../dist/score/walk.js';
import { opened, withEngine } from '../index/small-index.js';
import { randoms } from '../kernels/arena.js';

type Request = Parameters<Retriever['retrieve']>[0];

/** What `use` makes of the inside of a question. */
async function inside<T>(engine: Engine, use: (request: Request) => T): Promise<T> {
  let made: T | undefined;
  const retriever: Retriever = {
    name: 'inside',
    async retrieve(request) {
      made = use(request);
      return [];
    },
  };
  const principal = { org: 'o', grants: ['all'] };
  await engine.search({ text: 'x', principal, sources: ['s'] }, { retriever });
  return made!;
}

const SIZE = 24;
const cases = fc.record({
  links: fc.array(
    fc.record({
      from: fc.nat(SIZE - 1),
      to: fc.nat(SIZE - 1),
      weight: fc.constantFrom(1, 0.5, 3),
      kind: fc.constantFrom('a', 'b'),
    }),
    { maxLength: 80 },
  ),
  hidden: fc.uniqueArray(fc.integer({ min: 8, max: SIZE - 1 })),
  seeds: fc.array(
    fc.uniqueArray(fc.record({ row: fc.nat(5), weight: fc.constantFrom(1, 2, 0.3) }), {
      minLength: 1,
      maxLength: 3,
      selector: ({ row }) => row,
    }),
    { minLength: 4, maxLength: 8 },
  ),
  direction: fc.constantFrom('forward' as const, 'reverse' as const, 'mixed' as const),
  damping: fc.constantFrom(0, 0.5, 0.85),
  // The lanes end at different steps.
  tolerance: fc.constantFrom(0, 1e-9, 1e-3, 0.1),
  maxIterations: fc.constantFrom(1, 7, 60),
  ratio: fc.constantFrom(0, 0.5),
  selfLoops: fc.constantFrom('ignore' as const, 'keep' as const),
  edgeWeights: fc.constantFrom('stored' as const, 'uniform' as const),
  kindWeights: fc.constantFrom(undefined, { a: 2, b: 0.25 }),
  limit: fc.constantFrom(undefined, 1, 10),
});

property.prop([cases], { numRuns: 120, seed: 1, endOnFailure: true })(
  'a walk has the same bits, steps and residual alone, beside others, and in an index of the visible rows',
  async ({ links, hidden, seeds, kindWeights, limit, ...settings }) => {
    const id = (row: number) => `n${String(row).padStart(2, '0')}`;
    const node = (row: number) => ({
      id: id(row),
      org: 'o',
      source: 's',
      acl: hidden.includes(row) ? [] : ['all'],
    });
    const nodes = Array.from({ length: SIZE }, (_, row) => node(row));
    const edges = links.map(({ from, to, ...rest }): Edge => ({ from: id(from), to: id(to), ...rest }));
    const seen = (row: string) => !hidden.some((h) => id(h) === row);
    const visible = {
      nodes: nodes.filter((one) => seen(one.id)),
      edges: edges.filter(({ from, to }) => seen(from) && seen(to)),
    };
    const walked = (source: { nodes: typeof nodes; edges: Edge[] }) =>
      withEngine(source, { accessMode: 'scoped' }, (engine) =>
        inside(engine, ({ runtime, scope }) => {
          const { kinds } = runtime.index.directory.graph!;
          const factors = kindWeights && kinds.map((kind) => kindWeights[kind as 'a' | 'b']);
          // Rows of seeds are the first six: visible, and the same in both indexes.
          const walks = seeds.map((list) => ({ seeds: [...list].sort((a, b) => a.row - b.row), limit }));
          const ask = (some: WalksRequest['walks']) =>
            scoreWalks(
              runtime.context,
              scope,
              { settings: { ...settings, kindWeights: factors }, walks: some },
              () => false,
            );
          const named = (answers: ReturnType<typeof ask>) =>
            answers.map(({ list, scores, ...end }) => ({
              ...end,
              list: list && Array.from(list.rows, (row, i) => [runtime.nodes.id(row), list.scores[i]]),
              scores:
                scores &&
                [...scores].map((x, row) => [runtime.nodes.id(row), x] as const).filter(([, x]) => x !== 0),
            }));
          return { block: named(ask(walks)), alone: walks.flatMap((one) => named(ask([one]))) };
        }),
      );
    const all = await walked({ nodes, edges });
    expect(all.block).toEqual(all.alone);
    expect(await walked(visible)).toEqual(all);
  },
);

describe('walks that wait for a thread', () => {
  const random = randoms(5);
  const nodes = Array.from({ length: 400 }, (_, i) => ({ id: `n${i}`, text: `word${i % 40} common` }));
  const edges = Array.from({ length: 1600 }, () => ({
    from: `n${Math.floor(random(400))}`,
    to: `n${Math.floor(random(400))}`,
  }));
  const queries = Array.from({ length: 60 }, (_, i) => ({
    text: `word${i % 40}`,
    principal: 'open' as const,
  }));

  it.each([0, 1, 2])('are answered as if asked alone, with %i threads', async (threads) => {
    const engine = await opened({ nodes, edges }, {}, { threads });
    const blocks: number[] = [];
    const { pool } = (engine as unknown as { runtime: Request['runtime'] }).runtime;
    const run = pool.run.bind(pool);
    pool.run = ((kind, scope, request, signal) => {
      if (kind === 'walks') blocks.push((request as WalksRequest).walks.length);
      return run(kind, scope, request, signal);
    }) as typeof pool.run;
    for (const walk of ['mixed', 'sum', 'forward'] as const) {
      const retriever = pagerank({ walk, seeds: bm25() });
      const alone = [];
      for (const query of queries) alone.push(await engine.search(query, { retriever }));
      expect(Math.max(...blocks)).toBe(1);
      const together = [];
      for await (const result of engine.rank(queries, { retriever, k: 8 })) together.push(result);
      expect(together).toEqual(alone);
      expect(Math.max(...blocks)).toBe(8);
      blocks.length = 0;
    }
  });

  it('leave the others alone when one of them is cancelled', async () => {
    const engine = await opened({ nodes, edges }, {}, { threads: 1 });
    const stops = queries.map(() => new AbortController());
    const retriever = pagerank({ seeds: bm25(), tolerance: 0, maxIterations: 20_000 });
    const asked = queries
      .slice(0, 9)
      .map((query, i) => engine.search(query, { retriever, signal: stops[i]!.signal }));
    const settled = Promise.allSettled(asked);
    setTimeout(() => {
      for (const i of [0, 3, 5]) stops[i]!.abort(new Error(`stop ${i}`));
    }, 30);
    const ends = (await settled).map((one) => (one.status === 'rejected' ? one.reason.message : one.status));
    expect(ends).toEqual(
      queries.slice(0, 9).map((_, i) => ([0, 3, 5].includes(i) ? `stop ${i}` : 'fulfilled')),
    );
  });

  it('stop when all of them are cancelled', async () => {
    const engine = await opened({ nodes, edges }, {}, { threads: 1 });
    const stop = new AbortController();
    const retriever = pagerank({ seeds: bm25(), tolerance: 0, maxIterations: 1_000_000 });
    const asked = queries
      .slice(0, 9)
      .map((query) => engine.search(query, { retriever, signal: stop.signal }));
    setTimeout(() => stop.abort(new Error('enough')), 30);
    const ends = await Promise.allSettled(asked);
    for (const end of ends) expect(end).toMatchObject({ status: 'rejected', reason: { message: 'enough' } });
    expect((await engine.search(queries[0]!, {})).candidates.length).toBeGreaterThan(0);
  });
});
