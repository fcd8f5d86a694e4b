import { existsSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { corank, end, jsonl, npy, start, temporaryFolder } from './corank.js';

const folder = temporaryFolder();
const at = (name: string): string => join(folder, name);

beforeAll(async () => {
  await jsonl(folder, 'a.jsonl', [
    { id: 'x', text: 'cat', meta: { year: 1999, tags: ['no', 'lists'] } },
    { id: 'a', text: 'dog' },
  ]);
  await writeFile(at('b.csv'), 'id,text\nm,cow\n');
  await writeFile(at('rows.csv'), 'src,dst\n0,2\n2,1\n');
  await writeFile(at('ids.csv'), 'src,dst,kind,weight\nx,a,cites,2\nx,ghost,cites,1\n');
});

describe('index', () => {
  it('prints one JSON value with the counts, and notes on stderr', async () => {
    const { code, stdout, stderr } = await corank(
      ['index', 'a.jsonl', 'b.csv', '--out', 'json', '--field', 'year:int', '--json'],
      { cwd: folder },
    );
    expect(code).toBe(0);
    expect(stdout.trimEnd().split('\n')).toHaveLength(1);
    expect(JSON.parse(stdout)).toMatchObject({
      nodes: 3,
      edges: 0,
      skippedEdges: 0,
      droppedMeta: 1,
      vectors: 0,
      terms: 3,
      access: 'open',
      generation: 'gen-000001',
    });
    expect(stderr).toContain('reading a.jsonl as jsonl\nreading b.csv as csv\n');
    expect(stderr).toMatch(/"tags".*a\.jsonl:1/);
    expect(stderr).toMatch(/^nodes +3$/m);
  });

  it('takes rows of edges over all sources in their order', async () => {
    const args = ['index', 'a.jsonl', 'b.csv', '--edges', 'rows.csv', '--edge-rows', '--out', 'rows'];
    expect(await corank([...args, '--quiet'], { cwd: folder })).toEqual({ code: 0, stdout: '', stderr: '' });
    const walked = await corank(['walk', 'rows', '--seed', 'x', '--direction', 'forward', '--json'], {
      cwd: folder,
    });
    // x -> m -> a: half of what leaves x arrives at each step but for the damping.
    expect(JSON.parse(walked.stdout).nodes.map((node: { id: string }) => node.id)).toEqual(['x', 'm', 'a']);
  });

  it('refuses an edge that ends nowhere, or counts it', async () => {
    const args = ['index', 'a.jsonl', '--edges', 'ids.csv', '--out', 'dangling', '--json'];
    const refused = await corank(args, { cwd: folder });
    expect(refused).toMatchObject({ code: 3, stdout: '' });
    expect(refused.stderr).toMatch(/ids\.csv:3: .*"x".*"ghost"/);
    expect(existsSync(at('dangling'))).toBe(false);
    const counted = await corank([...args, '--skip-dangling'], { cwd: folder });
    expect(JSON.parse(counted.stdout)).toMatchObject({ edges: 1, skippedEdges: 1 });
  });

  it('renews an index only when asked to, and never a foreign folder', async () => {
    const args = ['index', 'a.jsonl', '--out', 'again', '--json'];
    await corank(args, { cwd: folder });
    const refused = await corank(args, { cwd: folder });
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('--replace');
    const renewed = await corank([...args, '--replace'], { cwd: folder });
    expect(JSON.parse(renewed.stdout).generation).toBe('gen-000002');
    expect((await corank(['index', 'a.jsonl', '--out', '.', '--replace'], { cwd: folder })).code).toBe(2);
  });

  it('names the line of bad data and leaves nothing behind', async () => {
    await writeFile(at('bad.jsonl'), '{"id":"a","text":"x"}\n{"id":"a","text":"y"}\n');
    const { code, stderr } = await corank(['index', 'bad.jsonl', '--out', 'bad'], { cwd: folder });
    expect(code).toBe(3);
    expect(stderr).toMatch(/^corank: bad\.jsonl:2: .*"a"/m);
    expect(existsSync(at('bad'))).toBe(false);
  });

  it('is scoped once access columns are given, and refuses to call that open', async () => {
    await jsonl(folder, 'acl.jsonl', [
      { id: 'x', org: 'acme', source: 'wiki', acl: ['all'] },
      { id: 'a', org: 'acme', source: 'wiki', acl: [] },
    ]);
    const args = ['index', 'a.jsonl', '--acl', 'acl.jsonl', '--json'];
    const scoped = await corank([...args, '--out', 'scoped'], { cwd: folder });
    expect(JSON.parse(scoped.stdout).access).toBe('scoped');
    const open = await corank([...args, '--out', 'open', '--access', 'open'], { cwd: folder });
    expect(open).toMatchObject({ code: 4, stdout: '' });
  });

  it('takes vectors in the order of the nodes, one each', async () => {
    await writeFile(
      at('two.npy'),
      npy([
        [1, 0],
        [0, 1],
      ]),
    );
    const args = ['--embeddings', 'two.npy', '--embedding-model', 'hand', '--json'];
    const fits = await corank(['index', 'a.jsonl', '--out', 'vectors', ...args], { cwd: folder });
    expect(JSON.parse(fits.stdout).vectors).toBe(2);
    const many = await corank(['index', 'a.jsonl', 'b.csv', '--out', 'vectors3', ...args], { cwd: folder });
    expect(many).toMatchObject({ code: 3, stdout: '' });
    expect(many.stderr).toContain('2 rows');
  });

  it('reads nodes from standard input', async () => {
    const { stdout } = await corank(['index', '-', '--out', 'stdin', '--json'], {
      cwd: folder,
      input: '{"id":"only"}\n',
    });
    expect(JSON.parse(stdout).nodes).toBe(1);
  });

  it('ends with 130 on Ctrl-C and leaves no index', async () => {
    const child = start(['index', '-', '--out', 'interrupted'], { cwd: folder });
    const ended = end(child);
    await new Promise((resolve) => child.stderr.once('data', resolve));
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ code: 130, stdout: '' });
    expect((await readdir(folder)).filter((name) => name.startsWith('interrupted'))).toEqual([]);
  });
});
