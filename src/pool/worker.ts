import { threadId, workerData } from 'node:worker_threads';
import { instantiateKernels } from '../kernels/load.js';
import type { Scratch } from '../memory/layout.js';
import { SharedIndex } from '../memory/shared-index.js';
import type { ScoreContext } from '../score/context.js';
import { runTask } from './run-task.js';
import type { TaskMessage, TaskReply, WorkerSetup } from './tasks.js';

/** Thread entry: attaches once, then runs one task at a time. Imports kernels and numeric code only. */
const setup = workerData as WorkerSetup;
const index = SharedIndex.from(setup.memory, setup.directory);
const context: ScoreContext = {
  index,
  kernels: { exports: instantiateKernels(setup.module, setup.memory), memory: setup.memory },
  scratch: claimScratch(),
  kept: new Map(),
};

// Counted once this module has been taken in whole: a thread that is ended before may take the process with it.
const ready = index.i32(setup.owners + setup.scratch.length * 4, 1);
setImmediate(() => Atomics.add(ready, 0, 1));

export default function run(task: TaskMessage): TaskReply {
  const flag = index.i32(setup.cancelFlags + task.flag * 4, 1);
  return runTask(context, task, () => Atomics.load(flag, 0) !== 0);
}

/** A worker that replaces a dead one may start before the dead one's region is given back: then it waits. */
function claimScratch(): Scratch {
  const owners = index.i32(setup.owners, setup.scratch.length);
  const patience = 50;
  for (let attempt = 0; attempt < 200; attempt++) {
    for (let i = 0; i < owners.length; i++) {
      if (Atomics.compareExchange(owners, i, 0, threadId) === 0) return setup.scratch[i]!;
    }
    Atomics.wait(owners, 0, Atomics.load(owners, 0), patience);
  }
  throw new Error('no scratch region is free for this thread');
}
