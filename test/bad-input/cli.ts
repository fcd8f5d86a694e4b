/** The built command line in a process of its own, killed when it takes too long. */

import { spawn } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

export const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

export interface Ran {
  /** A signal's name when it was killed, `time-out` included. */
  code: number | string;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  stdin?: string | Uint8Array;
  limit?: number;
  /** Runs without root's power to read and write everything. */
  unprivileged?: boolean;
  /** Kills the process after so many milliseconds, as a machine would that loses power. */
  killAfter?: number;
}

const NOBODY = 65534;

export function run(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const { stdin = '', limit = 25_000, unprivileged = false, killAfter } = options;
  const root = process.getuid?.() === 0;
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [MAIN, ...args], {
      stdio: 'pipe',
      env: { ...process.env, NO_COLOR: '1' },
      ...(unprivileged && root ? { uid: NOBODY, gid: NOBODY } : {}),
    });
    let timedOut = false;
    let stdout = '';
    let stderr = '';
    const timer = setTimeout(() => {
      timedOut = killAfter === undefined;
      child.kill('SIGKILL');
    }, killAfter ?? limit);
    child.stdout.on('data', (data) => {
      stdout += data;
    });
    child.stderr.on('data', (data) => {
      stderr += data;
    });
    child.stdin.on('error', () => {});
    child.stdin.end(stdin);
    child.on('error', reject);
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      resolve({ code: timedOut ? 'time-out' : (signal ?? code!), stdout, stderr });
    });
  });
}

/** Lets an unprivileged process get at a file below the temporary folder. */
export function reachable(path: string): string {
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    if (folder.includes('corank-bad-input')) chmodSync(folder, 0o755);
  }
  return path;
}
