import { setTimeout } from 'node:timers/promises';
import { Piscina } from 'piscina';
import type { Scope } from '../access/scope.js';
import { CorankError } from '../errors.js';
import { CANCEL_SLOTS } from '../memory/layout.js';
import type { ScoreContext } from '../score/context.js';
import { runTask } from './run-task.js';
import type { TaskKind, TaskMessage, TaskReply, Tasks, WorkerSetup } from './tasks.js';

/** Runs scoring tasks. A cancelled task rejects with the signal's reason. */
export interface Pool {
  readonly threads: number;
  /** Threads that have nothing to do at the moment, besides the caller's; never below 0. */
  readonly idle: number;
  run<K extends TaskKind>(
    kind: K,
    scope: Scope,
    request: Tasks[K]['request'],
    signal: AbortSignal | undefined,
  ): Promise<Tasks[K]['answer']>;
  close(): Promise<void>;
}

/** Everything in the calling thread: the same functions, the same bytes. */
export class CallerPool implements Pool {
  readonly threads = 0;
  readonly idle = 0;
  private readonly context: ScoreContext;

  constructor(context: ScoreContext) {
    this.context = context;
  }

  async run<K extends TaskKind>(
    kind: K,
    scope: Scope,
    request: Tasks[K]['request'],
    signal: AbortSignal | undefined,
  ): Promise<Tasks[K]['answer']> {
    signal?.throwIfAborted();
    const task = { kind, scope, request, flag: 0 } as TaskMessage;
    return opened(
      runTask(this.context, task, () => signal?.aborted === true),
      signal,
    );
  }

  async close(): Promise<void> {}
}

/** Milliseconds, roughly, that `close` gives threads to start. */
const START_PATIENCE = 10_000;

/** One task per worker thread at a time. A worker that dies rejects its task with WORKER_FAILED and is replaced. */
export class WorkerPool implements Pool {
  readonly threads: number;
  private readonly piscina: Piscina<TaskMessage, TaskReply>;
  private readonly flags: Int32Array;
  private readonly owners: Int32Array;
  /** How many threads have started, replacements included. */
  private readonly ready: Int32Array;
  private readonly freeFlags: number[];

  constructor(setup: WorkerSetup) {
    this.threads = setup.scratch.length;
    this.flags = new Int32Array(setup.memory.buffer, setup.cancelFlags, CANCEL_SLOTS);
    this.owners = new Int32Array(setup.memory.buffer, setup.owners, this.threads);
    this.ready = new Int32Array(setup.memory.buffer, setup.owners + this.threads * 4, 1);
    this.freeFlags = Array.from({ length: CANCEL_SLOTS }, (_, i) => i);
    this.piscina = new Piscina({
      // The built file, seen from dist/pool and, in tests, from src/pool: a thread cannot load TypeScript.
      filename: new URL('../../dist/pool/worker.js', import.meta.url).href,
      workerData: setup,
      minThreads: this.threads,
      maxThreads: this.threads,
      concurrentTasksPerWorker: 1,
      atomics: 'disabled',
      recordTiming: false,
    });
    this.piscina.on('workerDestroy', () => setImmediate(() => this.freeScratch()));
    this.piscina.on('error', () => this.freeScratch());
  }

  get idle(): number {
    return Math.max(0, this.threads - (CANCEL_SLOTS - this.freeFlags.length));
  }

  async run<K extends TaskKind>(
    kind: K,
    scope: Scope,
    request: Tasks[K]['request'],
    signal: AbortSignal | undefined,
  ): Promise<Tasks[K]['answer']> {
    signal?.throwIfAborted();
    const flag = this.freeFlags.pop();
    if (flag === undefined) {
      throw new CorankError('OVERLOADED', `${CANCEL_SLOTS} tasks are waiting; ask again when some are done`);
    }
    const cancel = () => Atomics.store(this.flags, flag, 1);
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      return opened(await this.reply({ kind, scope, request, flag } as TaskMessage), signal);
    } finally {
      signal?.removeEventListener('abort', cancel);
      Atomics.store(this.flags, flag, 0);
      this.freeFlags.push(flag);
    }
  }

  /** Threads that are still starting are waited for: ending one then can abort the process (Node 20). */
  async close(): Promise<void> {
    for (let wait = 0; Atomics.load(this.ready, 0) < this.threads && wait < START_PATIENCE; wait++) {
      await setTimeout(1);
    }
    await this.piscina.close();
  }

  private async reply(task: TaskMessage): Promise<TaskReply> {
    try {
      return await this.piscina.run(task);
    } catch (cause) {
      throw new CorankError('WORKER_FAILED', `a worker thread failed: ${(cause as Error).message}`, {
        cause,
      });
    }
  }

  /** Gives back the regions of threads that are gone. */
  private freeScratch(): void {
    const alive = new Set(this.piscina.threads.map((worker) => worker.threadId));
    for (let i = 0; i < this.owners.length; i++) {
      const owner = Atomics.load(this.owners, i);
      if (owner === 0 || alive.has(owner)) continue;
      Atomics.compareExchange(this.owners, i, owner, 0);
      Atomics.notify(this.owners, 0);
    }
  }
}

function opened<A>(reply: TaskReply, signal: AbortSignal | undefined): A {
  if ('cancelled' in reply) {
    signal?.throwIfAborted();
    throw new CorankError('WORKER_FAILED', 'a task was cancelled that nobody cancelled');
  }
  if ('error' in reply) throw new CorankError(reply.error.code, reply.error.message);
  return reply.answer as A;
}
