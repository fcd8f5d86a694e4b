import { open, readFile, rm } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { CorankError } from '../errors.js';

/** How long a writer waits before it looks at another's lock again, in milliseconds. */
const PATIENCE = 50;

/**
 * One writer at a time: a file that holds the writer's process id. Waits for a living one, clears away a dead
 * one's. The returned function gives the lock back.
 */
export async function lock(path: string, signal: AbortSignal | undefined): Promise<() => Promise<void>> {
  for (;;) {
    signal?.throwIfAborted();
    try {
      const file = await open(path, 'wx');
      await file.writeFile(`${process.pid}\n`);
      await file.close();
      return () => rm(path, { force: true });
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') {
        throw new CorankError('INVALID_INPUT', `cannot write ${path}: ${(cause as Error).message}`, {
          cause,
        });
      }
    }
    if (await isStale(path)) await rm(path, { force: true });
    else await setTimeout(PATIENCE);
  }
}

async function isStale(path: string): Promise<boolean> {
  const pid = Number(await readFile(path, 'utf8').catch(() => ''));
  // Not written yet, or gone by now: look again.
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
