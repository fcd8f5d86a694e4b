import { createRequire } from 'node:module';
import { CorankError, reasonOf } from '../errors.js';
import { norm } from './embeddings.js';

/**
 * The only file that touches hnswlib-node, an optional package of native code that trusts its caller: a number that
 * is none ends the process. Whatever goes in is checked here first, and no function is handed over.
 */
const PACKAGE = 'hnswlib-node';

/** Numbers of the level generator: the same vectors in the same order make the same file. */
const SEED = 100;

/** Longest list of candidates that a search may keep. */
export const MAX_EF = 10_000;
/** What a search keeps unless told otherwise, and what recall is measured with: the usual depth. */
export const DEFAULT_EF = 200;

/** What corank uses of the package, whose own types may be absent. */
interface Native {
  initIndex(maxElements: number, m: number, efConstruction: number, seed: number): void;
  readIndexSync(path: string): void;
  writeIndexSync(path: string): void;
  addPoint(point: number[], label: number): void;
  searchKnn(query: number[], limit: number): { neighbors: number[] };
  setEf(ef: number): void;
  getCurrentCount(): number;
}

type Make = new (space: 'ip', dimension: number) => Native;

/** Loads the package when first asked. Throws NOT_CONFIGURED, saying why, when it is not there or does not start. */
export function requireHnsw(): Make {
  try {
    const { HierarchicalNSW } = createRequire(import.meta.url)(PACKAGE);
    if (typeof HierarchicalNSW !== 'function') throw new Error('it is another package of that name');
    return HierarchicalNSW;
  } catch (cause) {
    const [first] = reasonOf(cause).split('\n');
    throw new CorankError(
      'NOT_CONFIGURED',
      `graphs of neighbours (HNSW) need the optional package ${PACKAGE}, which is not installed or was not compiled ` +
        `(it needs python3, make and a C++ compiler at npm install): ${first}`,
      { cause },
    );
  }
}

/** How a graph is made. */
export interface GraphShape {
  /** Numbers of a vector. */
  dimension: number;
  /** Vectors in the graph, at least 1. */
  rows: number;
  /** Links that a vector keeps, twice as many on the lowest level. */
  m: number;
  /** Candidates kept while a vector is linked in. */
  efConstruction: number;
}

/**
 * A graph of neighbours by cosine. Vectors are numbered from 0 in the order in which they were added. It lies in
 * native memory of this process, shared with no thread.
 */
export class Hnsw {
  readonly #native: Native;
  readonly #dimension: number;
  readonly #rows: number;

  private constructor(native: Native, { dimension, rows }: Pick<GraphShape, 'dimension' | 'rows'>) {
    this.#native = native;
    this.#dimension = wholeNumber('dimension', dimension, 1, 65_536);
    this.#rows = wholeNumber('rows', rows, 1, 0xffffffff);
  }

  /** An empty graph with room for `rows` vectors. */
  static empty(shape: GraphShape): Hnsw {
    const native = new (requireHnsw())('ip', wholeNumber('dimension', shape.dimension, 1, 65_536));
    const graph = new Hnsw(native, shape);
    const { rows, m, efConstruction } = shape;
    native.initIndex(
      rows,
      wholeNumber('m', m, 2, 128),
      wholeNumber('efConstruction', efConstruction, 1, MAX_EF),
      SEED,
    );
    return graph;
  }

  /** Opens a file whose hash and structure hnsw-file.ts has checked just before. */
  static open(path: string, shape: Pick<GraphShape, 'dimension' | 'rows'>): Hnsw {
    const native = new (requireHnsw())('ip', wholeNumber('dimension', shape.dimension, 1, 65_536));
    const graph = new Hnsw(native, shape);
    native.readIndexSync(path);
    if (native.getCurrentCount() !== shape.rows) throw new Error(`${path} holds another number of vectors`);
    return graph;
  }

  get rows(): number {
    return this.#rows;
  }

  /** Adds a vector of finite numbers that are not all 0. */
  add(vector: ArrayLike<number>): void {
    const label = this.#native.getCurrentCount();
    if (label >= this.#rows) throw new RangeError(`the graph is full: it has room for ${this.#rows} vectors`);
    this.#native.addPoint(this.#unit(vector), label);
  }

  /**
   * Numbers of at most `limit` vectors near the query, nearest first; `ef` candidates are kept on the way, `limit`
   * when that is more.
   */
  search(query: ArrayLike<number>, limit: number, ef: number): number[] {
    const point = this.#unit(query);
    const most = Math.min(wholeNumber('limit', limit, 1, 0xffffffff), this.#rows);
    this.#native.setEf(wholeNumber('ef', ef, 1, MAX_EF));
    return this.#native.searchKnn(point, most).neighbors;
  }

  /** Writes the file. The package is silent when it cannot: who calls this checks what was written. */
  save(path: string): void {
    this.#native.writeIndexSync(path);
  }

  /** The vector at length 1, as the plain numbers that the package takes: finite, as many as the dimension. */
  #unit(vector: ArrayLike<number>): number[] {
    if (vector.length !== this.#dimension)
      throw new RangeError(`a vector of ${vector.length} numbers, this graph has ${this.#dimension}`);
    const length = norm(vector);
    if (!(length > 0 && length < Number.POSITIVE_INFINITY))
      throw new RangeError('a vector without direction: its numbers must be finite and not all 0');
    return Array.from(vector, (x) => x / length);
  }
}

function wholeNumber(name: string, value: number, least: number, most: number): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new RangeError(`${name} must be a whole number from ${least} to ${most}, got ${value}`);
}
