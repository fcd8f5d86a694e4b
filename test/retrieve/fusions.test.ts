import { describe, expect, it } from 'vitest';
import {
  alphaBlend,
  bm25,
  dbsf,
  type Fusion,
  type HybridOptions,
  hybrid,
  pagerank,
  type Retriever,
  relativeScore,
  rrf,
  stretchedRrf,
} from '../../dist/index.js';
import { opened, refusal } from '../index/small-index.js';

const scored = (name: string, scores: Record<string, number>): Retriever => ({
  name,
  retrieve: async () => Object.entries(scores).map(([id, score]) => ({ id, score })),
});

const engine = opened({ nodes: ['a', 'b', 'c', 'd'].map((id) => ({ id, text: `word ${id}` })) });

/** Scores by id, best first, of two lists fused. */
async function fusedBy(fusion: Fusion, one: Record<string, number>, two: Record<string, number>) {
  const retriever = hybrid([scored('one', one), scored('two', two)], { fusion });
  const query = { text: 'word', principal: 'open' };
  const { candidates } = await (await engine).search(query, { retriever, explain: true });
  for (const { explain, score } of candidates)
    expect(explain!.reduce((sum, { value }) => sum + value, 0)).toBeCloseTo(score, 12);
  return candidates.map(({ id, score }) => [id, score]);
}

const near = (...rows: [string, number][]) => rows.map(([id, score]) => [id, expect.closeTo(score, 12)]);

const ONE = { a: 10, b: 6, c: 2 };
const TWO = { b: 0.9, d: 0.1 };

describe('stretched ranks: 1 / (k - 1 + rank / weight)', () => {
  it('have k 2 unless told otherwise', async () => {
    expect(await fusedBy(stretchedRrf(), ONE, TWO)).toEqual(
      near(['b', 1 / 3 + 1 / 2], ['a', 1 / 2], ['d', 1 / 3], ['c', 1 / 4]),
    );
  });

  it('are stretched by weights', async () => {
    // One in three of the second list: its rank 1 counts as much as the first list's rank 3.
    expect(await fusedBy(stretchedRrf({ k: 2, weights: [3, 1] }), ONE, TWO)).toEqual(
      near(['b', 1 / (1 + 2 / 3) + 1 / 2], ['a', 1 / (1 + 1 / 3)], ['c', 1 / 2], ['d', 1 / 3]),
    );
  });

  it('are those of rrf where nothing is weighed: k - 1 for k', async () => {
    const [stretched, plain] = [
      await fusedBy(stretchedRrf({ k: 61 }), ONE, TWO),
      await fusedBy(rrf({ k: 60 }), ONE, TWO),
    ];
    expect(stretched).toEqual(plain.map(([id, score]) => [id, expect.closeTo(score as number, 15)]));
  });

  it('count nothing in a channel of weight 0', async () => {
    expect(await fusedBy(stretchedRrf({ weights: [1, 0] }), { a: 1 }, { d: 1 })).toEqual([
      ['a', 0.5],
      ['d', 0],
    ]);
  });
});

describe('relative scores', () => {
  it('run from 0 for the last to 1 for the first of each list', async () => {
    expect(await fusedBy(relativeScore(), ONE, TWO)).toEqual(
      near(['b', 0.5 + 1], ['a', 1], ['c', 0], ['d', 0]),
    );
    expect(await fusedBy(relativeScore({ weights: [1, 0.25] }), ONE, TWO)).toEqual(
      near(['a', 1], ['b', 0.5 + 0.25], ['c', 0], ['d', 0]),
    );
  });

  it('are 1 for a single hit and for equal ones, and none in an empty list', async () => {
    expect(await fusedBy(relativeScore(), { c: -3 }, { b: 7, a: 7 })).toEqual([
      ['a', 1],
      ['b', 1],
      ['c', 1],
    ]);
    expect(await fusedBy(relativeScore(), {}, TWO)).toEqual([
      ['b', 1],
      ['d', 0],
    ]);
    expect(await fusedBy(relativeScore(), {}, {})).toEqual([]);
  });

  it('reach over the whole list, however long', async () => {
    const ids = Array.from({ length: 150 }, (_, i) => `n${String(i).padStart(3, '0')}`);
    const many = await opened({ nodes: ids.map((id) => ({ id, text: 'word' })) });
    const channel = scored('one', Object.fromEntries(ids.map((id, i) => [id, 149 - i])));
    const retriever = hybrid([channel], { fusion: relativeScore() });
    const query = { text: 'word', principal: 'open', k: 50 };
    const { candidates } = await many.search(query, { retriever });
    expect(candidates[49]!.score).toBeCloseTo(100 / 149, 12);
  });
});

describe('scores by their distribution', () => {
  it('are 0.5 at the mean of their list and 1 three deviations above it', async () => {
    // Means 6 and 0.5; sample deviations 4 and sqrt(0.32).
    const off = 0.4 / (6 * Math.sqrt(0.32));
    expect(await fusedBy(dbsf(), ONE, TWO)).toEqual(
      near(['b', 0.5 + 0.5 + off], ['a', 0.5 + 4 / 24], ['d', 0.5 - off], ['c', 0.5 - 4 / 24]),
    );
    expect(await fusedBy(dbsf({ weights: [3, 0] }), { a: 10, b: 2 }, { c: 1 })).toEqual(
      near(['a', 1.5 + (3 * 4) / (6 * Math.sqrt(32))], ['b', 1.5 - (3 * 4) / (6 * Math.sqrt(32))], ['c', 0]),
    );
  });

  it('are 0.5 for a single hit and for equal ones, and none in an empty list', async () => {
    expect(await fusedBy(dbsf(), { c: -3 }, { b: 0, a: 0 })).toEqual([
      ['a', 0.5],
      ['b', 0.5],
      ['c', 0.5],
    ]);
    expect(await fusedBy(dbsf(), {}, { a: 3 })).toEqual([['a', 0.5]]);
    expect(await fusedBy(dbsf(), {}, {})).toEqual([]);
  });
});

describe('a blend', () => {
  it('gives alpha to the second list and the rest to the first', async () => {
    expect(await fusedBy(alphaBlend({ alpha: 0.25 }), ONE, TWO)).toEqual(
      near(['a', 0.75], ['b', 0.75 * 0.5 + 0.25], ['c', 0], ['d', 0]),
    );
    expect(await fusedBy(alphaBlend(), { a: 1 }, { b: 1 })).toEqual([
      ['a', 0.5],
      ['b', 0.5],
    ]);
  });

  it('is one list alone at its ends', async () => {
    expect((await fusedBy(alphaBlend({ alpha: 1 }), { c: 4, a: 2 }, { b: 1 }))[0]).toEqual(['b', 1]);
    expect((await fusedBy(alphaBlend({ alpha: 0 }), { c: 4, a: 2 }, { b: 1 }))[0]).toEqual(['c', 1]);
  });
});

it('tells how a walk reached a node, in the share that fusion gives it', async () => {
  const linked = await opened({
    nodes: ['a', 'b'].map((id) => ({ id, text: id === 'a' ? 'word' : 'other' })),
    edges: [{ from: 'a', to: 'b', kind: 'cites' }],
  });
  const query = { text: 'word', principal: 'open' };
  const retriever = hybrid([bm25(), pagerank()]);
  const { candidates } = await linked.search(query, { retriever, explain: true });
  const reached = candidates.find(({ id }) => id === 'b')!;
  const steps = [{ kind: 'cites', direction: 'out', to: 'b' }];
  expect(reached.explain).toContainEqual(
    expect.objectContaining({ from: 'rrf:pagerank', path: expect.objectContaining({ seed: 'a', steps }) }),
  );
  expect(reached.explain!.reduce((sum, { value }) => sum + value, 0)).toBeCloseTo(1 / 62, 12);
});

describe('what is no fusion', () => {
  const two = [scored('one', {}), scored('two', {})];
  it.each([
    ['weights for another number of channels', two, { fusion: dbsf({ weights: [1] }) }],
    ['three channels to blend', [...two, scored('three', {})], { fusion: alphaBlend() }],
    ['one channel to blend', [two[0]!], { fusion: alphaBlend() }],
  ] as [string, Retriever[], HybridOptions][])('is refused: %s', async (_, channels, options) => {
    await refusal((async () => hybrid(channels, options))(), 'INVALID_INPUT');
  });

  it.each([
    ['alpha above 1', () => alphaBlend({ alpha: 1.1 }), 'alphaBlend.alpha'],
    ['alpha NaN', () => alphaBlend({ alpha: Number.NaN }), 'alphaBlend.alpha'],
    ['a negative weight', () => relativeScore({ weights: [1, -1] }), 'relativeScore.weights[1]'],
    ['a misspelt option', () => dbsf({ weight: [1] } as never), 'weight'],
    ['k below 1', () => stretchedRrf({ k: 0.5 }), 'stretchedRrf.k'],
    [
      'an infinite weight',
      () => stretchedRrf({ weights: [Number.POSITIVE_INFINITY] }),
      'stretchedRrf.weights[0]',
    ],
  ])('is refused: %s', async (_, make, named) => {
    await refusal((async () => make())(), 'INVALID_INPUT', named);
  });
});
