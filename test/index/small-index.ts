/** Small indexes in folders of their own, for the tests of this and of the neighbouring folders. */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Table, tableFromIPC } from 'apache-arrow';
import { afterAll, expect } from 'vitest';
import type { CorankError, ErrorCode } from '../../dist/errors.js';
import {
  type BuildOptions,
  type BuildReport,
  buildIndex,
  Engine,
  type EngineOptions,
  type IndexSource,
} from '../../dist/index.js';

const folders: string[] = [];
const engines: Engine[] = [];

// At the top of the file that imports this: a hook that a test registers while it runs is not called.
afterAll(async () => {
  for (const engine of engines) await engine.close();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A folder that is removed when the file's tests are done. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'corank-test-'));
  folders.push(folder);
  return folder;
}

export type Built = BuildReport & { path: string };

export async function built(source: IndexSource, options: Omit<BuildOptions, 'out'> = {}): Promise<Built> {
  const path = join(temporaryFolder(), 'index');
  return { path, ...(await buildIndex(source, { ...options, out: path })) };
}

/** Builds and opens; closed at the end. In the calling thread unless `threads` says otherwise. */
export async function opened(
  source: IndexSource,
  options: Omit<BuildOptions, 'out'> = {},
  engineOptions: EngineOptions = {},
): Promise<Engine> {
  const { path } = await built(source, options);
  return openedAt(path, engineOptions);
}

export async function openedAt(path: string, engineOptions: EngineOptions = {}): Promise<Engine> {
  const engine = await Engine.open(path, { threads: 0, ...engineOptions });
  engines.push(engine);
  return engine;
}

/** Runs on a small index that is gone afterwards: for properties, which make hundreds of them. */
export async function withEngine<T>(
  source: IndexSource,
  options: Omit<BuildOptions, 'out'>,
  use: (engine: Engine) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'corank-test-'));
  try {
    await buildIndex(source, { ...options, out: join(folder, 'index') });
    const engine = await Engine.open(join(folder, 'index'), { threads: 0 });
    try {
      return await use(engine);
    } finally {
      await engine.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A table of the live generation as apache-arrow alone reads it. */
export const tableOf = ({ path, generation }: Built, name: string): Table =>
  tableFromIPC(readFileSync(join(path, generation, `${name}.arrow`)));

/** A column's values as plain arrays, numbers and strings. */
export const column = (table: Table, name: string): unknown[] => {
  const vector = table.getChild(name);
  if (vector === null) throw new Error(`no column ${name}`);
  return Array.from(vector, plain);
};

function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return Array.from(value);
  if (value !== null && typeof value === 'object' && Symbol.iterator in value)
    return Array.from(value as Iterable<unknown>, plain);
  return value;
}

/** The CorankError that a promise rejects with, which must have this code and say all of these. */
export async function refusal(
  asking: Promise<unknown>,
  code: ErrorCode,
  ...says: (string | RegExp)[]
): Promise<CorankError> {
  const error = await asking.then(
    () => undefined,
    (thrown) => thrown,
  );
  expect(error, 'nothing was thrown').toBeDefined();
  expect({ name: error.name, code: error.code, message: error.message }).toMatchObject({
    name: 'CorankError',
    code,
  });
  for (const part of says) expect(error.message).toMatch(part);
  return error;
}
