import { mkdtempSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'corank-'));
let files = 0;

afterAll(() => rm(folder, { recursive: true }));

/** A file of this name with these lines, in a folder of its own. */
export async function fileOf(name: string, lines: readonly string[] | Uint8Array): Promise<string> {
  const own = join(folder, String(files++));
  await mkdir(own);
  const path = join(own, name);
  await writeFile(path, lines instanceof Uint8Array ? lines : `${lines.join('\n')}\n`);
  return path;
}

/** The message of what a promise rejects with; its code in front. */
export async function rejection(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    return `${(error as { code?: string }).code}: ${(error as Error).message}`;
  }
  throw new Error('expected a rejection');
}
