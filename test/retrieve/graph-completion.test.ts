import { describe, expect, it } from 'vitest';
import {
  type Edge,
  type Graph,
  type GraphCompletionOptions,
  graphCompletion,
  hybrid,
  type Retriever,
} from '../../dist/index.js';
import { opened, refusal } from '../index/small-index.js';

const listing = (ids: readonly string[]): Retriever => ({
  name: 'seeder',
  retrieve: async () => ids.map((id, i) => ({ id, score: 1 - i / 1000 })),
});

const edge = (from: string, to: string, kind = 'calls', weight = 1): Edge => ({ from, to, kind, weight });

async function completed(
  ids: readonly string[],
  edges: readonly Edge[],
  seeds: readonly string[],
  options = {},
) {
  const engine = await opened({ nodes: ids.map((id) => ({ id })), edges });
  return engine.search(
    { text: 'any', principal: 'open', k: 50 },
    { retriever: graphCompletion({ seeder: listing(seeds) }), ...options },
  );
}

const range = (prefix: string, n: number) => Array.from({ length: n }, (_, i) => `${prefix}${i}`);

describe('one hop from the seeds', () => {
  it('adds what the edges of each lead to: a hub with calls a, b and reference c gives four', async () => {
    const edges = [edge('hub', 'a'), edge('hub', 'b'), edge('hub', 'c', 'references')];
    const { candidates, retriever } = await completed(['hub', 'a', 'b', 'c', 'z'], edges, ['hub']);
    expect(retriever).toBe('graph_completion');
    expect(candidates.map(({ id }) => id)).toEqual(['hub', 'a', 'b', 'c']);
  });

  it('says from which seed, by which edge and in which direction each came in', async () => {
    const edges = [edge('hub', 'c', 'references'), edge('other', 'd')];
    const { candidates } = await completed(['hub', 'other', 'c', 'd'], edges, ['hub', 'other']);
    expect(Object.fromEntries(candidates.map(({ id, via }) => [id, via]))).toEqual({
      hub: undefined,
      other: undefined,
      c: { from: 'hub', edgeKind: 'references', direction: 'out' },
      d: { from: 'other', edgeKind: 'calls', direction: 'out' },
    });
  });

  it('keeps the ranks of the seeds, and gives expansions none', async () => {
    const { candidates } = await completed(['hub', 'a'], [edge('hub', 'a')], ['hub']);
    expect(candidates.map(({ id, ranks }) => [id, ranks])).toEqual([
      ['hub', { seeder: 1 }],
      ['a', {}],
    ]);
  });

  it('goes along the edges, not against them, and one step only', async () => {
    const edges = [edge('before', 'hub'), edge('hub', 'after'), edge('after', 'far')];
    const { candidates } = await completed(['before', 'hub', 'after', 'far'], edges, ['hub']);
    expect(candidates.map(({ id }) => id)).toEqual(['hub', 'after']);
  });

  it('adds at most eight for each seed: the heaviest, then by id', async () => {
    const far = range('f', 10);
    const edges = far.map((to, i) => edge('hub', to, 'calls', i === 9 ? 2 : 1));
    const { candidates } = await completed(['hub', ...far], edges, ['hub']);
    expect(candidates.map(({ id }) => id)).toEqual(['hub', 'f9', ...range('f', 7)]);
  });

  it('counts only what is added: neighbours that are seeds or there already do not use up the eight', async () => {
    const shared = range('s', 8);
    const own = range('t', 8);
    const edges = [
      ...shared.map((to) => edge('one', to)),
      ...shared.map((to) => edge('two', to, 'calls', 5)),
      edge('two', 'one', 'calls', 9),
      ...own.map((to) => edge('two', to)),
    ];
    const { candidates } = await completed(['one', 'two', ...shared, ...own], edges, ['one', 'two']);
    expect(new Set(candidates.map(({ id }) => id))).toEqual(new Set(['one', 'two', ...shared, ...own]));
    expect(candidates.find(({ id }) => id === 's0')!.via!.from).toBe('one');
    expect(candidates.find(({ id }) => id === 't0')!.via!.from).toBe('two');
  });

  it('takes a node that is a seed as a seed, however late it stands', async () => {
    const { candidates } = await completed(['a', 'b', 'c'], [edge('a', 'c')], ['a', 'b', 'c']);
    expect(candidates.map(({ id, via }) => [id, via])).toEqual([
      ['a', undefined],
      ['b', undefined],
      ['c', undefined],
    ]);
  });

  it('adds a node once although parallel edges lead to it', async () => {
    const edges = [edge('hub', 'a', 'calls'), edge('hub', 'a', 'reads', 3)];
    const { candidates } = await completed(['hub', 'a'], edges, ['hub']);
    expect(candidates.map(({ id, via }) => [id, via?.edgeKind])).toEqual([
      ['hub', undefined],
      ['a', 'reads'],
    ]);
  });
});

describe('the output', () => {
  const seeds = range('s', 7);
  const edges = seeds.flatMap((from) => [edge(from, `${from}x`, 'calls', 2), edge(from, `${from}y`)]);
  const ids = seeds.flatMap((id) => [id, `${id}x`, `${id}y`]);
  const interleaved = [
    ...['s0', 's1', 's2', 's0x', 's0y'],
    ...['s3', 's4', 's5', 's1x', 's1y'],
    ...['s6', 's2x', 's2y'],
    ...['s3x', 's3y', 's4x', 's4y', 's5x', 's5y', 's6x', 's6y'],
  ];

  it('takes three seeds and two expansions in turn, in the order of the seeds', async () => {
    const { candidates } = await completed(ids, edges, seeds);
    expect(candidates.map(({ id }) => id)).toEqual(interleaved);
    expect(candidates.map(({ score }) => score)).toEqual(interleaved.map((_, i) => 1 / (60 + i + 1)));
  });

  it('is only cut by the limit: a seeder that fills it starves nobody', async () => {
    const engine = await opened({ nodes: ids.map((id) => ({ id })), edges });
    const retriever = graphCompletion({ seeder: listing(seeds) });
    for (const k of [1, 4, 5, 6, 12]) {
      const { candidates } = await engine.search({ text: 'any', principal: 'open', k }, { retriever });
      expect(candidates.map(({ id }) => id)).toEqual(interleaved.slice(0, k));
    }
  });

  it('explains each score', async () => {
    const { candidates } = await completed(ids, edges, seeds, { explain: true });
    for (const { score, explain } of candidates)
      expect(explain!.reduce((sum, { value }) => sum + value, 0)).toBe(score);
  });
});

describe('the seeder', () => {
  it('is required', () => {
    for (const options of [{}, { seeder: undefined }, { seeder: null }, { seeder: 'bm25' }]) {
      expect(() => graphCompletion(options as never)).toThrow(
        expect.objectContaining({ code: 'INVALID_INPUT' }),
      );
      expect(() => graphCompletion(options as never)).toThrow('seeder');
    }
  });

  it('may return nulls and repeats, which are left out and counted', async () => {
    const engine = await opened({ nodes: [{ id: 'a' }, { id: 'b' }], edges: [edge('a', 'b')] });
    const seeder: Retriever = {
      name: 'seeder',
      retrieve: async () => [null, { id: 'a', score: 1 }, { id: 'a', score: 1 }],
    };
    const { candidates, skipped } = await engine.search(
      { text: 'any', principal: 'open' },
      { retriever: graphCompletion({ seeder }) },
    );
    expect(candidates.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(skipped.map(({ code, count }) => [code, count])).toEqual([
      ['empty_hits', 1],
      ['duplicates', 1],
    ]);
  });

  it('passes on its error', async () => {
    const seeder: Retriever = {
      name: 'seeder',
      retrieve: async () => {
        throw new Error('no seeds today');
      },
    };
    const engine = await opened({ nodes: [{ id: 'a' }], edges: [] });
    const asking = engine.search(
      { text: 'any', principal: 'open' },
      { retriever: graphCompletion({ seeder }) },
    );
    await refusal(asking, 'RETRIEVE_FAILED', 'seeder', 'no seeds today');
  });
});

it('passes hidden nodes by: they are neither added nor counted', async () => {
  const access = { org: 'acme', source: 'wiki' };
  const hidden = range('h', 8);
  const engine = await opened({
    nodes: [
      ...['hub', 'seen'].map((id) => ({ id, ...access, acl: ['all'] })),
      ...hidden.map((id) => ({ id, ...access, acl: [] })),
    ],
    edges: [...hidden.map((to) => edge('hub', to, 'calls', 9)), edge('hub', 'seen')],
  });
  const { candidates } = await engine.search(
    { text: 'any', principal: { org: 'acme', grants: ['all'] }, sources: ['wiki'] },
    { retriever: graphCompletion({ seeder: listing(['hub']) }) },
  );
  expect(candidates.map(({ id }) => id)).toEqual(['hub', 'seen']);
});

describe('the direction', () => {
  const edges = [
    edge('before', 'hub', 'calls', 2),
    edge('hub', 'after', 'calls', 1),
    edge('twin', 'hub', 'reads', 1),
    edge('hub', 'twin', 'calls', 1),
    edge('hub', 'heavy', 'calls', 3),
  ];
  const found = async (options: Omit<GraphCompletionOptions, 'seeder'>) => {
    const engine = await opened({
      nodes: ['before', 'hub', 'after', 'twin', 'heavy'].map((id) => ({ id })),
      edges,
    });
    const retriever = graphCompletion({ seeder: listing(['hub']), ...options });
    const { candidates } = await engine.search({ text: 'any', principal: 'open' }, { retriever });
    return candidates.slice(1).map(({ id, via }) => [id, via!.edgeKind, via!.direction]);
  };

  it('may be against the edges', async () => {
    expect(await found({ direction: 'in' })).toEqual([
      ['before', 'calls', 'in'],
      ['twin', 'reads', 'in'],
    ]);
  });

  it('may be both: the heaviest first, then by id, then along the edge', async () => {
    expect(await found({ direction: 'both' })).toEqual([
      ['heavy', 'calls', 'out'],
      ['before', 'calls', 'in'],
      ['after', 'calls', 'out'],
      ['twin', 'calls', 'out'],
    ]);
    expect(await found({ direction: 'both', edgeKinds: ['reads'] })).toEqual([['twin', 'reads', 'in']]);
  });
});

describe('reads of the graph', () => {
  it.each([
    ['out', ['outEdges']],
    ['in', ['inEdges']],
    ['both', ['outEdges', 'inEdges']],
  ] as const)('are one a direction for all seeds together: %s', async (direction, reads) => {
    const seeds = range('s', 20);
    const engine = await opened({
      nodes: [...seeds, ...range('t', 20)].map((id) => ({ id })),
      edges: seeds.map((from, i) => edge(from, `t${i}`)),
    });
    const calls: string[] = [];
    const counting = (graph: Graph): Graph => {
      const counted = (name: keyof Graph) => (ids: readonly string[]) => {
        calls.push(name);
        return graph[name](ids) as never;
      };
      return { outEdges: counted('outEdges'), inEdges: counted('inEdges'), nodes: counted('nodes') };
    };
    const completion = graphCompletion({ seeder: listing(seeds), direction });
    const retriever: Retriever = {
      name: 'counting',
      retrieve: (request, options) =>
        completion.retrieve({ ...request, graph: counting(request.graph) }, options),
    };
    const { candidates } = await engine.search({ text: 'any', principal: 'open', k: 40 }, { retriever });
    expect(candidates).toHaveLength(direction === 'in' ? 20 : 40);
    expect(calls).toEqual(reads);
  });
});

describe('a cancelled completion', () => {
  const seeds = range('s', 3);
  const source = {
    nodes: [...seeds, ...range('t', 3)].map((id) => ({ id })),
    edges: seeds.map((from, i) => edge(from, `t${i}`)),
  };
  const reason = new Error('enough');

  /** Aborts when the edges are read: after the seeds, before any is expanded. */
  async function cancelledAtEdges(options: Partial<GraphCompletionOptions>) {
    const engine = await opened(source);
    const controller = new AbortController();
    const completion = graphCompletion({ seeder: listing(seeds), ...options });
    const retriever: Retriever = {
      ...completion,
      retrieve: ({ graph, ...request }, given) => {
        const outEdges = (ids: readonly string[]) => {
          controller.abort(reason);
          return graph.outEdges(ids);
        };
        return completion.retrieve({ ...request, graph: { ...graph, outEdges } }, given);
      },
    };
    return engine.search({ text: 'any', principal: 'open' }, { retriever, signal: controller.signal });
  }

  it("throws the signal's reason", async () => {
    await expect(cancelledAtEdges({})).rejects.toBe(reason);
  });

  it('gives what there is by then and says so, on request', async () => {
    const { candidates, skipped } = await cancelledAtEdges({ onCancel: 'partial' });
    expect(candidates.map(({ id }) => id)).toEqual(seeds);
    expect(skipped).toEqual([
      {
        channel: 'graph_completion',
        code: 'cancelled',
        message: 'the search was cancelled when 0 of 3 seeds had been expanded',
      },
    ]);
  });

  it('is checked after each seed', async () => {
    const engine = await opened(source);
    const controller = new AbortController();
    const completion = graphCompletion({ seeder: listing(seeds), onCancel: 'partial' });
    const retriever: Retriever = {
      ...completion,
      retrieve: ({ graph, ...request }, given) => {
        // The second seed's edges cancel while they are looked at.
        const outEdges = (ids: readonly string[]) => {
          const edges = new Map(graph.outEdges(ids));
          const get = (id: string) => {
            if (id === 's1') controller.abort(reason);
            return Map.prototype.get.call(edges, id);
          };
          return Object.assign(edges, { get });
        };
        return completion.retrieve({ ...request, graph: { ...graph, outEdges } }, given);
      },
    };
    const { candidates, skipped } = await engine.search(
      { text: 'any', principal: 'open' },
      { retriever, signal: controller.signal },
    );
    expect(candidates.map(({ id }) => id)).toEqual(['s0', 's1', 's2', 't0', 't1']);
    expect(skipped[0]!.message).toContain('2 of 3 seeds');
  });

  it('has no seeds to give when its seeder was cancelled', async () => {
    const engine = await opened(source);
    const controller = new AbortController();
    const seeder: Retriever = { name: 'slow', retrieve: () => new Promise(() => {}) };
    setTimeout(() => controller.abort(reason), 10);
    const asking = (retriever: Retriever) =>
      engine.search({ text: 'any', principal: 'open' }, { retriever, signal: controller.signal });
    const partial = graphCompletion({ seeder, onCancel: 'partial' });
    const { candidates, skipped } = await asking(partial);
    expect(candidates).toEqual([]);
    expect(skipped[0]).toMatchObject({ code: 'cancelled', message: expect.stringContaining('before') });
  });

  it('does not make a fusion around it partial', async () => {
    const engine = await opened(source);
    const controller = new AbortController();
    const seeder: Retriever = { name: 'slow', retrieve: () => new Promise(() => {}) };
    setTimeout(() => controller.abort(reason), 10);
    const retriever = hybrid([graphCompletion({ seeder, onCancel: 'partial' }), listing(seeds)]);
    const asking = engine.search(
      { text: 'any', principal: 'open' },
      { retriever, signal: controller.signal },
    );
    await expect(asking).rejects.toBe(reason);
  });
});

it.each([
  ['a direction that is none', { direction: 'up' }, 'direction'],
  ['kinds that are no list', { edgeKinds: 'calls' }, 'edgeKinds'],
  ['a fraction of an expansion', { maxSeedExpansion: 1.5 }, 'maxSeedExpansion'],
  ['an interleaving that is no truth value', { interleave: 3 }, 'interleave'],
  ['an unknown way to be cancelled', { onCancel: 'later' }, 'onCancel'],
  ['a misspelt option', { kinds: [] }, 'kinds'],
])('refuses %s', (_, options, named) => {
  const make = () => graphCompletion({ seeder: listing([]), ...options } as never);
  expect(make).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
  expect(make).toThrow(named);
});
