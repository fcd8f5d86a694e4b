import { describe, expect, it, vi } from 'vitest';
import {
  bm25,
  CorankError,
  type DenseOptions,
  dense,
  type Embed,
  hybrid,
  type Query,
  rrf,
} from '../../dist/index.js';
import { opened, refusal } from '../index/small-index.js';

const access = { org: 'acme', source: 'wiki' };
const engine = opened(
  {
    nodes: [
      { id: 'x', text: 'word', embedding: [1, 0], ...access, acl: ['all', 'vectors'] },
      { id: 'y', text: 'word', embedding: [0, 1], ...access, acl: ['all', 'vectors'] },
      { id: 'o', text: 'word', embedding: [1, 1], embeddingModel: 'old', ...access, acl: ['all', 'old'] },
      { id: 't', text: 'word', ...access, acl: ['all', 'text'] },
    ],
  },
  { embeddingModel: 'new' },
);

const asking = (query: Partial<Query> = {}, grant = 'all'): Query => ({
  text: 'word',
  principal: { org: 'acme', grants: [grant] },
  sources: ['wiki'],
  ...query,
});

const alone = async (options: DenseOptions, query: Query = asking()) =>
  (await engine).search(query, { retriever: dense(options) });
const together = async (options: DenseOptions, query: Query = asking()) =>
  (await engine).search(query, { retriever: hybrid([bm25(), dense(options)], { fusion: rrf() }) });

const embedding = (vector: unknown): Embed => (async () => [vector]) as unknown as Embed;

describe('an embedder', () => {
  it('is asked for the text of the query, as a query, with a signal', async () => {
    const embed = vi.fn<Embed>(async () => [Float32Array.of(0, 2)]);
    const { candidates } = await alone({ embed });
    expect(embed.mock.calls).toEqual([[['word'], 'query', { signal: expect.any(AbortSignal) }]]);
    expect(candidates.map(({ id, score, ranks }) => [id, score, ranks])).toEqual([
      ['y', 1, { dense: 1 }],
      ['x', 0, { dense: 2 }],
    ]);
  });

  it('may return plain numbers', async () => {
    expect((await alone({ embed: embedding([3, 0]) })).candidates[0]!.id).toBe('x');
  });

  it('is not asked when the query brings a vector', async () => {
    const embed = vi.fn<Embed>();
    expect((await alone({ embed }, asking({ embedding: [0, 1] }))).candidates[0]!.id).toBe('y');
    expect(embed).not.toHaveBeenCalled();
  });
});

const rejecting =
  (error: unknown): Embed =>
  async () =>
    Promise.reject(error);

const DEGRADATIONS: [what: string, code: string, options: DenseOptions][] = [
  ['no embedder', 'no_embedder', {}],
  ['an embedder that fails', 'embedder_unavailable', { embed: rejecting(new Error('503')) }],
  [
    'one that throws at once',
    'embedder_unavailable',
    {
      embed: () => {
        throw new Error('now');
      },
    },
  ],
  ['one that rejects with nothing', 'embedder_unavailable', { embed: rejecting(undefined) }],
  ['one that takes too long', 'embedder_unavailable', { embed: () => new Promise(() => {}), timeout: 20 }],
  ['one that returns no vector', 'embedder_unavailable', { embed: async () => [] }],
  ['one that returns an empty vector', 'embedder_unavailable', { embed: embedding([]) }],
  ['one that returns null', 'embedder_unavailable', { embed: embedding(null) }],
  ['one that returns nothing', 'embedder_unavailable', { embed: (async () => undefined) as never }],
  ['one that returns NaN', 'embedder_unavailable', { embed: embedding([Number.NaN, 1]) }],
  ['one that returns what float32 cannot hold', 'embedder_unavailable', { embed: embedding([1e39, 1]) }],
  ['one that returns a string', 'embedder_unavailable', { embed: embedding('no') }],
  ['one that returns too many numbers', 'embedder_unavailable', { embed: embedding([1, 2, 3]) }],
  ['one that returns too few', 'embedder_unavailable', { embed: embedding([1]) }],
  [
    'one without a credential',
    'not_configured',
    { embed: rejecting(new CorankError('NOT_CONFIGURED', 'no key is set')) },
  ],
];

describe.each(DEGRADATIONS)('%s', (_, code, options) => {
  it('leaves the list to keywords and says why', async () => {
    const { candidates, skipped } = await together(options);
    const words = await (await engine).search(asking(), { retriever: hybrid([bm25()]) });
    expect(candidates).toEqual(words.candidates);
    expect(skipped).toEqual([
      { channel: 'dense', code, message: expect.stringMatching(/vector half did not run.*keywords alone/) },
    ]);
  });

  it('is an error when the channel is named alone', async () => {
    const expected = code === 'not_configured' ? 'NOT_CONFIGURED' : 'EMBEDDINGS_UNAVAILABLE';
    await refusal(alone(options), expected);
  });
});

it('stops waiting for an embedder when the search is cancelled, with its reason', async () => {
  const controller = new AbortController();
  const reason = new Error('enough');
  const embed: Embed = () => new Promise(() => {});
  const waiting = (await engine).search(asking(), {
    retriever: hybrid([bm25(), dense({ embed })]),
    signal: controller.signal,
  });
  setTimeout(() => controller.abort(reason), 10);
  await expect(waiting).rejects.toBe(reason);
});

it('tells the embedder when time is up', async () => {
  let seen: AbortSignal | undefined;
  const embed: Embed = (_texts, _kind, { signal }) => {
    seen = signal;
    return new Promise(() => {});
  };
  await together({ embed, timeout: 20 });
  expect(seen!.aborted).toBe(true);
});

describe('visible vectors', () => {
  const own = { embedding: [1, 0] };

  it('that are not there at all are a reason', async () => {
    const { skipped, candidates } = await together({}, asking(own, 'text'));
    expect(skipped).toMatchObject([{ channel: 'dense', code: 'no_visible_vectors' }]);
    expect(candidates.map(({ id }) => id)).toEqual(['t']);
    await refusal(alone({}, asking(own, 'text')), 'EMBEDDINGS_UNAVAILABLE');
  });

  it('that are all of another model are another reason', async () => {
    const { skipped } = await together({}, asking(own, 'old'));
    expect(skipped).toMatchObject([{ channel: 'dense', code: 'no_vectors_for_model' }]);
  });

  it('of an index without any are a reason too', async () => {
    const plain = await opened({ nodes: [{ id: 'a', text: 'word' }] });
    const embed = embedding([1, 0]);
    const query = { text: 'word', principal: 'open' };
    const { skipped } = await plain.search(query, { retriever: hybrid([bm25(), dense({ embed })]) });
    expect(skipped).toMatchObject([{ channel: 'dense', code: 'no_visible_vectors' }]);
    await refusal(plain.search(query, { retriever: dense({ embed }) }), 'EMBEDDINGS_UNAVAILABLE');
  });
});

describe('a vector that the caller brings', () => {
  it.each([1, 3, 0])('of %i numbers is refused, with the number there should be', async (length) => {
    const query = asking({ embedding: new Array(length).fill(1) });
    await refusal(alone({}, query), 'DIMENSION_MISMATCH', String(length), '2');
    // No degradation: the caller said it.
    await refusal(together({}, query), 'DIMENSION_MISMATCH');
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, 1e39, 'x'])('that holds %s is refused', async (wrong) => {
    await refusal(alone({}, asking({ embedding: [1, wrong as number] })), 'INVALID_INPUT', 'position 1');
  });

  it('of a model that the index does not have is refused, naming both', async () => {
    const query = asking({ embedding: [1, 0], embeddingModel: 'strange' });
    await refusal(alone({}, query), 'MODEL_MISMATCH', '"strange"', '"new"');
    await refusal(together({}, query), 'MODEL_MISMATCH');
  });

  it('of a model that only hidden rows have is refused in the same words', async () => {
    const errorFor = (embeddingModel: string) =>
      alone({}, asking({ embedding: [1, 0], embeddingModel }, 'vectors')).then(
        () => undefined,
        ({ code, message }) => ({ code, message: message.replace(embeddingModel, 'MODEL') }),
      );
    expect(await errorFor('old')).toMatchObject({ code: 'MODEL_MISMATCH' });
    expect(await errorFor('old')).toEqual(await errorFor('strange'));
  });

  it('of a second model is compared with the rows of that model', async () => {
    const { candidates } = await alone({}, asking({ embedding: [1, 0], embeddingModel: 'old' }));
    expect(candidates.map(({ id }) => id)).toEqual(['o']);
  });
});

it('takes the dot product when told to, rows as they were given', async () => {
  const long = await opened(
    {
      nodes: [
        { id: 'long', embedding: [3, 4] },
        { id: 'near', embedding: [1, 0] },
      ],
    },
    { embeddingModel: 'm' },
  );
  const query = { text: 'any', principal: 'open', embedding: [2, 0] };
  const scored = async (metric: 'dot' | 'cosine') =>
    (await long.search(query, { retriever: dense({ metric }) })).candidates.map(({ id, score }) => [
      id,
      score,
    ]);
  expect(await scored('dot')).toEqual([
    ['long', 2 * 3],
    ['near', 2 * 1],
  ]);
  expect(await scored('cosine')).toEqual([
    ['near', 1],
    ['long', 3 / 5],
  ]);
});

it.each([
  [{ metric: 'euclid' as never }, 'dense.metric'],
  [{ timeout: 0 }, 'dense.timeout'],
  [{ timeout: Number.NaN }, 'dense.timeout'],
])('refuses %j', (options, name) => {
  expect(() => dense(options)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
  expect(() => dense(options)).toThrow(name);
});
