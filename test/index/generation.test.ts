import * as fs from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { buildIndex } from '../../src/index/build-index.js';
import { currentGeneration } from '../../src/index/generation.js';
import { loadTables } from '../../src/memory/load.js';
import { refusal, temporaryFolder } from './small-index.js';

/** Counts the changes to the file system and lets the test stop the writer at any of them. */
const writer = vi.hoisted(() => ({
  steps: 0,
  log: [] as string[],
  failAt: Number.POSITIVE_INFINITY,
  /** Called behind each read of a whole file. */
  onRead: undefined as undefined | ((path: string) => Promise<void>),
}));

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>();
  const stepping =
    <A extends unknown[], R>(name: string, call: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      writer.log.push(`${name} ${String(args[0]).split('/').at(-1)}`);
      if (++writer.steps === writer.failAt) throw new Error(`no ${name} at step ${writer.steps}`);
      return call(...args);
    };
  return {
    ...real,
    mkdir: stepping('mkdir', real.mkdir as never),
    open: stepping('open', real.open as never),
    readdir: stepping('readdir', real.readdir as never),
    rename: stepping('rename', real.rename as never),
    rm: stepping('rm', real.rm as never),
    writeFile: stepping('writeFile', real.writeFile as never),
    readFile: async (path: string, options: never) => {
      const text = await real.readFile(path, options);
      await writer.onRead?.(path);
      return text;
    },
  };
});

beforeEach(() => {
  Object.assign(writer, { steps: 0, log: [], failAt: Number.POSITIVE_INFINITY, onRead: undefined });
});

const build = (out: string, id: string, options: object = {}) =>
  buildIndex({ nodes: [{ id, text: id }], edges: [] }, { out, ...options });

/** The only id of the index at `out`, read as a reader reads it. */
async function idIn(out: string): Promise<string> {
  const { tables } = loadTables(await currentGeneration(out), 1);
  return tables.get('nodes')!.getChild('id')!.get(0) as string;
}

const emptyFolder = () => join(temporaryFolder(), 'index');

describe('publishing', () => {
  it('names the live generation in CURRENT, with nothing else beside it', async () => {
    const out = emptyFolder();
    expect((await build(out, 'first')).generation).toBe('gen-000001');
    expect(fs.readFileSync(join(out, 'CURRENT'), 'utf8')).toBe('gen-000001\n');
    expect(fs.readdirSync(out).sort()).toEqual(['CURRENT', 'gen-000001']);
  });

  it('renames over CURRENT at the end, all else being written before', async () => {
    const out = emptyFolder();
    await build(out, 'first');
    writer.log.length = 0;
    await build(out, 'second', { replace: true });
    const rename = writer.log.findIndex((line) => line.startsWith('rename'));
    expect(writer.log.filter((line) => line.startsWith('rename'))).toHaveLength(1);
    expect(writer.log.slice(rename).some((line) => /writeFile|\.arrow|mkdir/.test(line))).toBe(false);
    expect(writer.log.slice(0, rename).some((line) => line === 'writeFile CURRENT')).toBe(false);
  });

  it('replaces an index only when told to', async () => {
    const out = emptyFolder();
    await build(out, 'first');
    await refusal(build(out, 'second'), 'INVALID_INPUT', out, 'replace');
    expect(await idIn(out)).toBe('first');
    expect((await build(out, 'second', { replace: true })).generation).toBe('gen-000002');
    expect(await idIn(out)).toBe('second');
    expect(fs.readdirSync(out).sort()).toEqual(['CURRENT', 'gen-000002']);
  });

  it('refuses a folder that holds something else, and leaves it alone', async () => {
    const out = temporaryFolder();
    fs.writeFileSync(join(out, 'thesis.tex'), 'mine');
    await refusal(build(out, 'first', { replace: true }), 'INVALID_INPUT', 'thesis.tex');
    expect(fs.readdirSync(out)).toEqual(['thesis.tex']);
  });

  it('refuses a path that is a file', async () => {
    const out = join(temporaryFolder(), 'file');
    fs.writeFileSync(out, 'mine');
    await refusal(build(out, 'first'), 'INVALID_INPUT', out);
    expect(fs.readFileSync(out, 'utf8')).toBe('mine');
  });

  it('clears away what a killed writer left', async () => {
    const out = emptyFolder();
    await build(out, 'first');
    fs.mkdirSync(join(out, 'gen-000002'));
    fs.writeFileSync(join(out, 'gen-000002', 'nodes.arrow'), 'half');
    fs.writeFileSync(join(out, 'CURRENT.4711'), 'gen-000002\n');
    expect(await idIn(out)).toBe('first');
    expect((await build(out, 'third', { replace: true })).generation).toBe('gen-000003');
    expect(await idIn(out)).toBe('third');
    expect(fs.readdirSync(out).sort()).toEqual(['CURRENT', 'gen-000003']);
  });

  it('counts on behind a killed writer where no index was yet', async () => {
    const out = emptyFolder();
    fs.mkdirSync(join(out, 'gen-000001'), { recursive: true });
    await build(out, 'first');
    expect(await idIn(out)).toBe('first');
    expect(fs.readdirSync(out).sort()).toEqual(['CURRENT', 'gen-000002']);
  });
});

describe('a writer that is stopped', () => {
  it('by a signal leaves the old generation and nothing of the new one', async () => {
    const out = emptyFolder();
    await build(out, 'first');
    const controller = new AbortController();
    const reason = new Error('enough');
    const onProgress = ({ stage }: { stage: string }) => {
      if (stage === 'write') controller.abort(reason);
    };
    const building = build(out, 'second', { replace: true, signal: controller.signal, onProgress });
    await expect(building).rejects.toBe(reason);
    expect(fs.readdirSync(out).sort()).toEqual(['CURRENT', 'gen-000001']);
    expect(await idIn(out)).toBe('first');
  });

  it('by a signal while it reads has written nothing at all', async () => {
    const out = emptyFolder();
    const reason = new Error('enough');
    const controller = new AbortController();
    function* nodes() {
      yield { id: 'a' };
      controller.abort(reason);
      yield { id: 'b' };
    }
    const building = buildIndex({ nodes: nodes() }, { out, signal: controller.signal });
    await expect(building).rejects.toBe(reason);
    expect(fs.existsSync(out)).toBe(false);
  });

  it('at any step leaves the old generation or the new one, whole', async () => {
    const rehearsal = emptyFolder();
    await build(rehearsal, 'old');
    writer.steps = 0;
    await build(rehearsal, 'new', { replace: true });
    const steps = writer.steps;
    expect(steps).toBeGreaterThan(10);
    const found: Record<string, number> = { old: 0, new: 0 };
    const broken: string[] = [];
    for (let step = 1; step <= steps; step++) {
      const out = emptyFolder();
      writer.failAt = Number.POSITIVE_INFINITY;
      await build(out, 'old');
      Object.assign(writer, { steps: 0, log: [], failAt: step });
      await build(out, 'new', { replace: true }).catch(() => {});
      const stopped = writer.log[step - 1];
      writer.failAt = Number.POSITIVE_INFINITY;
      await idIn(out).then(
        (id) => found[id]!++,
        (error) => broken.push(`${stopped}: ${error.message.replaceAll(out, 'OUT')}`),
      );
    }
    expect(broken).toEqual([]);
    expect(found.old).toBeGreaterThan(5);
  });
});

describe('a reader', () => {
  it('gets one generation or the next when an index is replaced while it opens', async () => {
    const { Engine } = await import('../../src/engine.js');
    const out = emptyFolder();
    await build(out, 'first');
    writer.onRead = async (path) => {
      if (!path.endsWith('manifest.json')) return;
      writer.onRead = undefined;
      await build(out, 'second', { replace: true });
    };
    const engine = await Engine.open(out, { threads: 0 });
    const results = await Promise.all(
      ['first', 'second'].map((text) => engine.search({ text, principal: 'open' })),
    );
    await engine.close();
    expect(results.map(({ candidates }) => candidates.length).sort()).toEqual([0, 1]);
  });

  it('keeps its generation when the index is replaced behind it', async () => {
    const { Engine } = await import('../../src/engine.js');
    const out = emptyFolder();
    await build(out, 'first');
    const engine = await Engine.open(out, { threads: 0 });
    await build(out, 'second', { replace: true });
    const { candidates } = await engine.search({ text: 'first', principal: 'open' });
    await engine.close();
    expect(candidates.map(({ id }) => id)).toEqual(['first']);
  });
});
