import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { FieldDeclaration, Node } from '../../types.js';
import { refusal } from '../refusal.js';

/** `changed`: when a file was last committed, in seconds since 1970. `churn`: in how many commits it changed. */
export const HISTORY_FIELDS: readonly FieldDeclaration[] = [
  { name: 'changed', type: 'int' },
  { name: 'churn', type: 'int' },
];

/** Adds what git knows of each file to its nodes. Throws INVALID_INPUT where git or a repository is missing. */
export async function addHistory(root: string, nodes: readonly Node[], signal?: AbortSignal): Promise<void> {
  const changed = new Map<string, number>();
  const churn = new Map<string, number>();
  let time = 0;
  for await (const line of logOf(root, signal)) {
    if (line.startsWith('\u0001')) time = Number(line.slice(1));
    else if (line !== '') {
      if (!changed.has(line)) changed.set(line, time);
      churn.set(line, (churn.get(line) ?? 0) + 1);
    }
  }
  for (const node of nodes) {
    const last = changed.get(node.path!);
    if (last !== undefined)
      node.meta = { ...(node.meta as object), changed: last, churn: churn.get(node.path!)! };
  }
}

/** Commits, newest first: a line with the time, then the paths below the folder. */
async function* logOf(root: string, signal: AbortSignal | undefined): AsyncGenerator<string> {
  const args = [
    '-c',
    'core.quotePath=false',
    'log',
    '--format=\u0001%ct',
    '--name-only',
    '--no-renames',
    '--relative',
  ];
  const git = spawn('git', args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(signal ? { signal } : {}),
  });
  let complaint = '';
  git.stderr.on('data', (piece) => {
    complaint += piece;
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    git.on('error', reject);
    git.on('close', resolve);
  });
  ended.catch(() => {});
  yield* createInterface({ input: git.stdout });
  const code = await ended.catch((cause) => {
    signal?.throwIfAborted();
    throw refusal('git cannot be run', { file: root }, cause);
  });
  if (code !== 0)
    throw refusal(`git has no history of it: ${complaint.trim().split('\n')[0]}`, { file: root });
}
