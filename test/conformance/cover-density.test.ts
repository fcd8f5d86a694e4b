import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { coverDensity, type Engine } from '../../dist/index.js';
import { tsRankCd } from '../fixtures/ts-rank-cd.js';
import { openIndex } from './collection.js';

const { documents, queries } = tsRankCd();
const PLAIN = ['lateness policy supervisor', `lateness ${'filler '.repeat(7)}policy`, 'lateness '.repeat(4)];

async function ask(engine: Engine, text: string): Promise<Map<string, number>> {
  const options = { retriever: coverDensity(), depth: 1000, explain: true };
  for await (const { error, candidates } of engine.rank([{ text, principal: 'open', k: 1000 }], options)) {
    if (error !== undefined) throw error;
    for (const { score, explain } of candidates) {
      const sum = explain!.reduce((total, { value }) => total + value, 0);
      expect(Math.abs(sum - score)).toBeLessThan(1e-9);
    }
    return new Map(candidates.map(({ id, score }) => [id, score]));
  }
  throw new Error('no answer');
}

describe('coverDensity and ts_rank_cd of PostgreSQL 15', () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await openIndex({ nodes: documents.map((text, i) => ({ id: String(i), text })) });
  });
  afterAll(() => engine.close());

  it.each(queries)('agree in rows and scores on $text', async ({ text, matching, scores }) => {
    const expected = new Map(matching.map((document, i) => [String(document), scores[i]!]));
    const found = await ask(engine, text);
    expect([...found.keys()].sort()).toEqual([...expected.keys()].sort());
    // PostgreSQL prints float4, six digits.
    for (const [id, score] of found) {
      expect(Math.abs(score - expected.get(id)!)).toBeLessThanOrEqual(1e-5 * expected.get(id)!);
    }
  });
});

describe('the table of part B.2', () => {
  let engine: Engine;
  beforeAll(async () => {
    const far = `policy ${'filler '.repeat(300)}lateness`;
    const nodes = [...PLAIN, far, 'night shift worker', 'night shift night shift', 'night of the long shift'];
    engine = await openIndex({ nodes: nodes.map((text, i) => ({ id: String(i), text })) });
  });
  afterAll(() => engine.close());

  it.each([
    ['lateness policy supervisor', { 0: 0.3, 1: 0.2, 2: 0.4, 3: 0.2 }],
    ['lateness policy', { 0: 0.2, 1: 0.2, 2: 0.4, 3: 0.2 }],
    ['"night shift"', { 4: 0.1, 5: 0.2 }],
  ])('holds for %s, digit by digit', async (text, expected) => {
    expect(Object.fromEntries(await ask(engine, text))).toEqual(expected);
  });
});
