import { execFile } from 'node:child_process';
import { getEventListeners } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import * as corank from '../dist/index.js';
import { buildIndex, Engine, type Query, type Retriever } from '../dist/index.js';
import { built, openedAt, temporaryFolder } from './index/small-index.js';

const library = new URL('../dist/index.js', import.meta.url).href;
const nodes = Array.from({ length: 20 }, (_, i) => ({ id: `n${i}`, text: `word number ${i}` }));

/** Runs a module in a process of its own, in an empty folder that the test may fill before. */
async function run(code: string, files: Record<string, string> = {}) {
  const cwd = temporaryFolder();
  for (const [name, text] of Object.entries({ 'main.mjs': code, ...files }))
    writeFileSync(join(cwd, name), text);
  return promisify(execFile)(process.execPath, ['main.mjs'], { cwd, timeout: 60_000 });
}

describe('importing the library', () => {
  it('prints nothing', async () => {
    expect(await run(`await import(${JSON.stringify(library)});`)).toMatchObject({ stdout: '', stderr: '' });
  });

  it('changes no variable of the environment and reads no .env', async () => {
    const { stdout } = await run(
      `const before = { ...process.env };
       await import(${JSON.stringify(library)});
       const after = { ...process.env };
       const changed = [...new Set([...Object.keys(before), ...Object.keys(after)])]
         .filter((name) => before[name] !== after[name]);
       console.log(JSON.stringify(changed));`,
      { '.env': 'CORANK_TEST_MARK=1\nNODE_ENV=production\n' },
    );
    expect(JSON.parse(stdout)).toEqual([]);
  });

  it('sets no handler of the process', async () => {
    const { stdout } = await run(
      `const handlers = () => process.eventNames().map((name) => [String(name), process.listenerCount(name)]).sort();
       const before = handlers();
       await import(${JSON.stringify(library)});
       console.log(JSON.stringify([before, handlers()]));`,
    );
    const [before, after] = JSON.parse(stdout);
    expect(after).toEqual(before);
  });

  it('keeps no process alive, nor does a closed engine', async () => {
    const { path } = await built({ nodes });
    const { stdout, stderr } = await run(
      `const { Engine } = await import(${JSON.stringify(library)});
       const engine = await Engine.open(${JSON.stringify(path)}, { threads: 2 });
       const { candidates } = await engine.search({ text: 'word', principal: 'open' });
       await engine.close();
       console.log(candidates.length);`,
    );
    expect([stdout, stderr]).toEqual(['8\n', '']);
  });
});

it('exports what INTERFACE promises, and every error code', () => {
  const { buildIndex, Engine, bm25, dense, hybrid, fused, pagerank, graphCompletion, defaultRetriever } =
    corank;
  const { httpEmbedder, useLite } = corank;
  for (const value of [
    buildIndex,
    Engine,
    bm25,
    dense,
    hybrid,
    fused,
    pagerank,
    graphCompletion,
    defaultRetriever,
    httpEmbedder,
    useLite,
  ])
    expect(value).toBeTypeOf('function');
  expect(corank.ERROR_CODES).toEqual([
    'NO_PRINCIPAL',
    'NO_SOURCES',
    'ACCESS_MODE',
    'INVALID_INPUT',
    'UNKNOWN_FIELD',
    'DIMENSION_MISMATCH',
    'MODEL_MISMATCH',
    'EMBEDDINGS_UNAVAILABLE',
    'NOT_CONFIGURED',
    'NO_SEEDS',
    'CORRUPT_INDEX',
    'UNSUPPORTED_VERSION',
    'INDEX_TOO_LARGE',
    'RETRIEVE_FAILED',
    'WORKER_FAILED',
    'OVERLOADED',
    'CLOSED',
  ]);
  const error = new corank.CorankError('NO_SEEDS', 'why', { place: { file: 'a.csv', line: 3 } });
  expect(error).toBeInstanceOf(Error);
  expect(error).toMatchObject({ name: 'CorankError', code: 'NO_SEEDS', message: 'a.csv:3: why' });
});

it('names its usual retrievers as results and explanations do', () => {
  const { bm25, dense, hybrid, fused, pagerank, graphCompletion, defaultRetriever } = corank;
  const names = [bm25(), dense(), hybrid([bm25()]), fused(), pagerank(), graphCompletion({ seeder: bm25() })];
  expect([...names, defaultRetriever()].map(({ name }) => name)).toEqual([
    'bm25',
    'dense',
    'hybrid',
    'fused',
    'pagerank',
    'graph_completion',
    'default',
  ]);
});

it('disposes of an engine at the end of its block', async () => {
  const { path } = await built({ nodes });
  let kept: Engine;
  {
    const engine = await Engine.open(path, { threads: 1 });
    kept = engine;
    expect((await engine.search({ text: 'word', principal: 'open' })).candidates).toHaveLength(8);
    await engine[Symbol.asyncDispose]();
  }
  await expect(kept.search({ text: 'word', principal: 'open' })).rejects.toMatchObject({ code: 'CLOSED' });
});

/** Queries that count how many were read, and know whether they were let go. */
function counted(length: number) {
  const state = { pulled: 0, closed: false };
  function* queries(): Generator<Query> {
    try {
      for (let i = 0; i < length; i++) {
        state.pulled++;
        yield { id: `q${i}`, text: `word ${i % 20}`, principal: 'open' };
      }
    } finally {
      state.closed = true;
    }
  }
  return { state, queries: queries() };
}

describe.each([0, 2])('a batch with %i threads', (threads) => {
  const engine = built({ nodes }).then(({ path }) => openedAt(path, { threads }));
  /** Places for queries that are being answered. */
  const window = 16 * Math.max(1, threads);

  it('reads nothing before it is asked for', async () => {
    const { state, queries } = counted(1000);
    (await engine).rank(queries);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(state.pulled).toBe(0);
  });

  it('reads no more than its places allow, however slowly results are taken', async () => {
    const { state, queries } = counted(1000);
    let taken = 0;
    for await (const { id } of (await engine).rank(queries)) {
      expect(id).toBe(`q${taken++}`);
      await new Promise((resolve) => setTimeout(resolve, 2));
      expect(state.pulled).toBeLessThanOrEqual(taken + window);
      if (taken === 30) break;
    }
    expect(state.closed).toBe(true);
    expect(state.pulled).toBeLessThanOrEqual(30 + window);
  });

  it('reads asynchronous queries, and answers each as if it were asked alone', async () => {
    async function* queries(): AsyncGenerator<Query> {
      for (const query of counted(40).queries) {
        await new Promise((resolve) => setImmediate(resolve));
        yield query;
      }
    }
    for await (const result of (await engine).rank(queries(), { k: 8 })) {
      const text = `word ${Number(result.id!.slice(1)) % 20}`;
      expect(result).toEqual(await (await engine).search({ id: result.id!, text, principal: 'open' }));
    }
  });

  it('marks a query that fails and goes on', async () => {
    const queries = [
      { id: 'good', text: 'word', principal: 'open' },
      { id: 'nobody', text: 'word' },
      { id: 'text', text: 7 as never, principal: 'open' },
      { id: 'k', text: 'word', principal: 'open', k: -1 },
      { id: 'last', text: 'word', principal: 'open' },
    ];
    const results = [];
    for await (const result of (await engine).rank(queries)) results.push(result);
    expect(results.map(({ id, error }) => [id, error?.code])).toEqual([
      ['good', undefined],
      ['nobody', 'NO_PRINCIPAL'],
      ['text', 'INVALID_INPUT'],
      ['k', 'INVALID_INPUT'],
      ['last', undefined],
    ]);
    for (const { error, candidates } of results) expect(candidates.length > 0).toBe(error === undefined);
  });

  it('marks what is no query at all and goes on', async () => {
    const queries = [null, undefined, 7, 'word', { id: 'last', text: 'word', principal: 'open' }];
    const codes = [];
    for await (const { error } of (await engine).rank(queries as never)) codes.push(error?.code);
    expect(codes).toHaveLength(5);
    expect(codes.slice(0, 4).every((code) => code !== undefined)).toBe(true);
    expect(codes[4]).toBeUndefined();
  });

  it('takes 100 candidates a query unless it is told otherwise, the query before the batch', async () => {
    const many = await built({
      nodes: Array.from({ length: 150 }, (_, i) => ({ id: `m${i}`, text: 'word' })),
    });
    const large = await openedAt(many.path, { threads });
    const lengths = async (k?: number) => {
      const found = [];
      const queries = [
        { text: 'word', principal: 'open' },
        { text: 'word', principal: 'open', k: 3 },
      ];
      for await (const { candidates } of large.rank(queries, k === undefined ? {} : { k }))
        found.push(candidates.length);
      return found;
    };
    expect(await lengths()).toEqual([100, 3]);
    expect(await lengths(120)).toEqual([120, 3]);
  });

  it('ends with the error of the stream that it reads', async () => {
    const broken = new Error('the file is gone');
    function* queries(): Generator<Query> {
      yield { id: 'q0', text: 'word', principal: 'open' };
      throw broken;
    }
    const all = async () => {
      for await (const _ of (await engine).rank(queries())) void _;
    };
    await expect(all()).rejects.toBe(broken);
  });

  describe('that is cancelled', () => {
    const reason = new Error('enough');

    it('rejects with the reason and lets go of its queries', async () => {
      const { state, queries } = counted(1000);
      const controller = new AbortController();
      let taken = 0;
      const all = async () => {
        for await (const _ of (await engine).rank(queries, { signal: controller.signal })) {
          if (++taken === 5) controller.abort(reason);
        }
      };
      await expect(all()).rejects.toBe(reason);
      expect(state.closed).toBe(true);
      expect(state.pulled).toBeLessThanOrEqual(5 + window + 1);
    });

    it('before it began rejects with the reason', async () => {
      const all = async () => {
        for await (const _ of (await engine).rank(counted(3).queries, { signal: AbortSignal.abort(reason) }))
          void _;
      };
      await expect(all()).rejects.toBe(reason);
    });

    it('after all its queries were read rejects too, instead of ending as if whole', async () => {
      const controller = new AbortController();
      const ids: string[] = [];
      const all = async () => {
        for await (const { id } of (await engine).rank(counted(3).queries, { signal: controller.signal })) {
          ids.push(id!);
          await new Promise((resolve) => setTimeout(resolve, 50));
          controller.abort(reason);
        }
      };
      await expect(all()).rejects.toBe(reason);
      expect(ids).toEqual(['q0']);
    });

    it('while its queries keep it waiting rejects without waiting for them', async () => {
      const controller = new AbortController();
      async function* queries(): AsyncGenerator<Query> {
        yield { id: 'q0', text: 'word', principal: 'open' };
        await new Promise(() => {});
      }
      const all = async () => {
        for await (const _ of (await engine).rank(queries(), { signal: controller.signal })) void _;
      };
      setTimeout(() => controller.abort(reason), 20);
      const patience = new Promise((resolve) => setTimeout(() => resolve('still waiting'), 2000));
      await expect(Promise.race([all(), patience])).rejects.toBe(reason);
    });
  });

  it('adds no listener to a signal that stays', async () => {
    const { signal } = new AbortController();
    for await (const _ of (await engine).rank(counted(50).queries, { signal })) void _;
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

describe('a signal', () => {
  const reason = { why: 'enough' };

  it('stops the building of an index, with its reason, and nothing is left', async () => {
    const controller = new AbortController();
    async function* slow() {
      for (let i = 0; ; i++) {
        if (i === 100) controller.abort(reason);
        yield { id: `n${i}` };
      }
    }
    const out = join(temporaryFolder(), 'index');
    await expect(buildIndex({ nodes: slow() }, { out, signal: controller.signal })).rejects.toBe(reason);
    await expect(buildIndex({ nodes }, { out, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    await expect(Engine.open(out)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    // The same folder can be used afterwards.
    await buildIndex({ nodes }, { out });
  });

  it('stops a search, with its reason', async () => {
    const { path } = await built({ nodes });
    const engine = await openedAt(path);
    const controller = new AbortController();
    const retriever: Retriever = {
      name: 'waiting',
      retrieve: (_, { signal }) =>
        new Promise((_resolve, reject) => signal!.addEventListener('abort', () => reject(signal!.reason))),
    };
    const asking = engine.search(
      { text: 'word', principal: 'open' },
      { retriever, signal: controller.signal },
    );
    setTimeout(() => controller.abort(reason), 5);
    await expect(asking).rejects.toBe(reason);
    const aborted = { signal: AbortSignal.abort(reason) };
    await expect(engine.search({ text: 'word', principal: 'open' }, aborted)).rejects.toBe(reason);
  });
});
