import { describe, expect, it, vi } from 'vitest';
import { bm25, CorankError, hybrid, type Retriever } from '../../dist/index.js';
import { opened, refusal } from '../index/small-index.js';

const access = { org: 'acme', source: 'wiki' };
const engine = opened({
  nodes: [
    ...['a', 'b', 'c', 'd', 'e'].map((id) => ({ id, text: 'word', ...access, acl: ['everyone'] })),
    { id: 'hidden', text: 'word', ...access, acl: ['boss'] },
  ],
  edges: [
    { from: 'a', to: 'b', kind: 'cites', weight: 1 },
    { from: 'a', to: 'c', kind: 'calls', weight: 3 },
    { from: 'a', to: 'd', weight: 1 },
    { from: 'a', to: 'hidden', weight: 9 },
    { from: 'hidden', to: 'b' },
    { from: 'a', to: 'a', weight: 5 },
  ],
});
const caller = { principal: { org: 'acme', grants: ['everyone'] }, sources: ['wiki'] };

const returning = (answer: unknown, name = 'mine'): Retriever => ({
  name,
  retrieve: async () => answer as never,
});

const search = async (retriever: Retriever, options: object = {}) =>
  (await engine).search({ text: 'word', ...caller }, { retriever, ...options });

const hit = (id: string, score = 1) => ({ id, score });

describe("another's retriever", () => {
  it('is asked with the text, the depth as limit, the scope, and a signal', async () => {
    const retrieve = vi.fn(async () => []);
    const { signal } = new AbortController();
    await search({ name: 'mine', retrieve }, { depth: 17, signal });
    expect(retrieve).toHaveBeenCalledTimes(1);
    const [request, options] = retrieve.mock.calls[0] as unknown as Parameters<Retriever['retrieve']>;
    expect(request).toMatchObject({ text: 'word', limit: 17, explain: false, scope: { visible: 5 } });
    expect(options.signal).toBe(signal);
  });

  it('has its hits shown under its name, with ranks from 1', async () => {
    const { candidates, retriever } = await search(returning([hit('c', 3), hit('a', 2)]));
    expect(retriever).toBe('mine');
    expect(candidates).toMatchObject([
      { id: 'c', score: 3, retriever: 'mine', ranks: { mine: 1 }, text: 'word' },
      { id: 'a', score: 2, retriever: 'mine', ranks: { mine: 2 }, text: 'word' },
    ]);
  });

  it('may say why it left something out', async () => {
    const skipped = [{ channel: 'mine', code: 'moody', message: 'not today' }];
    expect((await search(returning({ hits: [], skipped }))).skipped).toEqual(skipped);
  });

  it.each([
    ['null and undefined', [null, hit('a'), undefined], 'empty_hits', 2],
    ['a hit without an id', [{ score: 1 }, hit('a')], 'empty_hits', 1],
    ['an id that is no string', [{ id: 7, score: 1 }, hit('a')], 'empty_hits', 1],
    ['a score of NaN', [hit('b', Number.NaN), hit('a')], 'bad_scores', 1],
    ['an infinite score', [hit('b', Number.POSITIVE_INFINITY), hit('a')], 'bad_scores', 1],
    ['a score that is no number', [{ id: 'b', score: '1' }, hit('a')], 'bad_scores', 1],
    ['no score', [{ id: 'b' }, hit('a')], 'bad_scores', 1],
    ['repeats', [hit('a'), hit('a', 0.5), hit('a')], 'duplicates', 2],
    ['an unknown id', [hit('nope'), hit('a')], 'not_visible', 1],
    ['a hidden id', [hit('hidden'), hit('a')], 'not_visible', 1],
  ])('has %s left out and counted', async (_, hits, code, count) => {
    const { candidates, skipped } = await search(returning(hits));
    expect(candidates.map(({ id, ranks }) => [id, ranks])).toEqual([['a', { mine: 1 }]]);
    expect(skipped).toMatchObject([
      { channel: 'mine', code, count, message: expect.stringContaining('mine') },
    ]);
  });

  it.each([
    ['ranks below 1', { ranks: { mine: 0, other: 3 } }, { ranks: { other: 3 } }],
    ['ranks that are fractions', { ranks: { mine: 1.5 } }, { ranks: {} }],
    ['ranks that are no record', { ranks: 'first' }, { ranks: { mine: 1 } }],
    ['scores that are not finite', { scores: { mine: Number.NaN, other: 2 } }, { scores: { other: 2 } }],
    ['an unknown via', { via: { from: 'nope', edgeKind: 'x', direction: 'out' } }, {}],
    ['a hidden via', { via: { from: 'hidden', edgeKind: 'x', direction: 'out' } }, {}],
    ['a via without direction', { via: { from: 'b', edgeKind: 'x' } }, {}],
    [
      'a reason of NaN',
      { explain: [{ from: 'x', value: Number.NaN }] },
      { explain: [{ from: 'mine', value: 1 }] },
    ],
    ['reasons that are no list', { explain: 'because' }, { explain: [{ from: 'mine', value: 1 }] }],
  ])('has %s left out of a hit, which stays, and counted', async (_, details, left) => {
    const { candidates, skipped } = await search(returning([{ ...hit('a'), ...details }]), { explain: true });
    expect(candidates).toMatchObject([{ id: 'a', ...left }]);
    expect(candidates[0]!.via).toBeUndefined();
    expect(skipped).toMatchObject([{ channel: 'mine', code: 'bad_details', count: 1 }]);
  });

  it('keeps details that can be', async () => {
    const via = { from: 'b', edgeKind: 'x', direction: 'in' };
    const explain = [{ from: 'x', value: 1 }];
    const whole = { ...hit('a'), ranks: { mine: 4 }, scores: { mine: 0.5 }, via, explain };
    const { candidates, skipped } = await search(returning([whole]), { explain: true });
    expect(candidates).toMatchObject([whole]);
    expect(skipped).toEqual([]);
  });

  it('cannot tell a hidden id from an unknown one', async () => {
    expect(await search(returning([hit('hidden')]))).toEqual(await search(returning([hit('nope')])));
  });

  it('has what goes beyond the limit left out and counted', async () => {
    const hits = ['e', 'd', 'c', 'b', 'a'].map((id, i) => hit(id, 9 - i));
    const { candidates, skipped } = await (await engine).search(
      { text: 'word', ...caller, k: 2 },
      { retriever: returning(hits), depth: 3 },
    );
    expect(candidates.map(({ id }) => id)).toEqual(['e', 'd']);
    expect(skipped).toMatchObject([{ code: 'over_limit', count: 2 }]);
  });

  it('has each kind of fault counted by itself', async () => {
    const { skipped } = await search(
      returning([null, hit('nope'), hit('a'), hit('a'), hit('b', Number.NaN)]),
    );
    expect(Object.fromEntries(skipped.map(({ code, count }) => [code, count]))).toEqual({
      empty_hits: 1,
      not_visible: 1,
      duplicates: 1,
      bad_scores: 1,
    });
  });

  it.each([undefined, null, 7, 'text', {}, { hits: null }])('that returns %j failed', async (answer) => {
    await refusal(search(returning(answer)), 'RETRIEVE_FAILED', 'mine');
  });

  it('that throws failed, with its name and its error as cause', async () => {
    const cause = new TypeError('no such table');
    const failing = async () => {
      throw cause;
    };
    const error = await refusal(
      search({ name: 'mine', retrieve: failing }),
      'RETRIEVE_FAILED',
      'mine',
      'no such table',
    );
    expect(error.cause).toBe(cause);
  });

  it('that throws at once, before any promise, failed alike', async () => {
    const failing = () => {
      throw 'a string';
    };
    const error = await refusal(
      search({ name: 'mine', retrieve: failing }),
      'RETRIEVE_FAILED',
      'mine',
      'a string',
    );
    expect(error.cause).toBe('a string');
  });

  it('keeps the code of an error of corank', async () => {
    const overloaded = new CorankError('OVERLOADED', 'come back later');
    const failing = async () => {
      throw overloaded;
    };
    expect(await refusal(search({ name: 'mine', retrieve: failing }), 'OVERLOADED')).toBe(overloaded);
  });

  it('that never answers does not keep a cancelled search', async () => {
    const controller = new AbortController();
    const asking = search(
      { name: 'mine', retrieve: () => new Promise(() => {}) },
      { signal: controller.signal },
    );
    const reason = new Error('enough');
    setTimeout(() => controller.abort(reason), 10);
    const patience = new Promise((resolve) => setTimeout(() => resolve('still waiting'), 2000));
    await expect(Promise.race([asking, patience])).rejects.toBe(reason);
  });

  it('that answers a cancelled search all the same is not listened to', async () => {
    const controller = new AbortController();
    const reason = new Error('enough');
    const retrieve = async () => {
      controller.abort(reason);
      return [hit('a')];
    };
    await expect(search({ name: 'mine', retrieve }, { signal: controller.signal })).rejects.toBe(reason);
  });

  it('may stand inside a fusion, and may ask ours with its own request', async () => {
    const wrapping: Retriever = {
      name: 'wrapping',
      retrieve: async (request, options) => {
        const found = await bm25().retrieve({ ...request, limit: 2 }, options);
        return Array.isArray(found) ? found : (found as { hits: [] }).hits;
      },
    };
    const { candidates } = await search(hybrid([wrapping, returning([hit('e')])]));
    expect(candidates.map(({ id, score }) => [id, score])).toEqual([
      ['a', 1 / 61],
      ['e', 1 / 61],
      ['b', 1 / 62],
    ]);
  });

  it('has its list put in the one order of results: score down, then id', async () => {
    const { candidates } = await search(returning([hit('c', 1), hit('a', 1), hit('e', 7)]));
    expect(candidates.map(({ id }) => id)).toEqual(['e', 'a', 'c']);
  });

  it('without a name is refused', async () => {
    await refusal(search(returning([hit('a')], '')), 'INVALID_INPUT', 'name');
  });
});

describe('the graph that a retriever is given', () => {
  async function graphOf<T>(use: (graph: Parameters<Retriever['retrieve']>[0]['graph']) => T): Promise<T> {
    let result: T | undefined;
    await search({
      name: 'mine',
      retrieve: async ({ graph }) => {
        result = use(graph);
        return [];
      },
    });
    return result!;
  }

  it('lists edges heaviest first, then by id, without hidden ends and self loops', async () => {
    const edges = await graphOf((graph) => graph.outEdges(['a', 'b', 'hidden', 'nope']));
    expect([...edges.keys()]).toEqual(['a', 'b']);
    expect(edges.get('a')).toEqual([
      { id: 'c', kind: 'calls', weight: 3 },
      { id: 'b', kind: 'cites', weight: 1 },
      { id: 'd', kind: 'link', weight: 1 },
    ]);
    expect(edges.get('b')).toEqual([]);
  });

  it('reads against the edges too', async () => {
    const edges = await graphOf((graph) => graph.inEdges(['b', 'a']));
    expect(edges.get('b')).toEqual([{ id: 'a', kind: 'cites', weight: 1 }]);
    expect(edges.get('a')).toEqual([]);
  });

  it('shows the nodes of the scope only', async () => {
    const nodes = await graphOf((graph) => graph.nodes(['a', 'hidden', 'nope']));
    expect([...nodes.keys()]).toEqual(['a']);
    expect(nodes.get('a')).toMatchObject({ text: 'word', source: 'wiki', tokenEstimate: 1 });
  });

  it('shows nothing of another caller to a retriever that keeps it', async () => {
    let kept: Parameters<Retriever['retrieve']>[0]['graph'] | undefined;
    const nobody = { principal: { org: 'acme', grants: ['nobody'] }, sources: ['wiki'] };
    const keeping: Retriever = {
      name: 'mine',
      retrieve: async ({ graph }) => {
        kept = graph;
        return [];
      },
    };
    const own = await opened({
      nodes: [{ id: 'secret', text: 'word', ...access, acl: ['boss'] }],
      edges: [],
    });
    await own.search({ text: 'word', ...nobody }, { retriever: keeping });
    const read = () => {
      try {
        return [...kept!.nodes(['secret']).keys()];
      } catch {
        return [];
      }
    };
    expect(read()).toEqual([]);
    // As many other callers as there are places for scopes, all of whom may see it.
    for (let i = 0; i < 64; i++) {
      const boss = { principal: { org: 'acme', grants: ['boss', `b${i}`] }, sources: ['wiki'] };
      await own.search({ text: 'word', ...boss });
    }
    expect(read()).toEqual([]);
  });
});
