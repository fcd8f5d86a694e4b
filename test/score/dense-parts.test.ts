import { fc, it as property } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { dense, type Node } from '../../dist/index.js';
import { rankDense } from '../../dist/score/dense.js';
import { built, openedAt, withEngine } from '../index/small-index.js';
import { randoms } from '../kernels/arena.js';

const DIMENSION = 17;
const nodesOf = (vectors: readonly (readonly number[])[], hidden: readonly boolean[]): Node[] =>
  vectors.map((embedding, i) => ({
    id: String(i).padStart(5, '0'),
    embedding: [...embedding],
    embeddingModel: i % 7 === 3 ? 'other' : 'm',
    org: 'o',
    source: 's',
    acl: hidden[i] ? [] : ['all'],
  }));

// Few different numbers, so that scores tie within parts and across their ends.
const vector = fc.array(fc.constantFrom(0, 1, -1, 0.5), { minLength: DIMENSION, maxLength: DIMENSION });
const cases = fc.record({
  vectors: fc.array(vector, { minLength: 1, maxLength: 12 }),
  count: fc.integer({ min: 1, max: 300 }),
  hidden: fc.infiniteStream(fc.boolean()),
  query: vector,
  limit: fc.integer({ min: 1, max: 40 }),
  metric: fc.constantFrom('cosine' as const, 'dot' as const),
});

describe.each(['f32', 'int8', 'int8-only'] as const)('kept as %s, vectors in parts', (form) => {
  property.prop([cases], { numRuns: 40, seed: 5, endOnFailure: true })(
    'have the best of the whole among the best of the parts, and no row twice',
    async ({ vectors, count, hidden, query, limit, metric }) => {
      const many = Array.from({ length: count }, (_, i) => vectors[(i * i) % vectors.length]!);
      const isHidden = many.map(() => hidden.next().value as boolean);
      const source = { nodes: nodesOf(many, isHidden) };
      await withEngine(
        source,
        { embeddingModel: 'm', dimension: DIMENSION, vectors: form },
        async (engine) => {
          const asking = {
            name: 'parts',
            async retrieve({ runtime, scope }: Parameters<ReturnType<typeof dense>['retrieve']>[0]) {
              const model = runtime.manifest.embedding!.models.indexOf('m');
              const ask = (part: number, parts: number) => {
                const asked = { query: Float32Array.from(query), model, metric, limit, part, parts };
                const { rows, scores } = rankDense(runtime.context, scope, asked, () => false).list;
                return Array.from(rows, (row, i) => ({ row, score: scores[i]! }));
              };
              const whole = ask(0, 1);
              for (const parts of [2, 3, 8]) {
                const all = Array.from({ length: parts }, (_, part) => ask(part, parts)).flat();
                const best = all.sort((a, b) => b.score - a.score || a.row - b.row).slice(0, limit);
                expect({ parts, best }).toEqual({ parts, best: whole });
                expect(new Set(all.map(({ row }) => row)).size).toBe(all.length);
              }
              return [];
            },
          };
          const principal = { org: 'o', grants: ['all'] };
          await engine.search({ text: 'x', principal, sources: ['s'] }, { retriever: asking });
        },
      );
    },
  );
});

describe('an index that is worth more than one thread', () => {
  it('answers the same bytes with 0, 1, 2 and 3 threads, alone and in a crowd', async () => {
    const random = randoms(9);
    const data = Float32Array.from({ length: 50_000 * 64 }, () => random(2) - 1);
    const nodes = Array.from({ length: 50_000 }, (_, i) => ({ id: `n${i}` }));
    const source = { nodes, embeddings: { rows: nodes.length, columns: 64, data } };
    const { path } = await built(source, { embeddingModel: 'm' });
    const asked = Array.from({ length: 6 }, () => Array.from({ length: 64 }, () => random(2) - 1));
    const answers = async (threads: number, crowd: boolean) => {
      const engine = await openedAt(path, { threads });
      const one = (embedding: number[]) =>
        engine.search({ text: 'x', embedding, principal: 'open' }, { retriever: dense() });
      if (crowd) return JSON.stringify(await Promise.all(asked.map(one)));
      const results = [];
      for (const embedding of asked) results.push(await one(embedding));
      return JSON.stringify(results);
    };
    const expected = await answers(0, false);
    expect(JSON.parse(expected)[0].candidates).toHaveLength(8);
    for (const threads of [1, 2, 3]) {
      for (const crowd of [false, true])
        expect((await answers(threads, crowd)) === expected, `${threads} threads`).toBe(true);
    }
  }, 60_000);
});
