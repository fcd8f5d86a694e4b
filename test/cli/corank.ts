import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, vi } from 'vitest';

// A process takes a while to start, and several test files start theirs at once.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

/** Data that all of the project shares. */
export const DATA = fileURLToPath(new URL('../../../shared/data/', import.meta.url));

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A folder of its own for a test file, removed at its end. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'corank-cli-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function start(
  args: readonly string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): ChildProcessWithoutNullStreams {
  const { NO_COLOR: _, ...env } = process.env;
  return spawn(process.execPath, [MAIN, ...args], { cwd: options.cwd, env: { ...env, ...options.env } });
}

/** What a started command said until it ended. */
export function end(child: ChildProcessWithoutNullStreams): Promise<Ended> {
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
}

/** Runs the built command line to its end. */
export function corank(
  args: readonly string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv; input?: string } = {},
): Promise<Ended> {
  const child = start(args, options);
  child.stdin.on('error', () => {});
  child.stdin.end(options.input ?? '');
  return end(child);
}

/** Writes records as JSON lines and returns the file's name. */
export async function jsonl(folder: string, name: string, records: readonly unknown[]): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  return path;
}

/** Waits until the folder has a name that passes. */
export async function appears(folder: string, passes: (name: string) => boolean): Promise<string> {
  for (;;) {
    const found = (await readdir(folder)).find(passes);
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** A matrix as numpy.save writes it: version 1.0, float32, C order. */
export function npy(rows: readonly (readonly number[])[]): Uint8Array {
  const shape = `(${rows.length}, ${rows[0]!.length})`;
  const text = `{'descr': '<f4', 'fortran_order': False, 'shape': ${shape}, }`;
  const header = `${text.padEnd(128 - 11)}\n`;
  const head = Buffer.from(`\x93NUMPY\x01\x00\x00\x00${header}`, 'latin1');
  head.writeUInt16LE(header.length, 8);
  return Buffer.concat([head, new Uint8Array(Float32Array.from(rows.flat()).buffer)]);
}
