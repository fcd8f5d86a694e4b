/** Indexes and processes that behave badly on purpose; each returns what a case can look at. */

import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { CorankError } from '../../dist/errors.js';
import { buildIndex, Engine, type Retriever } from '../../dist/index.js';
import { type Ran, reachable, run } from './cli.js';
import { EDGES, file, jsonl, NODES, newFolder, OPTIONS } from './corpus.js';
import {
  type Damage,
  generationOf,
  type ManifestJson,
  manifestPath,
  readManifest,
  tablePath,
  tablesOf,
} from './damage.js';

/** A retriever of one's own, with whatever name. */
export function own(retrieve: unknown, name: unknown = 'own'): Retriever {
  return { name, retrieve } as Retriever;
}

export const never = (): Promise<never> => new Promise(() => {});

/** Opens and refuses to wait for ever: an engine that cannot be opened counts as its error's code. */
export async function codeOfOpening(path: string): Promise<string> {
  try {
    await (await Engine.open(path, { threads: 0 })).close();
    return 'opened';
  } catch (error) {
    return error instanceof CorankError ? error.code : `raw ${(error as Error).stack}`;
  }
}

/** What opening says of each of these, counted. */
export async function codesOfOpening(paths: Iterable<string>): Promise<Record<string, number>> {
  const codes: Record<string, number> = {};
  for (const path of paths) {
    const code = await codeOfOpening(path);
    codes[code] = (codes[code] ?? 0) + 1;
  }
  return codes;
}

/** One flipped bit every `stride` bytes of every table, from `offset` on. */
export function tableFlips(index: string, stride: number, offset = 0): Damage[] {
  return tablesOf(index).flatMap((table) => {
    const { size } = statSync(tablePath(index, table));
    const places = Array.from({ length: Math.ceil((size - offset) / stride) }, (_, i) => offset + i * stride);
    return places.map((at, i) => {
      const bit = (i * 5) % 8;
      return { name: `${table}.arrow, byte ${at}, bit ${bit}`, table, flips: [{ at, bit }] };
    });
  });
}

/** The manifest with one flipped bit, as Latin-1 so that no other byte changes. */
export function manifestFlips(index: string, stride: number): Damage[] {
  const bytes = readFileSync(manifestPath(index));
  const damages: Damage[] = [];
  for (let at = 0; at < bytes.length; at += stride) {
    const copy = Buffer.from(bytes);
    copy[at]! ^= 1 << (at % 7);
    damages.push({ name: `manifest.json, byte ${at}, bit ${at % 7}`, manifest: copy.toString('latin1') });
  }
  return damages;
}

/** The manifest with one value replaced, for every value but most of the checksums. */
export function manifestValues(index: string, value: unknown): Damage[] {
  const sound = readManifest(index);
  return leavesOf(sound)
    .filter(([first, table]) => first !== 'tables' || table === 'nodes')
    .map((path) => {
      const manifest = structuredClone(sound);
      replace(manifest, path, value);
      return { name: `${path.join('.')} = ${JSON.stringify(value)}`, manifest: JSON.stringify(manifest) };
    });
}

function leavesOf(value: unknown, path: string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [path];
  const inner = Object.entries(value).flatMap(([key, below]) => leavesOf(below, [...path, key]));
  return path.length === 0 ? inner : [path, ...inner];
}

function replace(manifest: ManifestJson, path: readonly string[], value: unknown): void {
  const owner = path
    .slice(0, -1)
    .reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], manifest);
  const key = path.at(-1)!;
  if (value === undefined) delete (owner as Record<string, unknown>)[key];
  else (owner as Record<string, unknown>)[key] = value;
}

const BUILDER = new URL('../../dist/index.js', import.meta.url).href;

/** Opens and asks again and again while another process replaces the index `times` times. */
export async function openedWhileReplaced(times: number): Promise<Record<string, number>> {
  const path = join(newFolder(), 'index');
  const nodes = Array.from({ length: 50 }, (_, i) => ({ id: `n${i}`, text: `apple ${i}` }));
  await buildIndex({ nodes }, { out: path });
  const script = `
    const { buildIndex } = await import(${JSON.stringify(BUILDER)});
    const nodes = ${JSON.stringify(nodes)};
    for (let i = 0; i < ${times}; i++) await buildIndex({ nodes }, { out: ${JSON.stringify(path)}, replace: true });`;
  const builder = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'ignore' });
  let running = true;
  builder.on('exit', () => {
    running = false;
  });
  const seen: Record<string, number> = {};
  while (running) {
    const code = await codeOfOpening(path);
    seen[code] = (seen[code] ?? 0) + 1;
  }
  return seen;
}

/**
 * Opens, asks and closes again and again in a process of its own: threads are ended while they are starting.
 * How the process ends.
 */
export function openedAndClosed(path: string, threads: number, milliseconds: number): Promise<Ran> {
  const script = `
    const { Engine } = await import(${JSON.stringify(BUILDER)});
    for (const end = Date.now() + ${milliseconds}; Date.now() < end; ) {
      const engine = await Engine.open(${JSON.stringify(path)}, { threads: ${threads} });
      await engine.search({ text: 'apple', principal: 'open' });
      await engine.close();
    }`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', (data) => {
    stderr += data;
  });
  return new Promise((resolve) => {
    child.on('close', (code, signal) => resolve({ code: signal ?? code!, stdout: '', stderr }));
  });
}

/** Builds into one folder at the same time; what came of each, and of opening it afterwards. */
export async function builtAtOnce(builders: number): Promise<{ failures: unknown[]; afterwards: string }> {
  const path = join(newFolder(), 'index');
  const settled = await Promise.allSettled(
    Array.from({ length: builders }, () =>
      buildIndex({ nodes: NODES, edges: EDGES }, { ...OPTIONS, out: path, replace: true }),
    ),
  );
  const failures = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  return { failures, afterwards: await codeOfOpening(path) };
}

/** The same by processes of the command line. */
export async function commandsAtOnce(
  builders: number,
): Promise<{ codes: unknown[]; stderr: string; after: string }> {
  const path = join(newFolder(), 'index');
  const corpus = manyRecords(300);
  const ran = await Promise.all(
    Array.from({ length: builders }, () => run(['index', corpus, '--out', path, '--replace', '--quiet'])),
  );
  return {
    codes: ran.map(({ code }) => code),
    stderr: ran.map(({ stderr }) => stderr).join(''),
    after: await codeOfOpening(path),
  };
}

function manyRecords(count: number): string {
  const words = Array.from({ length: 60 }, (_, i) => `word${i}`).join(' ');
  return file(
    'many.jsonl',
    jsonl(...Array.from({ length: count }, (_, i) => ({ _id: `n${i}`, text: `${words} ${i}` }))),
  );
}

/** Kills a builder that replaces an index at several moments; what is found each time, and a new build after. */
export async function builderKilled(): Promise<{ opened: string[]; again: Ran }> {
  const path = join(newFolder(), 'index');
  await buildIndex({ nodes: NODES, edges: EDGES }, { ...OPTIONS, out: path });
  const corpus = manyRecords(3000);
  const command = ['index', corpus, '--out', path, '--replace', '--quiet'];
  const opened: string[] = [];
  for (const killAfter of [300, 600, 900, 1200]) {
    await run(command, { killAfter });
    opened.push(await codeOfOpening(path));
  }
  return { opened, again: await run(command) };
}

/** A generation that a killed writer left half done beside a sound one, or alone. */
export function halfWritten(path: string): string {
  const folder = join(path, 'gen-000002');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'nodes.arrow'), 'ARROW1');
  writeFileSync(join(path, 'CURRENT.123'), 'gen-0');
  return path;
}

export function fifo(path: string): string {
  expect(spawnSync('mkfifo', [path]).status).toBe(0);
  return path;
}

/** A file that others may not read, asked for by somebody who is not root. */
export function asNobody(mode: number, name: string, content: string, args: (path: string) => string[]) {
  return (): Promise<Ran> => {
    const path = reachable(file(name, content));
    chmodSync(path, mode);
    return run(args(path), { unprivileged: true });
  };
}

/** Into a folder that may not be written. */
export function intoReadOnly(corpus: () => string): () => Promise<Ran> {
  return () => {
    const folder = newFolder();
    chmodSync(folder, 0o555);
    const args = ['index', reachable(corpus()), '--out', join(reachable(join(folder, 'index'))), '--quiet'];
    chmodSync(folder, 0o555);
    return run(args, { unprivileged: true });
  };
}

/** Runs a batch and returns the run, the failures by line and the process. */
export async function batch(index: string, queries: string | Buffer, ...args: string[]) {
  const out = join(newFolder(), 'run.trec');
  const path = file('queries.jsonl', queries);
  const ran = await run(['rank', index, '--queries', path, '--out', out, '--quiet', ...args], {
    limit: 60_000,
  });
  const errors = `${out}.errors.jsonl`;
  return {
    ...ran,
    run: existsSync(out) ? readFileSync(out, 'utf8') : undefined,
    failed: existsSync(errors)
      ? readFileSync(errors, 'utf8')
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line) as { id?: string; line: number; code: string; message: string })
      : [],
    left: readdirSync(join(out, '..')),
  };
}

/** What a stream or a signal ends in. */
export const DISK = new Error('disk');

export function* failingNodes(): Generator<{ id: string; text: string }> {
  yield { id: 'a', text: 'apple' };
  throw DISK;
}

/** One hit that is good, and every way of being none. */
export const HOSTILE_HITS = [
  { id: '__proto__', score: 1 },
  { id: 5, score: 1 },
  { id: null, score: 1 },
  null,
  undefined,
  5,
  'a',
  { id: '\ud800', score: 1 },
  { id: 'd', score: 9 },
  { id: 'a', score: Number.NaN },
  { id: 'a', score: '5' },
  { id: 'a', score: 3 },
  { id: 'a', score: 2 },
  { id: {}, score: 1 },
  { id: new String('b'), score: 1 },
];

/** Lines 1 and 13 are good. */
export const BAD_QUERIES = Buffer.concat([
  Buffer.from(
    [
      '{"_id":"good","text":"apple"}',
      '{"_id":',
      '{"_id":"q3"}',
      '{"_id":"q4","text":"apple","k":1e999}',
      '{"_id":"q5","text":"apple","k":2.5}',
      '{"_id":"q6","text":"apple","k":2147483648}',
      '{"_id":"q 7","text":"apple"}',
      '{"_id":"good","text":"apple"}',
      '{"_id":"q9","text":"apple","filters":[{"field":"nope","op":"=","value":1}]}',
      '{"_id":"q10","text":"apple","principal":{"org":"o","grants":["x"]}}',
      '{"_id":"q11","txet":"apple"}',
      '{"_id":"q12","text":"',
    ].join('\n'),
  ),
  Buffer.from([0xff]),
  Buffer.from('"}\n{"_id":"__proto__","text":"apple"}\n'),
]);

/** A .npy file of float32 with this shape, whether or not there are as many numbers. */
export function npy(shape: readonly number[], numbers: readonly number[]): Buffer {
  const header = `{'descr': '<f4', 'fortran_order': False, 'shape': (${shape.join(', ')}), }`.padEnd(117);
  const head = Buffer.from(`\x93NUMPY\x01\0\x76\0${header}\n`, 'latin1');
  return Buffer.concat([head, Buffer.from(Float32Array.from(numbers).buffer)]);
}

/** An index that anybody may read, folders included. */
export function readable(index: string): string {
  const generation = generationOf(index);
  for (const name of readdirSync(generation)) chmodSync(reachable(join(generation, name)), 0o644);
  return index;
}
