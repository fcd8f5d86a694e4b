import { execFileSync } from 'node:child_process';
import { chmod, lstat, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { tableFromIPC } from 'apache-arrow';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openRunWriter, type RunFormat } from '../../src/output/run-writer.js';
import { rejection } from '../evaluate/temporary-file.js';
import { candidate, result } from './results.js';

const one = result('q', [candidate('a', 2), candidate('b', 1)]);
const two = result('p', [candidate('c', 3)]);

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'corank-'));
  path = join(folder, 'run');
});

afterEach(() => rm(folder, { recursive: true }));

describe('openRunWriter', () => {
  it('writes a TREC run, with the retriever as tag unless told', async () => {
    for (const [tag, expected] of [
      [undefined, 'bm25'],
      ['mine', 'mine'],
    ]) {
      const writer = await openRunWriter(path, 'trec', { tag });
      await writer.write(one);
      await writer.close();
      expect(await readFile(path, 'utf8')).toBe(`q Q0 a 1 2 ${expected}\nq Q0 b 2 1 ${expected}\n`);
    }
  });

  it('writes JSON lines', async () => {
    const writer = await openRunWriter(path, 'jsonl');
    await writer.write(one);
    await writer.write(result('empty', []));
    await writer.close();
    const lines = (await readFile(path, 'utf8'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ id, candidates }) => [id, candidates.length])).toEqual([
      ['q', 2],
      ['empty', 0],
    ]);
  });

  it('writes an Arrow file', async () => {
    const writer = await openRunWriter(path, 'arrow');
    await writer.write(one);
    await writer.write(two);
    await writer.close();
    const table = tableFromIPC(await readFile(path));
    expect([...table.getChild('id')!]).toEqual(['a', 'b', 'c']);
  });

  it('shows nothing under the name until close, then replaces what was there', async () => {
    await writeFile(path, 'old');
    const writer = await openRunWriter(path, 'trec');
    await writer.write(two);
    expect(await readFile(path, 'utf8')).toBe('old');
    expect((await readdir(folder)).sort()).toEqual([
      expect.stringMatching(/^\.run\.tmp-\d+-[0-9a-f]+$/),
      'run',
    ]);
    await writer.close();
    expect(await readFile(path, 'utf8')).toBe('p Q0 c 1 3 bm25\n');
    expect(await readdir(folder)).toEqual(['run']);
  });

  it.each<RunFormat>(['trec', 'jsonl', 'arrow'])(
    'leaves the old file and no temporary one after abort (%s)',
    async (format) => {
      await writeFile(path, 'old');
      const writer = await openRunWriter(path, format);
      const writing = writer.write(one);
      await writer.abort();
      await writing;
      await writer.abort();
      expect(await readdir(folder)).toEqual(['run']);
      expect(await readFile(path, 'utf8')).toBe('old');
      expect(await rejection(writer.write(one))).toContain('CLOSED');
    },
  );

  it('ignores abort after close, and closes once', async () => {
    const writer = await openRunWriter(path, 'trec');
    await writer.write(two);
    await Promise.all([writer.close(), writer.close(), writer.abort()]);
    expect(await readdir(folder)).toEqual(['run']);
  });

  it('keeps the order of writes that nobody waited for', async () => {
    const writer = await openRunWriter(path, 'trec');
    const many = Array.from({ length: 200 }, (_, i) => writer.write(result(`q${i}`, [candidate('d', i)])));
    await writer.close();
    await Promise.all(many);
    const queries = (await readFile(path, 'utf8'))
      .trimEnd()
      .split('\n')
      .map((line) => line.split(' ')[0]);
    expect(queries).toEqual(Array.from({ length: 200 }, (_, i) => `q${i}`));
  });

  it('goes on after a result that TREC cannot express, without a line of it', async () => {
    const writer = await openRunWriter(path, 'trec');
    expect(await rejection(writer.write(result('q', [candidate('ok', 1), candidate('a b', 1)])))).toContain(
      'INVALID_INPUT: the document id "a b"',
    );
    await writer.write(two);
    await writer.close();
    expect(await readFile(path, 'utf8')).toBe('p Q0 c 1 3 bm25\n');
  });

  it('refuses a bad tag before anything is computed', async () => {
    expect(await rejection(openRunWriter(path, 'trec', { tag: 'my run' }))).toContain('the tag "my run"');
    expect(await readdir(folder)).toEqual([]);
  });

  it('refuses an unknown format and lists the known ones', async () => {
    expect(await rejection(openRunWriter(path, 'csv' as RunFormat))).toContain('known: trec, jsonl, arrow');
  });

  it('names the path when the folder is missing, is a file, or the path is a folder', async () => {
    await writeFile(path, 'file');
    for (const bad of [join(folder, 'none', 'run'), join(path, 'run'), folder, `${path}2/`, '']) {
      expect(await rejection(openRunWriter(bad, 'trec'))).toContain(
        `INVALID_INPUT: cannot write ${JSON.stringify(bad)}`,
      );
    }
    expect(await readdir(folder)).toEqual(['run']);
  });

  it.skipIf(process.getuid?.() === 0)('names the path when the folder is read-only', async () => {
    await chmod(folder, 0o500);
    expect(await rejection(openRunWriter(path, 'trec'))).toContain(`INVALID_INPUT: cannot write "${path}"`);
    await chmod(folder, 0o700);
  });

  it('removes the temporary file when the run cannot be put in its place', async () => {
    const writer = await openRunWriter(path, 'trec');
    await writer.write(one);
    execFileSync('mkdir', [path]);
    expect(await rejection(writer.close())).toContain(`cannot write "${path}"`);
    expect(await readdir(folder)).toEqual(['run']);
  });

  it('replaces the file behind a symbolic link, and does not widen its permissions', async () => {
    await writeFile(path, 'old', { mode: 0o600 });
    const link = join(folder, 'link');
    await symlink(path, link);
    const writer = await openRunWriter(link, 'trec');
    await writer.write(two);
    await writer.close();
    expect((await lstat(link)).isSymbolicLink()).toBe(true);
    expect(await readFile(path, 'utf8')).toBe('p Q0 c 1 3 bm25\n');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('writes to a device in place', async () => {
    const writer = await openRunWriter('/dev/null', 'trec');
    await writer.write(one);
    await writer.close();
    expect((await stat('/dev/null')).isCharacterDevice()).toBe(true);
  });
});

describe('a run on standard output', () => {
  it('waits until a slow reader has taken each result', async () => {
    const taken: string[] = [];
    const slow = new Writable({
      highWaterMark: 1,
      write: (chunk, _, done) => void setTimeout(() => done(void taken.push(String(chunk))), 5),
    });
    const writer = await openRunWriter('-', 'trec', { stdout: slow });
    await writer.write(one);
    expect(taken).toEqual(['q Q0 a 1 2 bm25\nq Q0 b 2 1 bm25\n']);
    await writer.write(two);
    await writer.close();
    expect(taken).toHaveLength(2);
    expect(slow.writableEnded).toBe(false);
    expect(slow.listenerCount('error')).toBe(0);
  });

  it('ends quietly when the reader is gone, and says so', async () => {
    const gone = new Writable({
      write: (_chunk, _, done) => done(Object.assign(new Error('broken pipe'), { code: 'EPIPE' })),
    });
    const writer = await openRunWriter('-', 'jsonl', { stdout: gone });
    expect(writer.ended).toBe(false);
    await writer.write(one);
    expect(writer.ended).toBe(true);
    await writer.write(two);
    await writer.close();
    await new Promise((resolve) => setImmediate(resolve));
  });

  it('rejects on any other failure of the stream', async () => {
    const broken = new Writable({ write: (_chunk, _, done) => done(new Error('no space')) });
    const writer = await openRunWriter('-', 'trec', { stdout: broken });
    expect(await rejection(writer.write(one))).toContain('no space');
    await writer.abort();
  });
});
