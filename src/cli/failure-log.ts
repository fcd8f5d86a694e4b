import { rm } from 'node:fs/promises';
import type { CorankError } from '../errors.js';
import type { ByteSink } from '../output/byte-sink.js';
import { openFileSink } from '../output/file-sink.js';
import { StreamSink } from '../output/stream-sink.js';
import type { Notes } from './notes.js';

/** One query that got no answer. */
export interface Failure {
  id?: string;
  line: number;
  error: CorankError;
}

/** Where the failures of a batch job go, in the order of the queries: a file, or lines on standard error. */
export class FailureLog {
  count = 0;
  /** The file with the failures, when there is one. */
  readonly path: string | undefined;
  readonly #named: boolean;
  readonly #queries: string;
  readonly #notes: Notes;
  #sink: ByteSink | undefined;

  /**
   * `path`: where failures go if they must be in a file even when there are none. Otherwise they go to
   * `run`.errors.jsonl once there is one, or to standard error when the run goes to standard output.
   */
  constructor(path: string | undefined, run: string, queries: string, notes: Notes) {
    this.#named = path !== undefined;
    this.path = path ?? (run === '-' ? undefined : `${run}.errors.jsonl`);
    this.#queries = queries;
    this.#notes = notes;
  }

  /** Opens a file that was asked for, so that a wrong name is told before any work is done. */
  async open(): Promise<void> {
    if (this.path === undefined) return;
    this.#sink ??= this.path === '-' ? new StreamSink(process.stdout) : await openFileSink(this.path);
  }

  async add({ id, line, error }: Failure): Promise<void> {
    this.count++;
    if (this.path === undefined) {
      const name = id === undefined ? '' : `query ${JSON.stringify(id)}: `;
      const place = error.place.file === undefined ? `${this.#queries}:${line}: ` : '';
      this.#notes.warn(place + name + error.message);
      return;
    }
    await this.open();
    const { code, message } = error;
    await this.#sink!.write(
      `${JSON.stringify({ ...(id === undefined ? {} : { id }), line, code, message })}\n`,
    );
  }

  /** Puts the file in its place. One of an earlier job does not stay beside a run without failures. */
  async close(): Promise<void> {
    if (this.#sink !== undefined) await this.#sink.close();
    else if (this.path !== undefined && !this.#named) await rm(this.path, { force: true });
  }

  async abort(): Promise<void> {
    await this.#sink?.abort();
  }
}
