import { CorankError, quote } from '../errors.js';
import type { Matrix } from '../index/build-options.js';
import { type PlacedQuery, type QueryFailure, readQueries } from '../ingest/queries.js';
import type { Filter, Query } from '../types.js';
import type { Asking } from './caller.js';
import type { Failure } from './failure-log.js';

/** What a query gets that does not say so itself. */
export interface QueryDefaults {
  asking: Asking;
  filters: readonly Filter[];
  vectors: (Matrix & { path: string }) | undefined;
  embeddingModel: string | undefined;
}

export interface AskedQuery {
  id: string;
  line: number;
  /** Whether everything but id and text comes from the command. */
  plain: boolean;
}

type Entry = AskedQuery | Failure;

/**
 * Reads queries, completes them with what the command says, and keeps track of their order: the engine answers
 * good queries only, the failures between them are ours.
 */
export class QueryFeed {
  /** Lines with a query on them, good or bad. */
  count = 0;
  readonly #path: string;
  readonly #defaults: QueryDefaults;
  readonly #signal: AbortSignal;
  readonly #waiting: Entry[] = [];

  constructor(path: string, defaults: QueryDefaults, signal: AbortSignal) {
    this.#path = path;
    this.#defaults = defaults;
    this.#signal = signal;
  }

  async *queries(): AsyncGenerator<Query> {
    for await (const entry of readQueries(this.#path, { signal: this.#signal })) {
      const row = this.count++;
      const vector = this.#vectorOf(row);
      if ('error' in entry) this.#waiting.push(failureOf(entry));
      else if (vector !== undefined && entry.query.embedding !== undefined) {
        this.#waiting.push(twoVectors(entry, this.#defaults.vectors!.path));
      } else {
        const { query, place } = entry;
        this.#waiting.push({ id: query.id!, line: place.line!, plain: isPlain(query) });
        yield this.#complete(query, vector);
      }
    }
    this.#checkVectors();
  }

  /** Failures that stand before the next answer, or before the end. */
  *failures(): Generator<Failure> {
    while (this.#waiting[0] !== undefined && 'error' in this.#waiting[0])
      yield this.#waiting.shift() as Failure;
  }

  /** The query that the next answer is for. */
  next(): AskedQuery {
    return this.#waiting.shift() as AskedQuery;
  }

  /** A query that has the key principal or sources uses exactly that, null and empty included. */
  #complete(query: Query, vector: Float32Array | undefined): Query {
    const { asking, filters, embeddingModel } = this.#defaults;
    return {
      ...asking,
      ...query,
      filters: [...filters, ...(query.filters ?? [])],
      ...(vector === undefined ? {} : { embedding: vector }),
      ...(vector === undefined || embeddingModel === undefined ? {} : { embeddingModel }),
    };
  }

  #vectorOf(row: number): Float32Array | undefined {
    const { vectors } = this.#defaults;
    if (vectors === undefined) return undefined;
    if (row < vectors.rows) return vectors.data.subarray(row * vectors.columns, (row + 1) * vectors.columns);
    throw this.#unequal(`more than ${vectors.rows} queries`);
  }

  #checkVectors(): void {
    const { vectors } = this.#defaults;
    if (vectors !== undefined && this.count < vectors.rows) throw this.#unequal(`${this.count} queries`);
  }

  #unequal(queries: string): CorankError {
    const { path, rows } = this.#defaults.vectors!;
    return new CorankError(
      'DIMENSION_MISMATCH',
      `${path} has ${rows} rows, ${this.#path} has ${queries}: they must go one to one, in the same order`,
    );
  }
}

function failureOf({ error, line, id }: QueryFailure): Failure {
  return { error, line, ...(id === undefined ? {} : { id }) };
}

function twoVectors({ query, place }: PlacedQuery, path: string): Failure {
  const message = `query ${quote(query.id)} has an embedding of its own beside its row in ${path}; keep one of them`;
  return { id: query.id!, line: place.line!, error: new CorankError('INVALID_INPUT', message, { place }) };
}

function isPlain(query: Query): boolean {
  return Object.keys(query).every((key) => key === 'id' || key === 'text');
}
