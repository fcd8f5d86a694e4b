import { beforeAll, describe, expect, it } from 'vitest';
import {
  bm25,
  CorankError,
  coverDensity,
  dense,
  type Engine,
  hybrid,
  type Query,
  type Retriever,
  rrf,
} from '../../dist/index.js';
import { openIndex } from './collection.js';

/** A channel that always returns these ids in this order. */
const listing = (name: string, ids: readonly string[]): Retriever => ({
  name,
  retrieve: async () => ids.map((id, i) => ({ id, score: 1 - i / 100 })),
});

const codeOf = async (asking: Promise<unknown>): Promise<string> =>
  asking.then(
    () => 'no error',
    (error: CorankError) => error.code,
  );

let engine: Engine;
const caller = { principal: { org: 'acme', grants: ['role:ops'] }, sources: ['handbook'] };
const access = { org: 'acme', source: 'handbook', acl: ['role:ops'] };

beforeAll(async () => {
  const letters = ['A', 'B', 'C', 'D'].map((id) => ({
    id,
    text: `letter ${id}`,
    tokenEstimate: 7,
    ...access,
  }));
  const many = Array.from({ length: 60 }, (_, i) => ({
    id: `m${i}`,
    text: 'many '.repeat(i + 1),
    ...access,
  }));
  engine = await openIndex({ nodes: [...letters, ...many] });
});

describe('the fusion example', () => {
  const example = hybrid([listing('dense', ['A', 'B', 'C']), listing('sparse', ['C', 'A', 'D'])], {
    fusion: rrf(),
  });

  it('gives the published scores in the published order', async () => {
    const { candidates } = await engine.search({ text: 'any', ...caller }, { retriever: example });
    expect(candidates.map(({ id, score }) => [id, score.toFixed(9)])).toEqual([
      ['A', '0.032522475'],
      ['C', '0.032266458'],
      ['B', '0.016129032'],
      ['D', '0.015873016'],
    ]);
    expect(candidates.map(({ score }) => score)).toEqual([
      1 / (60 + 1) + 1 / (60 + 2),
      1 / (60 + 3) + 1 / (60 + 1),
      1 / (60 + 2),
      1 / (60 + 3),
    ]);
  });

  it('keeps both ranks, counted from 1, and leaves out that of a channel that did not return the node', async () => {
    const { candidates } = await engine.search({ text: 'any', ...caller }, { retriever: example });
    expect(candidates.map(({ id, ranks }) => [id, ranks])).toEqual([
      ['A', { dense: 1, sparse: 2 }],
      ['C', { dense: 3, sparse: 1 }],
      ['B', { dense: 2 }],
      ['D', { sparse: 3 }],
    ]);
  });

  it('has 2/61 as its best score, and 1/61 for the first of one channel alone', async () => {
    const agreeing = hybrid([listing('dense', ['A']), listing('sparse', ['A'])], { fusion: rrf() });
    const alone = hybrid([listing('dense', ['A']), listing('sparse', [])], { fusion: rrf() });
    const best = await engine.search({ text: 'any', ...caller }, { retriever: agreeing });
    const single = await engine.search({ text: 'any', ...caller }, { retriever: alone });
    expect(best.candidates[0]!.score).toBe(1 / 61 + 1 / 61);
    expect(single.candidates[0]!.score).toBe(1 / 61);
  });

  it('breaks a tie by id, not by channel', async () => {
    const tied = hybrid([listing('dense', ['D', 'B']), listing('sparse', ['A', 'C'])], { fusion: rrf() });
    const { candidates } = await engine.search({ text: 'any', ...caller }, { retriever: tied });
    expect(candidates.map(({ id }) => id)).toEqual(['A', 'D', 'B', 'C']);
  });

  it('adds up the tokens of the chunks that it returns', async () => {
    const all = await engine.search({ text: 'any', ...caller }, { retriever: example });
    const three = await engine.search({ text: 'any', k: 3, ...caller }, { retriever: example });
    expect([all.totalTokens, three.totalTokens]).toEqual([4 * 7, 3 * 7]);
  });
});

describe('the order of checks', () => {
  const ask = (query: Partial<Query>) => codeOf(engine.search({ text: 'letter', ...caller, ...query }));

  it('refuses empty grants before empty sources and a blank text', async () => {
    expect(await ask({ principal: { org: 'acme', grants: [] }, sources: [], text: ' ' })).toBe(
      'NO_PRINCIPAL',
    );
    expect(await ask({ principal: undefined, sources: [], text: ' ' })).toBe('NO_PRINCIPAL');
  });

  it('refuses empty sources before a blank text', async () => {
    expect(await ask({ sources: [], text: ' ' })).toBe('NO_SOURCES');
    expect(await ask({ sources: undefined, text: '' })).toBe('NO_SOURCES');
  });

  it('answers a blank text with an empty list, without an error or a reason', async () => {
    for (const text of ['', ' ', '\t\n\u3000']) {
      const result = await engine.search({ text, ...caller });
      expect(result).toMatchObject({ candidates: [], skipped: [], totalTokens: 0 });
    }
  });

  it('answers an unknown source like a hidden one: with nothing', async () => {
    const unknown = await engine.search({ text: 'letter', ...caller, sources: ['nowhere'] });
    const stranger = { principal: { org: 'umbrella', grants: ['role:ops'] }, sources: ['handbook'] };
    const hidden = await engine.search({ text: 'letter', ...stranger });
    expect(unknown).toEqual(hidden);
    expect(unknown.candidates).toEqual([]);
  });
});

describe('k', () => {
  const found = async (k?: number) =>
    engine.search({ text: 'many', ...caller, ...(k === undefined ? {} : { k }) }, { retriever: bm25() });

  it.each([undefined, 0, -3])('is 8 when it is %s', async (k) => {
    const { candidates, skipped } = await found(k);
    expect(candidates).toHaveLength(8);
    expect(skipped).toEqual([]);
  });

  it('is clamped to 50 above that, and the result says so', async () => {
    const clamped = await found(51);
    const most = await found(50);
    expect(clamped.candidates).toHaveLength(50);
    expect(clamped.candidates).toEqual(most.candidates);
    expect(clamped.skipped.map(({ code }) => code)).toEqual(['k_clamped']);
    expect(most.skipped).toEqual([]);
  });

  it.each([Number.NaN, 2.5, Number.POSITIVE_INFINITY])('is refused when it is %s', async (k) => {
    expect(await codeOf(found(k))).toBe('INVALID_INPUT');
  });

  it('only cuts: a shorter list is a prefix of a longer one', async () => {
    const longest = (await found(50)).candidates;
    for (const k of [1, 7, 8, 49]) expect((await found(k)).candidates).toEqual(longest.slice(0, k));
  });
});

it('names the half that failed when a search fails in either half', async () => {
  const failing = (name: string): Retriever => ({
    name,
    retrieve: async () => {
      throw new Error('the disk is gone');
    },
  });
  for (const channels of [
    [failing('sparse'), listing('dense', ['A'])],
    [listing('sparse', ['A']), failing('dense')],
  ]) {
    const asking = engine.search({ text: 'any', ...caller }, { retriever: hybrid(channels) });
    const failed = channels.find(({ retrieve }) => String(retrieve).includes('disk'))!.name;
    await expect(asking).rejects.toMatchObject({
      code: 'RETRIEVE_FAILED',
      message: expect.stringContaining(failed),
    });
  }
});

describe.each([
  ['sparse', 'bm25', 'bm25'],
  ['sparse', 'coverDensity', 'cover_density'],
  ['dense', 'dense', 'dense'],
])('a search that fails in the %s half, in the task %s', (_half, task, name) => {
  it('is RETRIEVE_FAILED by name and with its cause, not a shorter list', async () => {
    const nodes = [{ id: 'a', text: 'any word', embedding: [1, 0], embeddingModel: 'm', ...access }];
    const failing = await openIndex({ nodes });
    const { pool } = (failing as unknown as { runtime: { pool: { run: (kind: string) => unknown } } })
      .runtime;
    const run = pool.run.bind(pool);
    const cause = new CorankError('WORKER_FAILED', 'a worker thread failed: out of memory');
    pool.run = (kind, ...rest: unknown[]) =>
      kind === task ? Promise.reject(cause) : (run as (...args: unknown[]) => unknown)(kind, ...rest);
    const sparse = name === 'cover_density' ? coverDensity() : bm25();
    const retriever = hybrid([sparse, dense()]);
    const asking = failing.search({ text: 'word', embedding: [1, 0], ...caller }, { retriever });
    await expect(asking).rejects.toMatchObject({
      code: 'RETRIEVE_FAILED',
      message: expect.stringContaining(`retriever ${name} failed: a worker thread failed: out of memory`),
      cause,
    });
  });
});

describe('a depth of 3k, as in the original', () => {
  const order = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `m${from + i}`);
  // A is the eleventh of both lists; nothing else is in both.
  const channels = [listing('dense', [...order(0, 10), 'A']), listing('sparse', [...order(20, 30), 'A'])];
  const best = async (depth: '3k' | undefined, k: number) => {
    const options = {
      retriever: hybrid(channels, { fusion: rrf() }),
      ...(depth === undefined ? {} : { depth }),
    };
    const { candidates } = await engine.search({ text: 'any', k, ...caller }, options);
    return candidates[0]!;
  };

  it('cuts each channel at three times k', async () => {
    expect((await best('3k', 3)).id).toBe('m0');
    expect(await best('3k', 4)).toMatchObject({ id: 'A', ranks: { dense: 11, sparse: 11 } });
  });

  it('makes the list depend on k, which the constant depth never does', async () => {
    for (const k of [1, 3, 4, 50]) expect((await best(undefined, k)).id).toBe('A');
  });
});

it('never gives a list that is null', async () => {
  const { candidates } = await engine.search({ text: 'zebra', ...caller });
  expect(candidates).toEqual([]);
});
