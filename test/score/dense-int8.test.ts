import { fc, it as property } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { bm25, dense, type Engine, hybrid, type Node, pagerank } from '../../dist/index.js';
import type { Metric } from '../../dist/score/canonical.js';
import { rankDense } from '../../dist/score/dense.js';
import { quantizeQuery, quantizeRow } from '../../src/index/quantize.js';
import { opened, withEngine } from '../index/small-index.js';
import { randoms } from '../kernels/arena.js';
import { dot } from '../reference/dot.js';
import { int8Score } from '../reference/int8.js';

const norm = (vector: ArrayLike<number>) => Math.sqrt(dot(vector, vector));
const METRICS = ['cosine', 'dot'] as const;

const nodesOf = (vectors: readonly Float32Array[], grant: (i: number) => string = () => 'all'): Node[] =>
  vectors.map((embedding, i) => ({
    id: String(i).padStart(5, '0'),
    text: 'word',
    embedding,
    org: 'o',
    source: 's',
    acl: [grant(i)],
  }));

interface Asked {
  vector: ArrayLike<number>;
  metric: Metric;
  k?: number;
  grants?: string[];
}

async function found(engine: Engine, { vector, metric, k = 50, grants = ['all'] }: Asked) {
  const query = {
    text: 'word',
    embedding: vector,
    principal: { org: 'o', grants },
    sources: ['s'],
    k,
  };
  const { candidates } = await engine.search(query, { retriever: dense({ metric }) });
  return candidates.map(({ id, score }) => ({ id, score }));
}

/** Rows that were scored canonically for one question. */
async function rescored(engine: Engine, { vector, metric, k = 10, grants = ['all'] }: Asked) {
  let count = Number.NaN;
  const query = { text: 'word', principal: { org: 'o', grants }, sources: ['s'] };
  const retriever = {
    name: 'counting',
    async retrieve({ runtime, scope }: Parameters<ReturnType<typeof dense>['retrieve']>[0]) {
      const request = { query: Float32Array.from(vector), model: 0, metric, limit: k, part: 0, parts: 1 };
      count = rankDense(runtime.context, scope, request, () => false).rescored;
      return [];
    },
  };
  await engine.search(query, { retriever });
  return count;
}

const hostile = fc.oneof(
  { weight: 4, arbitrary: fc.float({ min: -1, max: 1, noNaN: true }) },
  { weight: 1, arbitrary: fc.constantFrom(0, -0, 1, 1e-30, 1e15, -1e15, 1e-45, 1e-38, 3e38, -3e38) },
);
const sets = fc
  .record({ dimension: fc.constantFrom(1, 17, 512), magnitude: fc.constantFrom(1, 1, 1e-30, 1e15, 1e-42) })
  .chain(({ dimension, magnitude }) => {
    // One hostile number in a row stretches its levels over all the others.
    const vector = fc
      .tuple(
        fc.array(fc.float({ min: -1, max: 1, noNaN: true }), { minLength: dimension, maxLength: dimension }),
        fc.option(fc.tuple(fc.nat(dimension - 1), hostile)),
      )
      .map(([values, stretched]) => {
        const row = Float32Array.from(values, (x) => x * magnitude);
        if (stretched !== null) row[stretched[0]] = stretched[1];
        return row;
      });
    const rows = fc.oneof(
      { weight: 6, arbitrary: vector.map((row) => [row]) },
      { weight: 1, arbitrary: vector.map((row) => [row, row, row.map((x) => -x), row.map((x) => x / 2)]) },
      { weight: 1, arbitrary: fc.constant([new Float32Array(dimension)]) },
    );
    return fc.record({
      rows: fc.array(rows, { minLength: 1, maxLength: 30 }).map((list) => list.flat()),
      queries: fc.array(vector, { minLength: 4, maxLength: 4 }),
      k: fc.integer({ min: 1, max: 50 }),
    });
  });

property.prop([sets], { numRuns: 40, seed: 3, endOnFailure: true })(
  'int8 rows give the lists of f32 rows, bit for bit, in every scope',
  async ({ rows, queries, k }) => {
    const nodes = nodesOf(rows, (i) => (i % 3 === 1 ? 'some' : 'all'));
    const answers = async (vectors: 'f32' | 'int8') =>
      withEngine({ nodes }, { embeddingModel: 'm', vectors }, async (engine) => {
        const lists = [];
        for (const vector of queries) {
          for (const metric of METRICS) {
            for (const grants of [['all'], ['all', 'some']])
              lists.push(await found(engine, { vector, metric, k, grants }));
          }
        }
        return lists;
      });
    expect(await answers('int8')).toEqual(await answers('f32'));
  },
);

property.prop([sets], { numRuns: 40, seed: 4, endOnFailure: true })(
  'int8 rows alone give the scores of their whole numbers',
  async ({ rows, queries }) => {
    const expected = (vector: Float32Array, metric: Metric) => {
      if (norm(vector) === 0) return [];
      const query = new Int16Array(vector.length);
      const { scale: queryScale } = quantizeQuery(vector, query);
      const scored = nodesOf(rows).map(({ id }, i) => {
        const row = new Int8Array(vector.length);
        const { scale } = quantizeRow(rows[i]!, row);
        const norms = metric === 'dot' ? {} : { norms: { row: norm(rows[i]!), query: norm(vector) } };
        return { id, score: int8Score({ query, row, scale, queryScale, ...norms }) };
      });
      return scored.sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1)).slice(0, 50);
    };
    await withEngine(
      { nodes: nodesOf(rows) },
      { embeddingModel: 'm', vectors: 'int8-only' },
      async (engine) => {
        for (const vector of queries) {
          for (const metric of METRICS)
            expect(await found(engine, { vector, metric })).toEqual(expected(vector, metric));
        }
      },
    );
  },
);

describe('rows scored again', () => {
  const random = randoms(11);
  const near = Float32Array.from({ length: 64 }, () => random(2) - 1);
  const spread = Array.from({ length: 5000 }, () => Float32Array.from(near, () => random(2) - 1));
  // So near each other that int8 cannot part them, and float32 mostly can.
  const crowd = Array.from({ length: 5000 }, () => Float32Array.from(near, (x) => x * (1 + random(0.1))));

  it.each(METRICS)('by %s are few where rows lie apart', async (metric) => {
    const engine = await opened({ nodes: nodesOf(spread) }, { embeddingModel: 'm', vectors: 'int8' });
    expect(await rescored(engine, { vector: near, metric })).toBeLessThanOrEqual(40);
  });

  it.each(METRICS)('by %s are narrowed by float32 where rows crowd', async (metric) => {
    const [int8, f32] = await Promise.all(
      (['int8', 'f32'] as const).map((vectors) =>
        opened({ nodes: nodesOf(crowd) }, { embeddingModel: 'm', vectors }),
      ),
    );
    for (const vector of [near, crowd[7]!, near.map((x) => -x)]) {
      expect(await rescored(int8!, { vector, metric })).toBeLessThan(5000 / 50);
      expect(await found(int8!, { vector, metric })).toEqual(await found(f32!, { vector, metric }));
    }
  });
});

describe('an index of int8 rows only', () => {
  const vectors = [Float32Array.of(1, 0), Float32Array.of(0.5, 1)];
  const source = { nodes: nodesOf(vectors), edges: [{ from: '00000', to: '00001' }] };
  const engine = opened(source, { embeddingModel: 'm', vectors: 'int8-only' });
  const query = { text: 'word', principal: { org: 'o', grants: ['all'] }, sources: ['s'] };

  it.each([
    ['dense', dense()],
    ['hybrid', hybrid([bm25(), dense()])],
    ['pagerank from dense', pagerank({ seeds: dense() })],
  ])('says in every answer of %s that scores are approximate', async (_, retriever) => {
    for (const embedding of [
      [1, 0.5],
      [0, 0],
    ]) {
      const { skipped } = await (await engine).search({ ...query, embedding }, { retriever });
      expect(skipped).toContainEqual({
        channel: 'dense',
        code: 'approximate',
        message: expect.stringContaining('int8'),
      });
    }
  });

  it('does not say so where vectors play no part, nor where they are kept whole', async () => {
    const { skipped } = await (await engine).search(query, { retriever: bm25() });
    expect(skipped).toEqual([]);
    const whole = await opened(source, { embeddingModel: 'm', vectors: 'int8' });
    const answer = await whole.search({ ...query, embedding: [1, 0] }, { retriever: dense() });
    expect(answer.skipped).toEqual([]);
  });
});
