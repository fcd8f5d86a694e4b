import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  bm25,
  codeSearch,
  type Engine,
  evaluate,
  parseMeasure,
  type Retriever,
  readQrels,
  readSourceTree,
} from '../../dist/index.js';
import { opened } from '../index/small-index.js';
import { answers, data, runOf } from './collection.js';

/** Subjects of changes to hono 4.9.0 and the symbols and files that they changed (data/code-hono). */
const dist = fileURLToPath(new URL('../../node_modules/hono/dist', import.meta.url));
const MEASURES = ['nDCG@10', 'R@5'].map(parseMeasure);
let engine: Engine;
beforeAll(async () => {
  const { nodes, edges } = await readSourceTree(dist);
  engine = await opened({ nodes, edges }, { analyzer: 'code' });
}, 60_000);

async function measured(of: 'symbols' | 'files', retriever: Retriever | undefined) {
  const lines = readFileSync(data('code-hono/queries.jsonl'), 'utf8').trim().split('\n');
  const asked = lines.map((line) => {
    const { _id: id, text } = JSON.parse(line);
    return { id, text, principal: 'open' };
  });
  const options = { k: 100, cite: false, ...(retriever === undefined ? {} : { retriever }) };
  const run = runOf(await answers(engine.rank(asked, options)));
  return evaluate(await readQrels(data(`code-hono/qrels/${of}.tsv`)), run, MEASURES).measures;
}

describe('code localisation on hono', () => {
  it('finds the symbols that a change needs', async () => {
    const found = await measured('symbols', undefined);
    expect(found['nDCG@10']).toBeGreaterThanOrEqual(0.74);
    expect(found['R@5']).toBeGreaterThanOrEqual(0.85);
  });

  it('finds the files', async () => {
    const found = await measured('files', codeSearch({ surface: 'files' }));
    expect(found['nDCG@10']).toBeGreaterThanOrEqual(0.87);
  });

  it('does better than words alone', async () => {
    expect((await measured('symbols', bm25()))['nDCG@10']).toBeLessThan(0.7);
  });
});
