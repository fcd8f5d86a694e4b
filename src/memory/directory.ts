import type { AccessMode } from '../types.js';

/**
 * Where the columns lie: plain numbers, so that it can be sent to threads. Made once by load.ts from the
 * Arrow tables; `at` is a byte address in the shared memory, `length` counts elements.
 */
export const DIRECTORY_VERSION = 1;

export interface ColumnAt {
  at: number;
  length: number;
}

/** `offsets`: i32[rows + 1] into `bytes`; `validity`: Arrow bitmap, 0 when every row has a value. */
export interface TextAt {
  rows: number;
  offsets: number;
  bytes: number;
  validity: number;
}

/** A list of u32 a row: i32[rows + 1] starts into `length` values. */
export interface ListAt {
  rows: number;
  starts: number;
  values: number;
  length: number;
}

export interface GraphAt {
  /** i32[nodes + 1]. */
  starts: number;
  /** u32, f64, u16, u32 of `length` elements each. */
  nodes: number;
  weights: number;
  kinds: number;
  edges: number;
  length: number;
}

export interface Directory {
  version: number;
  nodes: number;
  access: AccessMode;
  /** Per scored field: lengths u32[nodes], codes, and the code's frequency and length (u32 each). */
  fields: { name: string; lengths: number; codes: number; codeFrequency: ColumnAt; codeLength: ColumnAt }[];
  codeBytes: 2 | 4;
  /** Longest code table: the stride of Scratch.codeTables. */
  maxCodes: number;
  terms: TextAt;
  /** Of the nodes, where any has one. */
  names: TextAt | undefined;
  qualifiedNames: TextAt | undefined;
  postings: {
    /** i32[terms + 1] into rows and codes. */
    starts: number;
    rows: ColumnAt;
    /** i32[postings + 1] into position bytes. */
    positionOffsets: number;
    positions: number;
  };
  /** Where stop words stood; `length` is 0 when no document has any. */
  gaps: { offsets: number; bytes: number; length: number };
  embeddings?: {
    dimension: number;
    width: number;
    models: string[];
    count: number;
    rows: number;
    model: number;
    norms: number;
    /** f32[count][width]; 0 when the index keeps no such rows. */
    vectors: number;
    /** i8[count][width], f32[count], f32[count], when the index keeps int8 rows. */
    quantized?: { values: number; scales: number; residuals: number };
  };
  /** Links found in the texts; the graph has none of them. Lists are i32[rows + 1] starts and u32 values. */
  derived?: {
    /** No scope has more, counted once each way. */
    links: number;
    /** The phrases themselves, and which nodes have them. */
    phraseTexts: TextAt;
    phrases: ListAt;
    titles: ListAt;
    mentions: { rows: number; from: number; title: number; count: number; covers: ListAt };
  };
  graph?: {
    out: GraphAt;
    in: GraphAt;
    kinds: string[];
    /** Self loops of the edge table: row, weight and kind of each. */
    loops: { row: number; weight: number; kind: number }[];
    /** Whether every weight is 1: walks may then skip them. */
    unweighted: boolean;
  };
}
