/** Temporary input files and the shared collections, for the tests of ingest. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterAll, expect } from 'vitest';
import { CorankError, type ErrorCode } from '../../src/errors.js';

export const SHARED = fileURLToPath(new URL('../../../shared/data', import.meta.url));

/** A folder of its own per test file, removed at the end. */
export function inputFolder() {
  const dir = mkdtempSync(join(tmpdir(), 'corank-ingest-'));
  afterAll(() => rmSync(dir, { recursive: true, force: true }));
  return {
    dir,
    path: (name: string) => join(dir, name),
    /** Compressed when the name ends with .gz. */
    write(name: string, content: string | Uint8Array): string {
      writeFileSync(join(dir, name), name.endsWith('.gz') ? gzipSync(content) : content);
      return join(dir, name);
    },
  };
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

export async function count(items: AsyncIterable<unknown>): Promise<number> {
  let n = 0;
  for await (const _ of items) n++;
  return n;
}

/** The CorankError that an action ends with, which must have this code and say all of these. */
export async function refusalOf(
  action: () => unknown,
  says: readonly (string | RegExp)[],
  code: ErrorCode = 'INVALID_INPUT',
): Promise<CorankError> {
  let thrown: unknown;
  try {
    await action();
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(CorankError);
  const error = thrown as CorankError;
  expect(error.code).toBe(code);
  for (const part of says) expect(error.message).toMatch(part);
  return error;
}
