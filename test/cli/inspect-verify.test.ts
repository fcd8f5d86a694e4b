import { cp, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { corank, jsonl, temporaryFolder } from './corank.js';

const folder = temporaryFolder();
const sound = join(folder, 'sound');
const generation = 'gen-000001';

beforeAll(async () => {
  const nodes = await jsonl(folder, 'nodes.jsonl', [
    { id: 'a', text: 'cat', meta: { year: 1 }, org: 'o', source: 's', acl: ['t'] },
    { id: 'b', text: 'dog', org: 'o', source: 's', acl: [] },
  ]);
  const edges = join(folder, 'edges.csv');
  await writeFile(edges, 'src,dst\na,b\n');
  await corank(['index', nodes, '--edges', edges, '--field', 'year:int', '--out', sound, '--quiet']);
});

describe('inspect', () => {
  it('sees the whole index, without a principal', async () => {
    const { code, stdout } = await corank(['inspect', sound, '--json']);
    expect(code).toBe(0);
    const summary = JSON.parse(stdout);
    expect(summary).toMatchObject({
      generation,
      access: 'scoped',
      analyzer: { name: 'english' },
      counts: { nodes: 2, edges: 1, vectors: 0, terms: 2 },
      embedding: null,
      fields: [{ name: 'year', type: 'int' }],
    });
    expect(summary.tables).toContainEqual(expect.objectContaining({ name: 'nodes', rows: 2 }));
    const table = (await corank(['inspect', sound])).stdout;
    expect(table).toMatch(/^access +scoped$/m);
    expect(table).toMatch(/^nodes +2 +\d+$/m);
  });
});

it('inspect says what is kept of vectors', async () => {
  const nodes = await jsonl(folder, 'vectors.jsonl', [{ id: 'a', embedding: [1, 2] }]);
  for (const form of ['f32', 'int8', 'int8-only']) {
    const out = join(folder, form);
    const made = ['index', nodes, '--embedding-model', 'm', '--vectors', form, '--out', out, '--quiet'];
    expect((await corank(made)).code).toBe(0);
    expect((await corank(['inspect', out])).stdout).toMatch(
      new RegExp(`^vectors +1 of 2 numbers, ${form}, m$`, 'm'),
    );
    const { embedding } = JSON.parse((await corank(['inspect', out, '--json'])).stdout);
    expect(embedding).toMatchObject({ vectors: form });
    expect((await corank(['verify', out])).code).toBe(0);
  }
  const wrong = await corank(['index', nodes, '--vectors', 'int4', '--out', join(folder, 'int4')]);
  expect(wrong.code).toBe(2);
});

describe('verify', () => {
  it('says sound, exit 0', async () => {
    const { code, stdout, stderr } = await corank(['verify', sound]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^sound/);
    expect(JSON.parse((await corank(['verify', sound, '--json'])).stdout)).toEqual({
      sound: true,
      problems: [],
    });
  });

  it('names each damaged table, exit 3', async () => {
    const damaged = join(folder, 'damaged');
    await cp(sound, damaged, { recursive: true });
    const postings = join(damaged, generation, 'postings.arrow');
    const bytes = await readFile(postings);
    bytes[bytes.length >> 1]! ^= 1;
    await writeFile(postings, bytes);
    await truncate(join(damaged, generation, 'nodes.arrow'), 100);
    const shown = await corank(['verify', damaged]);
    expect(shown.code).toBe(3);
    expect(shown.stdout).toMatch(/^nodes +.*100 bytes/m);
    expect(shown.stderr).toMatch(/^corank: .*damaged: nodes, postings/);
    const json = await corank(['verify', damaged, '--json']);
    const { sound: whole, problems } = JSON.parse(json.stdout);
    expect({ code: json.code, whole }).toEqual({ code: 3, whole: false });
    expect(problems.map(({ table }: { table: string }) => table)).toEqual(['nodes', 'postings']);
    const caller = ['--principal', '{"org":"o","grants":["t"]}', '--sources', 's'];
    expect((await corank(['search', damaged, 'x', ...caller])).code).toBe(3);
  });

  it('finds a manifest that is lost or newer, exit 3', async () => {
    const newer = join(folder, 'newer');
    await cp(sound, newer, { recursive: true });
    const path = join(newer, generation, 'manifest.json');
    const manifest = JSON.parse(await readFile(path, 'utf8'));
    await writeFile(path, JSON.stringify({ ...manifest, version: 999 }));
    const { code, stdout, stderr } = await corank(['verify', newer, '--json']);
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({ sound: false, problems: [{ table: '*' }] });
    expect(stderr).toMatch(/version 999/);
    await writeFile(join(newer, 'CURRENT'), 'gen-000009\n');
    expect(await corank(['verify', newer])).toMatchObject({ code: 3, stdout: '' });
    expect((await corank(['inspect', newer])).code).toBe(3);
  });
});
