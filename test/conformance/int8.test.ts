import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { dense, type Query, type Result, type Retriever } from '../../dist/index.js';
import { rankDense } from '../../dist/score/dense.js';
import { answers, data, matrixOf, openIndex } from './collection.js';

const SETS = [
  ['2wiki-164', 'lsa-128'],
  ['cacm', 'lsa-128'],
  ['cacm', 'use-lite-512'],
  ['cranfield', 'lsa-128'],
  ['cranfield', 'use-lite-512'],
  ['scifact', 'lsa-128'],
  ['scifact', 'use-lite-512'],
] as const;
const K = 10;

const file = (set: string, model: string, of: string) => `${set}/embeddings/${model}.${of}.npy`;

/** Asks for the K best by itself and writes down how many rows were scored canonically. */
function counting(counts: number[], metric: 'cosine' | 'dot'): Retriever {
  return {
    name: 'counting',
    async retrieve({ runtime, scope, query }) {
      const request = {
        query: Float32Array.from(query.embedding!),
        model: 0,
        metric,
        limit: K,
        part: 0,
        parts: 1,
      };
      counts.push(rankDense(runtime.context, scope, request, () => false).rescored);
      return [];
    },
  };
}

describe.each(SETS)('int8 rows of %s %s', (set, model) => {
  it.skipIf(!existsSync(data(file(set, model, 'docs'))))(
    'answer every query as f32 rows do, bit for bit, and leave few to be scored again',
    async () => {
      const [embeddings, asked] = await Promise.all([
        matrixOf(file(set, model, 'docs')),
        matrixOf(file(set, model, 'queries')),
      ]);
      const nodes = Array.from({ length: embeddings.rows }, (_, row) => ({
        id: String(row).padStart(6, '0'),
      }));
      const open = (vectors: 'f32' | 'int8') =>
        openIndex({ nodes, embeddings }, { analyzer: 'plain', embeddingModel: model, vectors });
      const [f32, int8] = await Promise.all([open('f32'), open('int8')]);
      const queries = Array.from({ length: asked.rows }, (_, row): Query => {
        const embedding = asked.data.subarray(row * asked.columns, (row + 1) * asked.columns);
        return { id: String(row), text: 'any', principal: 'open', embedding };
      });
      for (const metric of ['cosine', 'dot'] as const) {
        const [theirs, ours] = (await Promise.all(
          [f32, int8].map((engine) =>
            answers(engine.rank(queries, { retriever: dense({ metric }), k: 20, cite: false })),
          ),
        )) as [Map<string, Result>, Map<string, Result>];
        expect(ours.size).toBe(asked.rows);
        const different = [...ours].filter(
          ([id, result]) => JSON.stringify(result) !== JSON.stringify(theirs.get(id)),
        );
        expect(different).toEqual([]);
        const counts: number[] = [];
        await answers(int8.rank(queries, { retriever: counting(counts, metric), k: K }));
        expect(counts).toHaveLength(asked.rows);
        expect(Math.max(...counts)).toBeLessThanOrEqual(40);
      }
    },
  );
});
