import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { dense, hnsw, type Query, type Result } from '../../dist/index.js';
import { absent } from '../index/hnsw-package.js';
import { answers, data, matrixOf, openIndex } from './collection.js';

const SETS = [
  ['2wiki-164', 'lsa-128'],
  ['cranfield', 'use-lite-512'],
  ['scifact', 'use-lite-512'],
] as const;

const file = (set: string, model: string, of: string) => `${set}/embeddings/${model}.${of}.npy`;

describe.skipIf(absent).each(SETS)('graphs of neighbours of %s %s', (set, model) => {
  it.skipIf(!existsSync(data(file(set, model, 'docs'))))(
    'find over .99 of the ten nearest rows, with the scores that they have',
    async () => {
      const [embeddings, asked] = await Promise.all([
        matrixOf(file(set, model, 'docs')),
        matrixOf(file(set, model, 'queries')),
      ]);
      const nodes = Array.from({ length: embeddings.rows }, (_, row) => ({
        id: String(row).padStart(6, '0'),
      }));
      const engine = await openIndex({ nodes, embeddings }, { embeddingModel: model, ann: true });
      const queries = Array.from({ length: asked.rows }, (_, row): Query => {
        const embedding = asked.data.subarray(row * asked.columns, (row + 1) * asked.columns);
        return { id: String(row), text: 'any', principal: 'open', embedding };
      });
      const scores = ({ candidates }: Result) => new Map(candidates.map(({ id, score }) => [id, score]));
      const rank = (retriever: ReturnType<typeof dense>, k: number) =>
        answers(engine.rank(queries, { retriever, k, cite: false }));
      const [walked, scanned] = [await rank(hnsw(), 10), await rank(dense(), 200)];
      let found = 0;
      for (const [id, result] of walked) {
        expect(result.skipped).toMatchObject([{ channel: 'hnsw', code: 'approximate' }]);
        const exact = scores(scanned.get(id)!);
        for (const [row, score] of scores(result)) expect(exact.get(row) ?? score).toBe(score);
        const best = new Set([...exact.keys()].slice(0, 10));
        found += result.candidates.filter((candidate) => best.has(candidate.id)).length;
      }
      expect(found / (10 * asked.rows)).toBeGreaterThan(0.99);
    },
  );
});
