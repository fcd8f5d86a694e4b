import { describe, expect, it } from 'vitest';
import {
  bm25,
  dense,
  flatness,
  fused,
  type HybridOptions,
  hybrid,
  pagerank,
  type Retriever,
  rrf,
} from '../../dist/index.js';
import { opened, refusal } from '../index/small-index.js';

const listing = (name: string, ids: readonly string[]): Retriever => ({
  name,
  retrieve: async () => ids.map((id, i) => ({ id, score: 10 - i })),
});

const nodes = ['a', 'b', 'c', 'd'].map((id) => ({ id, text: `word ${id}` }));
const engine = opened({ nodes });
const query = { text: 'word', principal: 'open' };
const search = async (retriever: Retriever, options: object = {}) =>
  (await engine).search(query, { retriever, ...options });

describe('a fusion', () => {
  it('weighs its channels and takes k', async () => {
    const channels = [listing('one', ['a', 'b']), listing('two', ['b'])];
    const { candidates } = await search(hybrid(channels, { k: 1, weights: [1, 0.25] }));
    expect(candidates.map(({ id, score }) => [id, score])).toEqual([
      ['a', 1 / (1 + 1)],
      ['b', 1 / (1 + 2) + 0.25 / (1 + 1)],
    ]);
  });

  it('explains each score by the ranks that make it up', async () => {
    const channels = [listing('one', ['a', 'b']), listing('two', ['b'])];
    const { candidates } = await search(hybrid(channels), { explain: true });
    expect(candidates[0]!.explain).toEqual([
      { from: 'rrf:one', value: 1 / 62 },
      { from: 'rrf:two', value: 1 / 61 },
    ]);
    expect(candidates[1]!.explain).toEqual([{ from: 'rrf:one', value: 1 / 61 }]);
    for (const { explain, score } of candidates)
      expect(Math.abs(explain!.reduce((sum, { value }) => sum + value, 0) - score)).toBeLessThanOrEqual(1e-9);
  });

  it('gives no explanation when none is asked for', async () => {
    const { candidates } = await search(hybrid([bm25()]));
    expect(candidates.every(({ explain }) => explain === undefined)).toBe(true);
  });

  it('keeps the scores of its channels beside their ranks', async () => {
    const words = await search(bm25());
    const { candidates } = await search(hybrid([bm25(), listing('two', ['d'])]));
    const { id, score } = words.candidates[0]!;
    expect(candidates.find((candidate) => candidate.id === id)!.scores).toEqual({ bm25: score });
  });

  it('asks every channel for the depth, whatever k', async () => {
    const limits: number[] = [];
    const noting = (name: string): Retriever => ({
      name,
      retrieve: async ({ limit }) => {
        limits.push(limit);
        return [];
      },
    });
    for (const k of [1, 50])
      await (await engine).search({ ...query, k }, { retriever: hybrid([noting('x'), noting('y')]) });
    expect(limits).toEqual([200, 200, 200, 200]);
  });

  it('skips a channel that cannot run, and fails when none can, with the first reason', async () => {
    const { skipped, candidates } = await search(hybrid([dense(), bm25()]));
    expect(skipped).toMatchObject([{ channel: 'dense', code: 'no_visible_vectors' }]);
    expect(candidates).toHaveLength(4);
    await refusal(search(hybrid([dense()])), 'EMBEDDINGS_UNAVAILABLE');
  });

  it('stands in another fusion', async () => {
    const inner = hybrid([listing('one', ['a']), listing('two', ['b'])]);
    const { candidates } = await search(hybrid([inner, listing('three', ['b'])]));
    expect(candidates.map(({ id, score }) => [id, score])).toEqual([
      ['b', 1 / 62 + 1 / 61],
      ['a', 1 / 61],
    ]);
    expect(candidates[0]!.ranks).toMatchObject({ two: 1, three: 1 });
  });
});

describe('what a fusion is made of', () => {
  const one = listing('one', ['a']);

  it.each([
    ['no channel', [], {}],
    ['two channels of one name', [one, listing('one', [])], {}],
    ['a channel without a name', [listing('', [])], {}],
    ['what is no retriever', ['bm25' as never], {}],
    ['null', [null as never], {}],
    ['fewer weights than channels', [one, listing('two', [])], { weights: [1] }],
    ['more weights than channels', [one], { weights: [1, 1] }],
    ['a negative weight', [one], { weights: [-1] }],
    ['a weight that is NaN', [one], { weights: [Number.NaN] }],
    ['k 0', [one], { k: 0 }],
    ['k NaN', [one], { k: Number.NaN }],
    ['an infinite k', [one], { k: Number.POSITIVE_INFINITY }],
  ] as [string, Retriever[], HybridOptions][])('is refused for %s', (_, channels, options) => {
    expect(() => hybrid(channels, options)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
  });
});

it('calls the three usual channels fused, and lists those that the index cannot serve', async () => {
  const linked = await opened({ nodes, edges: [{ from: 'a', to: 'b' }] });
  const { retriever, skipped, candidates } = await linked.search(query, { retriever: fused() });
  expect(retriever).toBe('fused');
  expect(skipped.map(({ channel }) => channel)).toEqual(['dense']);
  expect(Object.keys(candidates[0]!.ranks).sort()).toEqual(['bm25', 'pagerank']);
});

it('runs the channels that it can on an index without edges, and lists pagerank as skipped', async () => {
  const { candidates, skipped } = await search(hybrid([bm25(), pagerank()]));
  expect(candidates).toHaveLength(4);
  expect(skipped.map(({ channel }) => channel)).toEqual(['pagerank']);
});

describe('words and vectors', () => {
  const scored = (name: string, scores: Record<string, number>): Retriever => ({
    name,
    retrieve: async () => Object.entries(scores).map(([id, score]) => ({ id, score })),
  });
  /** What plain RRF adds in a thousandth: it settles what scores leave open. */
  const tail = (...ranks: number[]) => ranks.reduce((sum, rank) => sum + 1e-3 / (60 + rank), 0);

  it('let the words decide where one of them stands out', async () => {
    const words = scored('bm25', { a: 10, b: 5 });
    const vectors = scored('dense', { c: 0.9, b: 0.5, d: 0.1 });
    const { candidates } = await search(hybrid([words, vectors]));
    // Fewer than twenty hits: p = 0, and vectors only settle what words do not order.
    expect(candidates.map(({ id, score }) => [id, score])).toEqual([
      ['a', 1 + tail(1)],
      ['b', 0.5 + tail(2) + tail(2)],
      ['c', tail(1)],
      ['d', tail(3)],
    ]);
  });

  it('let vectors add half of the squared flatness, in either order of the channels', async () => {
    const ids = Array.from({ length: 25 }, (_, i) => `n${String(i).padStart(2, '0')}`);
    const many = await opened({ nodes: ids.map((id) => ({ id, text: 'word' })) });
    const words = scored('bm25', Object.fromEntries(ids.map((id, i) => [id, 40 - i])));
    const vectors = scored('dense', { n24: 0.8, n00: 0.6, n10: 0.3 });
    for (const channels of [
      [words, vectors],
      [vectors, words],
    ]) {
      const options = { retriever: hybrid(channels), explain: true };
      const { candidates } = await many.search({ ...query, k: 25 }, options);
      const of = (id: string) => candidates.find((candidate) => candidate.id === id)!;
      const most = 0.5 * (21 / 40) ** 2;
      expect(of('n24').score).toBeCloseTo(16 / 40 + most + tail(25, 1), 12);
      expect(of('n00').score).toBeCloseTo(1 + most * 0.6 + tail(1, 2), 12);
      expect(of('n10').score).toBeCloseTo(30 / 40 + tail(11, 3), 12);
      expect(of('n24').explain).toContainEqual({ from: 'flatness:dense', value: most });
      for (const { score, explain } of candidates) {
        expect(explain!.reduce((sum, { value }) => sum + value, 0)).toBeCloseTo(score, 12);
      }
    }
  });

  it('are vectors alone where words found nothing, and words alone without vectors', async () => {
    const vectors = scored('dense', { c: 0.9, b: 0.5, d: 0.1 });
    const { candidates } = await search(hybrid([scored('bm25', {}), vectors]));
    expect(candidates.map(({ id, score }) => [id, score])).toEqual([
      ['c', 0.5 + tail(1)],
      ['b', 0.25 + tail(2)],
      ['d', tail(3)],
    ]);
    const alone = await search(hybrid([scored('bm25', { a: 10, b: 5 }), dense()]));
    expect(alone.candidates.map(({ id, score }) => [id, score])).toEqual([
      ['a', 1 + tail(1)],
      ['b', 0.5 + tail(2)],
    ]);
  });

  it('are fused by rank on request, as everything else is by default', async () => {
    const [words, vectors] = [scored('bm25', { a: 10 }), scored('dense', { b: 0.9 })];
    for (const options of [{ fusion: rrf() }, { k: 60 }, { weights: [1, 1] }]) {
      const { candidates } = await search(hybrid([words, vectors], options));
      expect(candidates.map(({ score }) => score)).toEqual([1 / 61, 1 / 61]);
    }
    const others = await search(hybrid([words, scored('other', { b: 0.9 })]));
    expect(others.candidates.map(({ score }) => score)).toEqual([1 / 61, 1 / 61]);
  });

  it.each([
    ['three channels', [bm25(), dense(), pagerank()], { fusion: flatness() }],
    ['no dense', [bm25(), pagerank()], { fusion: flatness() }],
    ['a fusion and k', [bm25(), dense()], { fusion: rrf(), k: 3 }],
    ['something else', [bm25(), dense()], { fusion: 'rrf' }],
  ])('refuse %s', async (_, channels, options) => {
    await refusal((async () => hybrid(channels, options as HybridOptions))(), 'INVALID_INPUT');
  });

  it('refuse a weight that is none', async () => {
    await refusal((async () => flatness({ weight: -1 }))(), 'INVALID_INPUT', 'flatness.weight');
    await refusal((async () => flatness({ wait: 1 } as never))(), 'INVALID_INPUT', 'wait');
  });
});
