import { truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { absent } from '../index/hnsw-package.js';
import { corank, jsonl, temporaryFolder } from './corank.js';

const folder = temporaryFolder();
const out = join(folder, 'index');

describe.skipIf(absent)('corank index --ann', () => {
  let nodes: string;
  let said: string;

  beforeAll(async () => {
    const rows = Array.from({ length: 50 }, (_, i) => ({
      id: `n${i}`,
      text: `word${i}`,
      embedding: [i + 1, 7],
    }));
    nodes = await jsonl(folder, 'nodes.jsonl', rows);
    const { code, stderr } = await corank(['index', nodes, '--embedding-model', 'm', '--ann', '--out', out]);
    expect(code).toBe(0);
    said = stderr;
  });

  it('says what it does and how good the graph is', () => {
    expect(said).toMatch(/^linking the vectors into graphs of neighbours/m);
    expect(said).toMatch(/^graphs of neighbours +1, m 16, efConstruction 200, recall@10 1\.000$/m);
  });

  it('has its graph shown by inspect', async () => {
    const { stdout } = await corank(['inspect', out]);
    expect(stdout).toMatch(/^graphs of neighbours +1, m 16, efConstruction 200, recall@10 1\.000$/m);
    expect(stdout).toMatch(/^hnsw-0\.bin +50 +\d+$/m);
    const summary = JSON.parse((await corank(['inspect', out, '--json'])).stdout);
    expect(summary.embedding.ann.graphs).toMatchObject([{ file: 'hnsw-0.bin', rows: 50, recall: 1 }]);
  });

  it('gives one JSON value with the graphs', async () => {
    const args = ['index', nodes, '--embedding-model', 'm', '--ann', '--replace', '--json', '--quiet'];
    const { code, stdout, stderr } = await corank([...args, '--out', out]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({
      vectors: 50,
      ann: { m: 16, graphs: [{ rows: 50, recall: 1 }] },
    });
  });

  it('can be asked for by --embed lsa, and searched', async () => {
    const own = join(folder, 'own');
    const texts = await jsonl(
      folder,
      'texts.jsonl',
      ['red apple', 'green apple', 'green pear', 'blue sky'].map((text, i) => ({ id: `t${i}`, text })),
    );
    expect((await corank(['index', texts, '--embed', 'lsa:2', '--ann', '--out', own])).code).toBe(0);
    const args = ['search', own, 'apple', '--retriever', 'hnsw', '--json', '--threads', '0'];
    const { code, stdout } = await corank([...args, '--set', 'hnsw.ef=50']);
    expect(code).toBe(0);
    const { retriever, skipped, candidates } = JSON.parse(stdout);
    expect({ retriever, first: candidates[0].text }).toEqual({
      retriever: 'hnsw',
      first: expect.stringMatching(/apple/),
    });
    expect(skipped).toMatchObject([{ channel: 'hnsw', code: 'approximate' }]);
  });

  it.each([
    [
      'a setting out of range',
      ['search', out, 'x', '--retriever', 'hnsw', '--set', 'hnsw.ef=0'],
      /hnsw\.ef must be/,
    ],
    [
      'vectors that keep no numbers',
      ['index', 'x', '--out', join(folder, 'no'), '--ann', '--vectors', 'int8-only'],
      /--ann holds the numbers that --vectors int8-only leaves out/,
    ],
  ])('refuses %s, exit 2', async (_, args, message) => {
    const { code, stderr } = await corank(args);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });

  it('is found damaged by verify and by a search, exit 3', async () => {
    expect((await corank(['verify', out])).code).toBe(0);
    await truncate(join(out, 'gen-000002', 'hnsw-0.bin'), 1000);
    const verified = await corank(['verify', out]);
    expect(verified).toMatchObject({ code: 3, stdout: expect.stringMatching(/hnsw-0\.bin is damaged/) });
    expect(verified.stderr).toMatch(/is damaged: ann/);
  });
});
