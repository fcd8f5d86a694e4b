import {
  AsyncByteQueue,
  Field,
  Float64,
  makeData,
  RecordBatch,
  RecordBatchFileWriter,
  Schema,
  Struct,
  Uint32,
  Utf8,
} from 'apache-arrow';
import { CorankError, quote } from '../errors.js';
import { finiteScore, type RunResult } from './candidate-json.js';

/** A batch ends at whichever comes first. Constants, so that a run always has the same bytes. */
const BATCH_ROWS = 16_384;
const BATCH_STRING_UNITS = 4 << 20;

const SCHEMA = new Schema([
  new Field('query', new Utf8(), false),
  new Field('id', new Utf8(), false),
  new Field('rank', new Uint32(), false),
  new Field('score', new Float64(), false),
  new Field('retriever', new Utf8(), false),
]);

interface Row {
  query: string;
  id: string;
  rank: number;
  score: number;
  retriever: string;
}

/**
 * Writes a run as one uncompressed Arrow IPC file, a record batch at a time: at most one batch is in memory.
 * `add` must not be called again before its promise settles.
 */
export class ArrowRunWriter {
  readonly #write: (chunk: Uint8Array) => Promise<void>;
  readonly #bytes = new Collected();
  readonly #file = new RecordBatchFileWriter({ autoDestroy: true });
  #rows: Row[] = [];
  #stringUnits = 0;

  constructor(write: (chunk: Uint8Array) => Promise<void>) {
    this.#write = write;
    this.#file.reset(this.#bytes, SCHEMA);
  }

  /** Takes all rows of a result, or, when one cannot be written, none. */
  async add(result: RunResult): Promise<void> {
    const rows = result.candidates.map(({ id, score, retriever }, i) => ({
      query: wellFormed(result.id),
      id: wellFormed(id),
      rank: i + 1,
      score: finiteScore(score, id),
      retriever: wellFormed(retriever),
    }));
    for (const row of rows) {
      this.#rows.push(row);
      this.#stringUnits += row.query.length + row.id.length + row.retriever.length;
      if (this.#rows.length >= BATCH_ROWS || this.#stringUnits >= BATCH_STRING_UNITS) await this.#flush();
    }
  }

  /** Writes what is left and the footer. A run without a row is a file with the schema alone. */
  async finish(): Promise<void> {
    if (this.#rows.length > 0) await this.#flush();
    this.#file.finish();
    await this.#write(this.#bytes.take());
  }

  async #flush(): Promise<void> {
    this.#file.write(recordBatch(this.#rows));
    this.#rows = [];
    this.#stringUnits = 0;
    await this.#write(this.#bytes.take());
  }
}

/** The writer's sink, emptied after every batch, where the library's own queue would grow to the whole file. */
class Collected extends AsyncByteQueue {
  #chunks: Uint8Array[] = [];

  override write(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
  }

  take(): Uint8Array {
    const bytes = Buffer.concat(this.#chunks);
    this.#chunks = [];
    return bytes;
  }
}

function recordBatch(rows: readonly Row[]): RecordBatch {
  const length = rows.length;
  const children = [
    utf8(rows.map((row) => row.query)),
    utf8(rows.map((row) => row.id)),
    makeData({ type: new Uint32(), length, nullCount: 0, data: Uint32Array.from(rows, (row) => row.rank) }),
    makeData({
      type: new Float64(),
      length,
      nullCount: 0,
      data: Float64Array.from(rows, (row) => row.score),
    }),
    utf8(rows.map((row) => row.retriever)),
  ];
  return new RecordBatch(
    SCHEMA,
    makeData({ type: new Struct(SCHEMA.fields), length, nullCount: 0, children }),
  );
}

function utf8(strings: readonly string[]) {
  const valueOffsets = new Int32Array(strings.length + 1);
  for (const [i, text] of strings.entries()) valueOffsets[i + 1] = valueOffsets[i]! + Buffer.byteLength(text);
  const data = new TextEncoder().encode(strings.join(''));
  return makeData({ type: new Utf8(), length: strings.length, nullCount: 0, valueOffsets, data });
}

/** Two different lone surrogates would be written as the same bytes. */
function wellFormed(text: string): string {
  if (!/\p{Cs}/u.test(text)) return text;
  throw new CorankError('INVALID_INPUT', `${quote(text)} holds a lone surrogate, which UTF-8 cannot write`);
}
