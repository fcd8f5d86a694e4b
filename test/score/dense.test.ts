import { fc, it as property } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { dense, type Engine, type Node, type Query } from '../../dist/index.js';
import { opened, withEngine } from '../index/small-index.js';
import { randoms } from '../kernels/arena.js';
import { dot } from '../reference/dot.js';

type Metric = 'cosine' | 'dot';

const norm = (vector: ArrayLike<number>) => Math.sqrt(dot(vector, vector));

/** Every row scored in f64, dimension by dimension; cosine divides by the product of the norms, 0 for a zero row. */
function bruteForce(
  rows: readonly { id: string; vector: Float32Array }[],
  query: Float32Array,
  metric: Metric,
) {
  const scored = rows.map(({ id, vector }) => {
    const product = dot(query, vector);
    if (metric === 'dot') return { id, score: product };
    return { id, score: norm(vector) === 0 ? 0 : product / (norm(query) * norm(vector)) };
  });
  return scored.sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
}

async function found(
  engine: Engine,
  query: Float32Array,
  metric: Metric,
  k: number,
  asked: Partial<Query> = {},
) {
  // In a batch, where k may go beyond 50.
  const queries = [{ text: 'any', embedding: query, principal: 'open', ...asked }];
  for await (const { candidates, error } of engine.rank(queries, {
    retriever: dense({ metric }),
    k,
    cite: false,
  })) {
    if (error !== undefined) throw error;
    return candidates.map(({ id, score }) => ({ id, score }));
  }
  throw new Error('no answer');
}

const idOf = (i: number) => String(i).padStart(5, '0');

function indexOf(vectors: readonly Float32Array[]) {
  const nodes: Node[] = vectors.map((embedding, i) => ({ id: idOf(i), embedding }));
  return { nodes, rows: vectors.map((vector, i) => ({ id: idOf(i), vector })) };
}

const component = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(0, 1, -1, 0.5, 0.25) },
  { weight: 2, arbitrary: fc.float({ min: -2, max: 2, noNaN: true }) },
  { weight: 1, arbitrary: fc.constantFrom(1e-30, -1e30, 3e38, 1e-45, 1e-20, 1e18, 1 + 2 ** -23) },
);

const cases = fc.constantFrom(1, 2, 3, 4, 15, 16, 17, 33).chain((dimension) => {
  const vector = fc
    .array(component, { minLength: dimension, maxLength: dimension })
    .map((values) => Float32Array.from(values));
  return fc.record({
    vectors: fc.array(vector, { minLength: 1, maxLength: 40 }),
    queries: fc.array(vector, { minLength: 5, maxLength: 5 }),
    k: fc.integer({ min: 1, max: 45 }),
  });
});

describe.each(['f32', 'int8'] as const)('kept as %s, vectors', (vectors) => {
  property.prop([cases], { numRuns: 60, seed: 1, endOnFailure: true })(
    'give the lists of a brute-force scan, bit for bit: ties, zero rows, huge and tiny norms included',
    ({ vectors: given, queries, k }) => {
      const { nodes, rows } = indexOf(given);
      return withEngine({ nodes }, { embeddingModel: 'm', vectors }, async (engine) => {
        for (const query of queries) {
          for (const metric of ['cosine', 'dot'] as const) {
            const expected = norm(query) === 0 ? [] : bruteForce(rows, query, metric).slice(0, k);
            expect(await found(engine, query, metric, k)).toEqual(expected);
          }
        }
      });
    },
  );

  describe('ten thousand rows that a float32 sum can hardly tell apart', () => {
    const random = randoms(42);
    const dimension = 64;
    const base = Float32Array.from({ length: dimension }, () => random(2) - 1);
    const rowVectors = Array.from({ length: 10_000 }, (_, i) => {
      const vector = base.slice();
      // Most differ in the last bits of a few numbers, some not at all.
      if (i % 10 !== 0)
        for (let n = 0; n < 3; n++) vector[random(dimension) | 0]! *= 1 + (random(8) | 0) * 2 ** -23;
      return vector;
    });
    const { nodes, rows } = indexOf(rowVectors);
    const engine = opened({ nodes }, { embeddingModel: 'm', vectors });

    it.each(['cosine', 'dot'] as const)('are ranked exactly by %s', async (metric) => {
      for (const query of [
        base,
        rowVectors[1]!,
        Float32Array.from(base, (x) => -x),
        Float32Array.from(base, () => 1),
      ]) {
        for (const k of [1, 10, 200]) {
          expect(await found(await engine, query, metric, k)).toEqual(
            bruteForce(rows, query, metric).slice(0, k),
          );
        }
      }
    });
  });

  describe('rows of one scope and one model', () => {
    const random = randoms(7);
    const nodes = Array.from({ length: 300 }, (_, i) => ({
      id: idOf(i),
      org: 'acme',
      source: i % 3 === 0 ? 'wiki' : 'handbook',
      acl: i % 2 === 0 ? ['red'] : ['blue'],
      // Every fifth row has no vector, every seventh one of another model.
      ...(i % 5 === 0
        ? {}
        : {
            embedding: Float32Array.from({ length: 5 }, () => random(2) - 1),
            embeddingModel: i % 7 === 0 ? 'old' : 'new',
          }),
    }));
    const engine = opened({ nodes }, { embeddingModel: 'new', vectors });

    it.each([
      [['red'], ['wiki'], 'new'],
      [['red'], ['wiki'], 'old'],
      [['red', 'blue'], ['wiki', 'handbook'], 'new'],
      [['red', 'blue'], ['wiki', 'handbook'], 'old'],
      [['blue'], ['handbook'], 'new'],
    ])('of %j in %j are the ones scanned for model %s', async (grants, sources, embeddingModel) => {
      const query = Float32Array.of(0.3, -0.2, 0.9, 0.1, 0.5);
      const visible = nodes.flatMap((node) =>
        node.embedding !== undefined &&
        node.embeddingModel === embeddingModel &&
        sources.includes(node.source) &&
        node.acl.some((tag) => grants.includes(tag))
          ? [{ id: node.id, vector: node.embedding }]
          : [],
      );
      expect(visible.length).toBeGreaterThan(3);
      const asked = { principal: { org: 'acme', grants }, sources, embeddingModel };
      expect(await found(await engine, query, 'cosine', 200, asked)).toEqual(
        bruteForce(visible, query, 'cosine').slice(0, 200),
      );
    });

    it('stay apart when questions of several scopes and models take turns', async () => {
      const query = Float32Array.of(1, 0, 0, 0, 0);
      const asked = [
        ['red', 'new'],
        ['blue', 'old'],
        ['red', 'old'],
        ['blue', 'new'],
        ['red', 'new'],
      ].map(([grant, embeddingModel]) => ({
        principal: { org: 'acme', grants: [grant] },
        sources: ['wiki'],
        embeddingModel: embeddingModel!,
      }));
      const alone = [];
      for (const one of asked) {
        const fresh = await opened({ nodes }, { embeddingModel: 'new', vectors });
        alone.push(await found(fresh, query, 'dot', 200, one));
      }
      for (let i = 0; i < asked.length; i++) {
        expect(await found(await engine, query, 'dot', 200, asked[i])).toEqual(alone[i]);
      }
    });
  });
});

it('says why it is empty when the query vector is zero', async () => {
  const engine = await opened({ nodes: [{ id: 'a', embedding: [1, 2] }] }, { embeddingModel: 'm' });
  const asked = { text: 'any', embedding: [0, -0], principal: 'open' };
  const { candidates, skipped } = await engine.search(asked, { retriever: dense() });
  expect(candidates).toEqual([]);
  expect(skipped).toMatchObject([{ channel: 'dense', code: 'zero_vector' }]);
});
