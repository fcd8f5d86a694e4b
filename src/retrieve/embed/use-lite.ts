import type { Embed, Embedder } from '../../ingest/embedder.js';
import { knownKeys } from '../options.js';
import { LITE_DIMENSION } from './lite-messages.js';
import { LiteThread } from './lite-thread.js';

export interface UseLiteOptions {
  /** Called after every few texts of a list: how many are done, of how many. */
  onProgress?: (done: number, total: number) => void;
}

/** Texts that the thread is given at once: what a query may have to wait for, some half a second. */
const BATCH = 8;

/**
 * Vectors of universal-sentence-encoder lite (512 numbers, English, the first 128 tokens of a text), in a thread of
 * its own. Its packages are optional: NOT_CONFIGURED when they are not installed. A text's vector does not depend
 * on the texts beside it; an empty text's is zero. WORKER_FAILED when the thread dies; CLOSED after `close`.
 */
export function useLite(options: UseLiteOptions = {}): Embedder {
  knownKeys('useLite', options, ['onProgress']);
  return new UseLite(options.onProgress);
}

class UseLite implements Embedder {
  readonly model = 'use-lite-512';
  readonly dimension = LITE_DIMENSION;
  readonly #thread = new LiteThread();
  readonly #onProgress: UseLiteOptions['onProgress'];

  constructor(onProgress: UseLiteOptions['onProgress']) {
    this.#onProgress = onProgress;
  }

  readonly embed: Embed = async (texts, _kind, { signal }) => {
    const vectors: Float32Array[] = [];
    while (vectors.length < texts.length) {
      const batch = texts.slice(vectors.length, vectors.length + BATCH);
      const all = await this.#thread.run(batch, signal);
      for (let row = 0; row < batch.length; row++)
        vectors.push(all.slice(row * LITE_DIMENSION, (row + 1) * LITE_DIMENSION));
      this.#onProgress?.(vectors.length, texts.length);
    }
    return vectors;
  };

  close(): Promise<void> {
    return this.#thread.close();
  }
}
