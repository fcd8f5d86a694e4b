/** Ways to damage an index on disk, honestly (the checksum shows it) or with a checksum that matches. */

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { crc32 } from 'node:zlib';
import { newFolder } from './corpus.js';

export interface ManifestJson {
  version: unknown;
  access: unknown;
  counts: Record<string, unknown>;
  tables: Record<string, { file: string; size: number; crc32: number; sha256: string; rows: number }>;
  [key: string]: unknown;
}

export function copyOf(index: string): string {
  const path = join(newFolder(), 'index');
  cpSync(index, path, { recursive: true });
  return path;
}

export function generationOf(index: string): string {
  return join(index, readFileSync(join(index, 'CURRENT'), 'utf8').trim());
}

export const tablePath = (index: string, table: string): string =>
  join(generationOf(index), `${table}.arrow`);
export const manifestPath = (index: string): string => join(generationOf(index), 'manifest.json');

export function readManifest(index: string): ManifestJson {
  return JSON.parse(readFileSync(manifestPath(index), 'utf8')) as ManifestJson;
}

export function tablesOf(index: string): string[] {
  return Object.keys(readManifest(index).tables);
}

/** A copy with another manifest. */
export function withManifest(index: string, edit: (manifest: ManifestJson) => void): string {
  const copy = copyOf(index);
  const manifest = readManifest(copy);
  edit(manifest);
  writeFileSync(manifestPath(copy), JSON.stringify(manifest));
  return copy;
}

/** A copy of which one file has other bytes; the manifest still tells of the old ones. */
export function withFile(index: string, name: string, edit: (bytes: Buffer) => Buffer | string): string {
  const copy = copyOf(index);
  const path = name === 'CURRENT' ? join(copy, name) : join(generationOf(copy), name);
  writeFileSync(path, edit(readFileSync(path)));
  return copy;
}

export function flipped(bytes: Buffer, at: number, bit: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at]! ^= 1 << bit;
  return copy;
}

/** Makes size and checksums in the manifest those of the files as they are: damage by someone who knows how. */
export function checksummed(index: string): string {
  const manifest = readManifest(index);
  for (const [table, entry] of Object.entries(manifest.tables)) {
    const bytes = readFileSync(tablePath(index, table));
    entry.size = bytes.length;
    entry.crc32 = crc32(bytes);
    entry.sha256 = createHash('sha256').update(bytes).digest('hex');
  }
  writeFileSync(manifestPath(index), JSON.stringify(manifest));
  return index;
}

export interface Flip {
  at: number;
  bit: number;
}

/** Flips in a table, whose checksums are made to match; or another text of the manifest. */
export type Damage = { name: string } & ({ table: string; flips: Flip[] } | { manifest: string });

const RUNNER = fileURLToPath(new URL('open-damaged.mjs', import.meta.url));

/**
 * Opens, asks and verifies the index under each damage in a process that is killed after `limit` ms without an
 * answer. Returns what was neither refused with a code nor answered sanely, by damage: the first `most` or so.
 */
export async function failuresUnder(
  index: string,
  damages: readonly Damage[],
  { limit = 3000, most = 1 }: { limit?: number; most?: number } = {},
): Promise<string[]> {
  const folder = newFolder();
  const plan = join(folder, 'plan.json');
  const work = join(folder, 'index');
  writeFileSync(plan, JSON.stringify(damages));
  const failures: string[] = [];
  for (let next = 0; next < damages.length && failures.length < most; ) {
    rmSync(work, { recursive: true, force: true });
    cpSync(index, work, { recursive: true });
    const run = await runFrom(work, plan, next, limit, (i, outcome) => {
      for (const part of outcome) {
        if (/^(raw|insane)/.test(part)) failures.push(`${damages[i]!.name}: ${part}`);
      }
      next = i + 1;
      return failures.length < most;
    });
    if (run !== '' && next < damages.length) failures.push(`${damages[next++]!.name}: ${run}`);
  }
  return failures;
}

/** Runs damages from `start` on until `take` has had enough; what went wrong, if the process did. */
function runFrom(
  work: string,
  plan: string,
  start: number,
  limit: number,
  take: (i: number, outcome: string[]) => boolean,
): Promise<string> {
  return new Promise((resolve) => {
    const args = ['--max-old-space-size=768', RUNNER, work, plan, String(start)];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let ended: string | undefined;
    let stderr = '';
    const end = (why: string) => {
      ended ??= why;
      child.kill('SIGKILL');
    };
    // The process says when it is ready: how long it takes to start is no matter here.
    let watchdog = setTimeout(() => end('does not start'), 30_000);
    child.stderr.on('data', (data) => {
      stderr += data;
    });
    createInterface({ input: child.stdout }).on('line', (line) => {
      clearTimeout(watchdog);
      watchdog = setTimeout(() => end(`hang: no answer within ${limit} ms`), limit);
      if (line === 'ready') return;
      const { i, outcome } = JSON.parse(line) as { i: number; outcome: string[] };
      if (!take(i, outcome)) end('');
    });
    child.on('close', (code, signal) => {
      clearTimeout(watchdog);
      resolve(ended ?? (code === 0 ? '' : `crash (${signal ?? code}) ${stderr.slice(0, 300)}`));
    });
  });
}
