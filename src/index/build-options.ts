import type { Place } from '../errors.js';
import type { Embedder } from '../ingest/embedder.js';
import type { AccessMode, AccessRow, Edge, FieldDeclaration, Node, VectorForm } from '../types.js';
import type { AnnOptions } from './ann.js';
import type { LsaEmbedding } from './lsa.js';

/** A matrix of vectors, one per node in input order; C order, `data.length = rows * columns`. */
export interface Matrix {
  rows: number;
  columns: number;
  data: Float32Array;
}

export type Stream<T> = AsyncIterable<T> | Iterable<T>;

/** A record and where it came from, for messages. */
export interface Placed<T> {
  value: T;
  place: Place;
}

export interface IndexSource {
  nodes: Stream<Node | Placed<Node>>;
  /** When given (even empty), the index has an edge table. */
  edges?: Stream<Edge | Placed<Edge>>;
  /** When given, the index is scoped; its rows replace what the nodes say. */
  access?: Stream<AccessRow | Placed<AccessRow>>;
  embeddings?: Matrix;
}

export interface BuildOptions {
  out: string;
  /** `english` (default), `plain`, or `code`, which makes `codeSearch` the default retriever. */
  analyzer?: string;
  /** Fields that filters may use. */
  fields?: readonly FieldDeclaration[];
  accessMode?: AccessMode;
  /** Name of the model of `embeddings`, and the default for nodes that carry a vector without one. */
  embeddingModel?: string;
  /** Declares vectors of this length even when no node has one. */
  dimension?: number;
  /** Makes the vectors instead of taking them: `lsa()`, from the corpus's own words, or an embedder of one's own. */
  embed?: LsaEmbedding | Embedder;
  /**
   * What is kept of vectors, default `f32`. `int8` adds a byte a number: faster scans, the same answers. `int8-only`
   * keeps nothing else: a quarter of the memory, approximate scores, which every answer says.
   */
  vectors?: VectorForm;
  /** `links`: finds links in the texts, title mentions and rare capitalised phrases, for the `pagerank` retriever. */
  derive?: 'links';
  /**
   * Graphs of neighbours (HNSW) beside the vectors, for the retriever `hnsw`; not with `int8-only`. Needs the optional
   * package hnswlib-node.
   */
  ann?: boolean | AnnOptions;
  /** Edges with an unknown end are counted instead of refused. */
  skipDangling?: boolean;
  replace?: boolean;
  signal?: AbortSignal;
  onProgress?: (progress: {
    stage: 'nodes' | 'edges' | 'access' | 'embed' | 'ann' | 'write';
    done: number;
  }) => void;
}
