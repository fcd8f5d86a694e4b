import type { Writable } from 'node:stream';
import type { ByteSink } from './byte-sink.js';

/** What a stream says when the reader is gone (`corank rank ... | head`). */
const GONE = new Set(['EPIPE', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END']);

/** Standard output. A reader that leaves is not an error: `ended` says so and later writes do nothing. */
export class StreamSink implements ByteSink {
  readonly #stream: Writable;
  #ended = false;
  /** A write's callback reports its error; without a listener the event that follows it would kill the process. */
  readonly #ignore = () => {};

  constructor(stream: Writable) {
    this.#stream = stream;
    stream.on('error', this.#ignore);
  }

  get ended(): boolean {
    return this.#ended;
  }

  write(chunk: Uint8Array | string): Promise<void> {
    if (this.#ended) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#stream.write(chunk, (error) => {
        if (error === null || error === undefined) return resolve();
        if (!GONE.has((error as NodeJS.ErrnoException).code ?? '')) return reject(error);
        this.#ended = true;
        resolve();
      });
    });
  }

  /** The stream is not ours to end. After an error the listener stays: the event may still be on its way. */
  async close(): Promise<void> {
    if (this.#stream.errored === null && !this.#ended) this.#stream.off('error', this.#ignore);
  }

  abort(): Promise<void> {
    return this.close();
  }
}
