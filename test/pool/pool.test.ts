import { getEventListeners } from 'node:events';
import { beforeAll, describe, expect, it } from 'vitest';
import { bm25, dense, type Edge, Engine, type Node, pagerank, type Result } from '../../dist/index.js';
import type { WorkerPool } from '../../dist/pool/pool.js';
import { built, openedAt } from '../index/small-index.js';
import { randoms } from '../kernels/arena.js';

const random = randoms(11);
const SIZE = 3000;
const nodes: Node[] = Array.from({ length: SIZE }, (_, i) => ({
  id: `n${i}`,
  title: `word${i % 13}`,
  text: Array.from({ length: 20 }, () => `word${random(60) | 0}`).join(' '),
  embedding: Float32Array.from({ length: 24 }, () => random(2) - 1),
}));
const edges: Edge[] = Array.from({ length: 4 * SIZE }, () => ({
  from: `n${random(SIZE) | 0}`,
  to: `n${random(SIZE) | 0}`,
  weight: 1 + random(3),
}));

const QUERIES = Array.from({ length: 12 }, (_, i) => ({
  id: `q${i}`,
  text: `word${i} "word${i + 1} word${i + 2}" word${i + 3}`,
  embedding: Float32Array.from({ length: 24 }, (_, d) => Math.sin(i + d)),
  principal: 'open',
}));

/** A walk that goes to and fro between two nodes and hardly settles: a million steps, which take minutes. */
nodes.push({ id: 'ping' }, { id: 'pong' });
edges.push({ from: 'ping', to: 'pong' }, { from: 'pong', to: 'ping' });
const ENDLESS = {
  seeds: [{ id: 'ping' }],
  principal: 'open',
  tolerance: 0,
  maxIterations: 1_000_000,
  damping: 0.9999999,
};

let path: string;

beforeAll(async () => {
  path = (await built({ nodes, edges }, { embeddingModel: 'm' })).path;
});

/** The answers of every kind of retriever, as bytes. */
async function answers(engine: Engine): Promise<string> {
  const all: Result[] = [];
  for (const retriever of [bm25(), dense(), pagerank(), pagerank({ walk: 'sum' })]) {
    for await (const result of engine.rank(QUERIES, { retriever, k: 50, explain: true })) all.push(result);
  }
  const walk = await engine.walk({ seeds: [{ id: 'n1' }, { id: 'n7', weight: 3 }], principal: 'open' });
  return JSON.stringify([all, [...walk.forward], [...walk.reverse], walk.iterations, walk.residual]);
}

/** The threads behind an engine: private, but killing one from outside is what this is about. */
function threadsOf(engine: Engine) {
  const { pool } = (engine as unknown as { runtime: { pool: WorkerPool } }).runtime;
  const { piscina } = pool as unknown as {
    piscina: { threads: { threadId: number; terminate(): Promise<number> }[] };
  };
  return piscina.threads;
}

describe('the number of threads', () => {
  it('changes no byte of any answer', async () => {
    const expected = await answers(await openedAt(path, { threads: 0 }));
    for (const threads of [1, 2, 3]) expect(await answers(await openedAt(path, { threads }))).toBe(expected);
  });

  it('is 0 for everything in the calling thread', async () => {
    const engine = await openedAt(path, { threads: 0 });
    const { pool } = (engine as unknown as { runtime: { pool: { threads: number } } }).runtime;
    expect(pool.threads).toBe(0);
    expect('piscina' in pool).toBe(false);
  });

  it.each([-1, 1.5, Number.NaN, 257, '2'])('is refused when it is %s', async (threads) => {
    await expect(Engine.open(path, { threads: threads as number })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('threads'),
    });
  });
});

describe.each([0, 1, 2])('errors and cancelling with %i threads', (threads) => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await openedAt(path, { threads });
  });

  it('keep their code on the way back from a thread', async () => {
    const { pool } = (engine as unknown as { runtime: { pool: WorkerPool } }).runtime;
    const scope = { id: 1, bitmapAt: 0, visible: 0, full: false, mayUseOwnVectors: true };
    const bad = { settings: { direction: 'forward' }, walks: undefined };
    await expect(pool.run('walks', scope, bad as never, undefined)).rejects.toMatchObject({
      name: 'CorankError',
      code: 'WORKER_FAILED',
    });
  });

  it('reject with the reason of a signal that was given before', async () => {
    const reason = { why: 'no longer needed' };
    const signal = AbortSignal.abort(reason);
    for (const retriever of [bm25(), dense(), pagerank()]) {
      await expect(engine.search(QUERIES[0]!, { retriever, signal })).rejects.toBe(reason);
    }
    await expect(engine.walk(ENDLESS, { signal })).rejects.toBe(reason);
  });
});

describe('a running task', () => {
  it('stops when its signal says so, with its reason, and the thread goes on working', async () => {
    const engine = await openedAt(path, { threads: 1 });
    const before = await answers(engine);
    const [thread] = threadsOf(engine).map(({ threadId }) => threadId);
    const controller = new AbortController();
    const reason = new Error('enough');
    const walking = engine.walk(ENDLESS, { signal: controller.signal });
    setTimeout(() => controller.abort(reason), 50);
    const started = performance.now();
    await expect(walking).rejects.toBe(reason);
    expect(performance.now() - started).toBeLessThan(10_000);
    expect(await answers(engine)).toBe(before);
    expect(threadsOf(engine).map(({ threadId }) => threadId)).toEqual([thread]);
  });

  it('does not take others with it that ask at the same time', async () => {
    const engine = await openedAt(path, { threads: 2 });
    const expected = await engine.search(QUERIES[0]!);
    const controller = new AbortController();
    const walking = engine.walk({ ...ENDLESS, direction: 'forward' }, { signal: controller.signal });
    const others = QUERIES.map(() => engine.search(QUERIES[0]!));
    for (const other of others) expect(await other).toEqual(expected);
    controller.abort();
    await expect(walking).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('waits its turn, and is dropped when it is cancelled before', async () => {
    const engine = await openedAt(path, { threads: 1 });
    const first = new AbortController();
    const second = new AbortController();
    const running = engine.walk({ ...ENDLESS, direction: 'forward' }, { signal: first.signal });
    const queued = engine.walk({ ...ENDLESS, direction: 'reverse' }, { signal: second.signal });
    second.abort(new Error('second'));
    first.abort(new Error('first'));
    await expect(running).rejects.toThrow('first');
    await expect(queued).rejects.toThrow('second');
    expect((await engine.search(QUERIES[0]!)).candidates.length).toBeGreaterThan(0);
  });

  it('leaves no listener on the signal', async () => {
    const engine = await openedAt(path, { threads: 1 });
    const { signal } = new AbortController();
    for (const retriever of [bm25(), dense(), pagerank()])
      await engine.search(QUERIES[0]!, { retriever, signal });
    await engine.walk({ seeds: [{ id: 'n0' }], principal: 'open' }, { signal });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

describe('a thread that dies', () => {
  it('fails its own task with WORKER_FAILED, is replaced, and later answers are the same bytes', async () => {
    const engine = await openedAt(path, { threads: 1 });
    const before = await answers(engine);
    for (let death = 0; death < 3; death++) {
      const [thread] = threadsOf(engine);
      const walking = engine.walk({ ...ENDLESS, direction: 'forward' });
      setTimeout(() => thread!.terminate(), 50);
      await expect(walking).rejects.toMatchObject({ name: 'CorankError', code: 'WORKER_FAILED' });
      expect(await answers(engine)).toBe(before);
      expect(threadsOf(engine)).toHaveLength(1);
      expect(threadsOf(engine)[0]!.threadId).not.toBe(thread!.threadId);
    }
  });

  it('while it has nothing to do is replaced too', async () => {
    const engine = await openedAt(path, { threads: 2 });
    const before = await answers(engine);
    for (let death = 0; death < 3; death++) {
      await Promise.all(threadsOf(engine).map((thread) => thread.terminate()));
      expect(await answers(engine)).toBe(before);
    }
    expect(threadsOf(engine)).toHaveLength(2);
  });

  it('fails no task of another thread', async () => {
    const engine = await openedAt(path, { threads: 2 });
    const expected = await answers(engine);
    const [first] = threadsOf(engine);
    const walking = engine.walk({ ...ENDLESS, direction: 'forward' });
    const failed = walking.then(
      () => 'finished',
      ({ code }) => code,
    );
    await new Promise((resolve) => setTimeout(resolve, 100));
    const others = answers(engine);
    // Whichever thread has the endless walk: the other one is dealing with the questions.
    await first!.terminate();
    const [walk, rest] = await Promise.all([
      Promise.race([failed, new Promise((resolve) => setTimeout(() => resolve('still walking'), 2000))]),
      others.catch(({ code }) => code),
    ]);
    if (walk === 'still walking') {
      for (const thread of threadsOf(engine)) await thread.terminate();
      expect(await failed).toBe('WORKER_FAILED');
    } else {
      expect(walk).toBe('WORKER_FAILED');
      expect(rest).toBe(expected);
    }
    expect(await answers(engine)).toBe(expected);
  });
});

describe('closing', () => {
  it('waits for the running questions, of one task or of several', async () => {
    const engine = await openedAt(path, { threads: 1 });
    for (const retriever of [bm25(), dense(), pagerank()]) await engine.search(QUERIES[0]!, { retriever });
    const asked = [bm25(), dense(), pagerank(), pagerank()].map((retriever) =>
      engine.search(QUERIES[0]!, { retriever, explain: true }),
    );
    const settled = Promise.allSettled(asked);
    await new Promise((resolve) => setImmediate(resolve));
    await engine.close();
    const outcomes = (await settled).map((outcome) =>
      outcome.status === 'fulfilled' ? 'answered' : `${outcome.reason.code}: ${outcome.reason.message}`,
    );
    expect(outcomes).toEqual(['answered', 'answered', 'answered', 'answered']);
  });

  it('refuses later questions, and may be asked for twice', async () => {
    const engine = await openedAt(path, { threads: 1 });
    await Promise.all([engine.close(), engine.close()]);
    await engine.close();
    await expect(engine.search(QUERIES[0]!)).rejects.toMatchObject({ code: 'CLOSED' });
    await expect(engine.walk(ENDLESS)).rejects.toMatchObject({ code: 'CLOSED' });
    expect(() => engine.rank(QUERIES)).toThrow(expect.objectContaining({ code: 'CLOSED' }));
  });

  it('ends all threads', async () => {
    const engine = await openedAt(path, { threads: 2 });
    await engine.search(QUERIES[0]!);
    await engine.close();
    expect(threadsOf(engine)).toEqual([]);
  });
});

it('takes more questions at once than there are places for scopes', async () => {
  const access = { org: 'acme', source: 'wiki' };
  const many = Array.from({ length: 150 }, (_, i) => ({
    id: `m${i}`,
    text: 'word',
    ...access,
    acl: [`t${i}`],
  }));
  const engine = await openedAt((await built({ nodes: many })).path, { threads: 2 });
  const found = await Promise.all(
    many.map(({ acl }) =>
      engine.search({ text: 'word', principal: { org: 'acme', grants: acl }, sources: ['wiki'] }),
    ),
  );
  expect(found.map(({ candidates }) => candidates.map(({ id }) => id))).toEqual(many.map(({ id }) => [id]));
});
