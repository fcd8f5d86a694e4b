import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { RecordBatch } from 'apache-arrow';
import { CorankError } from '../errors.js';
import { writeTable } from './arrow-file.js';
import { type BuiltGraph, writeGraph } from './graphs.js';
import { lock } from './lock.js';
import { manifestProblem } from './manifest-problem.js';
import { FORMAT, FORMAT_VERSION, type Manifest, type TableName } from './schema.js';

/**
 * An index is a folder: CURRENT names the live generation, a folder `gen-000001` with a manifest and one file
 * per table. A generation is written whole and synced before CURRENT is renamed over, so a reader sees the
 * old one or the new one, after a crash at any instant too.
 */
const CURRENT = 'CURRENT';
const LOCK = `${CURRENT}.lock`;
const MANIFEST = 'manifest.json';
const GENERATION = /^gen-\d{6,}$/;

export type Draft = Omit<Manifest, 'tables'>;

/** All of a generation before it is written. */
export interface Unwritten {
  draft: Draft;
  tables: ReadonlyMap<TableName, RecordBatch>;
  graphs: readonly BuiltGraph[];
}

export interface Generation {
  folder: string;
  name: string;
  manifest: Manifest;
}

/** Refuses a folder that holds something else, or an index when `replace` is not set. */
export async function prepareTarget(out: string, replace: boolean): Promise<void> {
  let names: string[];
  try {
    names = await readdir(out);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw new CorankError('INVALID_INPUT', `cannot write an index to ${out}: ${(cause as Error).message}`, {
      cause,
    });
  }
  const foreign = names.find(
    (name) => name !== CURRENT && !name.startsWith(`${CURRENT}.`) && !GENERATION.test(name),
  );
  if (foreign !== undefined) {
    throw new CorankError(
      'INVALID_INPUT',
      `${out} holds ${foreign}, which is no part of an index; choose another folder`,
    );
  }
  if (names.includes(CURRENT) && !replace) {
    throw new CorankError(
      'INVALID_INPUT',
      `${out} already holds an index; give --replace (replace: true) to renew it`,
    );
  }
}

/** Writes tables and graphs as the next generation and makes it the live one. On failure nothing of it remains. */
export async function publish(
  out: string,
  unwritten: Unwritten,
  replace: boolean,
  signal?: AbortSignal,
): Promise<Generation> {
  await makeWritable(out);
  const release = await lock(join(out, LOCK), signal);
  try {
    await prepareTarget(out, replace);
    return await publishLocked(out, unwritten, signal);
  } finally {
    await release();
  }
}

async function publishLocked(
  out: string,
  { draft, tables, graphs }: Unwritten,
  signal: AbortSignal | undefined,
): Promise<Generation> {
  const name = await claimGeneration(out);
  const folder = join(out, name);
  try {
    const manifest: Manifest = { ...draft, tables: {} };
    for (const [table, batch] of tables) {
      signal?.throwIfAborted();
      const file = `${table}.arrow`;
      manifest.tables[table] = {
        file,
        rows: batch.numRows,
        ...(await writeTable(join(folder, file), batch)),
      };
    }
    for (const [i, built] of graphs.entries()) {
      signal?.throwIfAborted();
      manifest.embedding!.ann!.graphs.push(await writeGraph(folder, i, built, manifest.embedding!));
    }
    await writeSynced(join(folder, MANIFEST), `${JSON.stringify(manifest, null, 1)}\n`);
    await syncFolder(folder);
    signal?.throwIfAborted();
    await makeCurrent(out, name);
    await removeOthers(out, name);
    return { folder, name, manifest };
  } catch (cause) {
    if ((await currentName(out)) !== name) await rm(folder, { recursive: true, force: true });
    throw cause;
  }
}

async function currentName(out: string): Promise<string | undefined> {
  return readFile(join(out, CURRENT), 'utf8').then(
    (text) => text.trim(),
    () => undefined,
  );
}

async function makeWritable(out: string): Promise<void> {
  try {
    await makeFolder(out);
  } catch (cause) {
    throw notWritable(out, cause);
  }
}

const notWritable = (out: string, cause: unknown): CorankError =>
  new CorankError('INVALID_INPUT', `cannot write an index to ${out}: ${(cause as Error).message}`, { cause });

async function claimGeneration(out: string): Promise<string> {
  const name = `gen-${String((await lastNumber(out)) + 1).padStart(6, '0')}`;
  try {
    await mkdir(join(out, name));
    return name;
  } catch (cause) {
    throw notWritable(out, cause);
  }
}

/** Node's own recursive mkdir never returns where a folder exists that takes no entries (/proc). */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT' || existsSync(dirname(path))) throw cause;
    await makeFolder(dirname(path));
    await mkdir(path);
  }
}

async function lastNumber(out: string): Promise<number> {
  const names = (await readdir(out)).filter((name) => GENERATION.test(name));
  return Math.max(0, ...names.map((name) => Number(name.slice(4))));
}

async function makeCurrent(out: string, name: string): Promise<void> {
  const temporary = join(out, `${CURRENT}.${process.pid}.${randomUUID()}`);
  await writeSynced(temporary, `${name}\n`);
  await rename(temporary, join(out, CURRENT));
  await syncFolder(out);
}

/** Earlier generations and what a killed writer left. Readers hold theirs in memory. */
async function removeOthers(out: string, keep: string): Promise<void> {
  for (const name of await readdir(out)) {
    const earlier = GENERATION.test(name) && Number(name.slice(4)) < Number(keep.slice(4));
    if (earlier || (name.startsWith(`${CURRENT}.`) && name !== LOCK)) {
      await rm(join(out, name), { recursive: true, force: true });
    }
  }
}

async function writeSynced(path: string, text: string): Promise<void> {
  await writeFile(path, text, { flush: true });
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/**
 * Gives the live generation to `use`. When a writer replaced it meanwhile, `use` is given the new one: a reader
 * sees one or the other whole, and a failure counts only when the generation is still the live one.
 */
export async function withCurrent<T>(
  index: string,
  use: (generation: Generation) => T | Promise<T>,
): Promise<T> {
  for (;;) {
    const name = await currentName(index);
    try {
      return await use(await currentGeneration(index));
    } catch (cause) {
      const now = await currentName(index);
      if (now === undefined || now === name) throw cause;
    }
  }
}

/** Whether a generation is still the live one. A writer makes its own live before it removes others. */
export async function isCurrent({ folder, name }: Generation): Promise<boolean> {
  return (await currentName(dirname(folder))) === name;
}

/** Reads CURRENT and its manifest. Another format, a newer version or a missing piece is named. */
export async function currentGeneration(index: string): Promise<Generation> {
  const name = (await readPiece(index, CURRENT)).trim();
  if (!GENERATION.test(name))
    throw new CorankError('CORRUPT_INDEX', `${join(index, CURRENT)} names no generation`);
  const folder = join(index, name);
  const manifest = parseManifest(await readPiece(folder, MANIFEST), join(folder, MANIFEST));
  return { folder, name, manifest };
}

async function readPiece(folder: string, name: string): Promise<string> {
  try {
    // A pipe would be waited for.
    if (!(await stat(join(folder, name))).isFile()) throw new Error('it is no file');
    return await readFile(join(folder, name), 'utf8');
  } catch (cause) {
    if (name === CURRENT) {
      const exists = await stat(folder).catch(() => undefined);
      const why =
        exists === undefined
          ? 'does not exist: name a folder made by corank index'
          : 'is not a corank index (it has no CURRENT file)';
      throw new CorankError('INVALID_INPUT', `${folder} ${why}`, { cause });
    }
    throw new CorankError('CORRUPT_INDEX', `cannot read ${join(folder, name)}: ${(cause as Error).message}`, {
      cause,
    });
  }
}

function parseManifest(text: string, path: string): Manifest {
  let manifest: Manifest;
  try {
    manifest = JSON.parse(text) as Manifest;
  } catch (cause) {
    throw new CorankError('CORRUPT_INDEX', `${path} is not JSON`, { cause });
  }
  if (manifest === null || typeof manifest !== 'object' || manifest.format !== FORMAT) {
    throw new CorankError('CORRUPT_INDEX', `${path} is not the manifest of a corank index`);
  }
  if (manifest.version !== FORMAT_VERSION) {
    throw new CorankError(
      'UNSUPPORTED_VERSION',
      `${path} has format version ${manifest.version}, this corank reads version ${FORMAT_VERSION}; ` +
        'build the index anew or use the corank that wrote it',
    );
  }
  const problem = manifestProblem(manifest);
  if (problem === undefined) return manifest;
  throw new CorankError('CORRUPT_INDEX', `${path}: ${problem}`);
}
