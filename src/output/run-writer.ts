import type { Writable } from 'node:stream';
import { CorankError, quote } from '../errors.js';
import { ArrowRunWriter } from './arrow-run.js';
import type { ByteSink } from './byte-sink.js';
import type { RunResult } from './candidate-json.js';
import { openFileSink } from './file-sink.js';
import { jsonLine } from './jsonl-run.js';
import { StreamSink } from './stream-sink.js';
import { trecLines, writableTag } from './trec-run.js';

export const RUN_FORMATS = ['trec', 'jsonl', 'arrow'] as const;

export type RunFormat = (typeof RUN_FORMATS)[number];

export interface RunWriter {
  /** Appends a result. A result that the format cannot express is refused whole; the run may go on. */
  write(result: RunResult): Promise<void>;
  /** Ends the run and puts it in its place. Rejects, leaving nothing behind, when the run is not whole. */
  close(): Promise<void>;
  /** Gives the run up and removes the temporary file. After `close` it does nothing. */
  abort(): Promise<void>;
  /** True once the reader of standard output is gone: no use in computing more. */
  readonly ended: boolean;
}

export interface RunWriterOptions {
  /** The last column of a TREC run; default: each result's retriever. */
  tag?: string;
  /** What `-` stands for; default: process.stdout. */
  stdout?: Writable;
}

/** Opens a run for writing at `path`, or on standard output for `-`. */
export async function openRunWriter(
  path: string,
  format: RunFormat,
  options: RunWriterOptions = {},
): Promise<RunWriter> {
  if (!RUN_FORMATS.includes(format)) {
    throw new CorankError(
      'INVALID_INPUT',
      `unknown run format ${quote(format)}; known: ${RUN_FORMATS.join(', ')}`,
    );
  }
  if (format === 'trec' && options.tag !== undefined) writableTag(options.tag);
  const sink = path === '-' ? new StreamSink(options.stdout ?? process.stdout) : await openFileSink(path);
  return new QueuedRunWriter(sink, encoder(format, sink, options.tag));
}

interface Encoder {
  add(result: RunResult): Promise<void>;
  finish(): Promise<void>;
}

function encoder(format: RunFormat, sink: ByteSink, tag: string | undefined): Encoder {
  if (format === 'arrow') return new ArrowRunWriter((chunk) => sink.write(chunk));
  const lines =
    format === 'jsonl' ? jsonLine : (result: RunResult) => trecLines(result, tag ?? result.retriever);
  return {
    add: async (result) => sink.write(lines(result)),
    finish: async () => {},
  };
}

/** Runs one step after the other, so that results stand in the order of the calls even when nobody waits. */
class QueuedRunWriter implements RunWriter {
  readonly #sink: ByteSink;
  readonly #encoder: Encoder;
  #last: Promise<unknown> = Promise.resolve();
  #end: Promise<void> | undefined;

  constructor(sink: ByteSink, encoder: Encoder) {
    this.#sink = sink;
    this.#encoder = encoder;
  }

  get ended(): boolean {
    return this.#sink.ended;
  }

  async write(result: RunResult): Promise<void> {
    if (this.#end !== undefined) throw new CorankError('CLOSED', 'the run was already closed or given up');
    return this.#after(() => this.#encoder.add(result));
  }

  close(): Promise<void> {
    this.#end ??= this.#after(async () => {
      try {
        await this.#encoder.finish();
      } catch (error) {
        await this.#sink.abort();
        throw error;
      }
      await this.#sink.close();
    });
    return this.#end;
  }

  abort(): Promise<void> {
    if (this.#end !== undefined) return this.#end.catch(() => {});
    this.#end = this.#after(() => this.#sink.abort());
    return this.#end;
  }

  #after(step: () => Promise<void>): Promise<void> {
    const done = this.#last.then(step);
    this.#last = done.catch(() => {});
    return done;
  }
}
