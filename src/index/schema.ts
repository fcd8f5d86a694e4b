import type { AccessMode, FieldDeclaration, VectorForm } from '../types.js';
import type { WrittenFile } from './arrow-file.js';
import type { ScoredField } from './fields.js';

/**
 * The tables of an index, one Arrow IPC file each. `row` is a node's 0-based place in id order.
 *
 * nodes      a row per node: id and the citation fields (utf8), ordinal, startLine, endLine (u32, nullable),
 *            tokenEstimate (u32), meta (utf8: a flat JSON object, nullable)
 * filters    a row per node: one nullable column per declared field; string: utf8, int and float: f64, bool: u8
 * access     a row per node: class (u32, a place in classes)
 * classes    a row per distinct combination of org, source (u32, places in labels) and acl (list<u32>, places
 *            in labels, ascending), in the order of these
 * labels     label (utf8, ascending): the organisations, sources and tags of `classes`
 * lengths    a row per node: one u32 column per scored field: its tokens after stop words;
 *            gaps (binary): where stop words stood, see postings.ts
 * postings   a row per term, ascending by its bytes: term (utf8), row (list<u32>, ascending),
 *            one list of codes per scored field (u16, or u32 when a field has over 65,535 codes; 0 = not in
 *            that field), positions (list<binary>)
 * codes      a row per scored field: field (utf8), frequency and length (list<u32>): what a code stands for
 * embeddings a row per vector, ascending by node: row (u32), model (u16, a place in manifest.embedding.models),
 *            norm (f64), vector (fixed_size_list<f32>, padded with zeros to a multiple of 16; absent when
 *            manifest.embedding.vectors is int8-only)
 * quantized  a row per vector, as in embeddings, unless manifest.embedding.vectors is f32: scale (f32, >= 0),
 *            residual (f32: no less than the length of vector - scale * value), value (fixed_size_list<i8>,
 *            -127 to 127, as wide as vector and padded with zeros). The length of scale * value is at most
 *            norm + residual.
 * lsa        a row per term of the index's own model, ascending by its bytes: term (utf8), vector
 *            (fixed_size_list<f32>, as wide as those of embeddings): see lsa.ts
 * ann        a row per graph of neighbours, where there are any: vector (list<u32>, ascending: places in embeddings).
 *            Each vector of the declared model whose norm is not 0 is in one. Graph i is no table but
 *            the file hnsw-i.bin (hnsw-file.ts), which numbers its vectors by their places in this list.
 * kinds      kind (utf8, ascending): the kinds of edges
 * edges      a row per edge, ascending by from, to, kind: from, to (u32), kind (u16, a place in kinds),
 *            weight (f64), provenance (utf8, nullable), confidence (f64, nullable), fields (utf8 JSON, nullable)
 * out, in    a row per node, the edges without self loops: node (list<u32>: the other ends), weight (list<f64>),
 *            kind (list<u16>), edge (list<u32>: rows of `edges`)
 * phrases    a row per phrase that several texts have, ascending by its bytes: phrase (utf8), node (list<u32>, ascending);
 *            only with manifest.derived, as are the next two
 * titles     a row per title that a text mentions, ascending by its bytes: title (utf8: its words), node (list<u32>,
 *            ascending: the nodes with this title)
 * mentions   a row per (from, title, covers), ascending: from (u32: a node whose text has the title's words), title (u32,
 *            a place in titles), covers (list<u32>, ascending: the longer titles that these words are part of there),
 *            count (u32: how often)
 */
export const TABLES = [
  'nodes',
  'filters',
  'access',
  'classes',
  'labels',
  'lengths',
  'postings',
  'codes',
  'embeddings',
  'lsa',
  'quantized',
  'ann',
  'kinds',
  'edges',
  'out',
  'in',
  'phrases',
  'titles',
  'mentions',
] as const;

export type TableName = (typeof TABLES)[number];

/**
 * Where the record batch's body starts in a file, modulo 64: 8 bytes of magic, then a schema message and a
 * batch header that are both padded to 64. A file loaded at an address of 56 modulo 64 therefore has every
 * buffer of its (only) record batch on a cache line of its own.
 */
export const BODY_START = 8;

export const FORMAT = 'corank-index';
export const FORMAT_VERSION = 2;

/** Columns of `nodes` that hold text and go into a candidate as they are. */
export const CITATION_COLUMNS = [
  'kind',
  'name',
  'qualifiedName',
  'container',
  'path',
  'title',
  'heading',
  'uri',
  'documentId',
  'signature',
  'text',
] as const;

/** Columns of `nodes` that hold small integers. */
export const NUMBER_COLUMNS = ['ordinal', 'startLine', 'endLine'] as const;

/** File of graph `i`, beside the tables. */
export const graphFile = (i: number): string => `hnsw-${i}.bin`;

/** `recall`: the share of the 10 nearest neighbours that it finds, 0 to 1; see recall.ts. */
export type GraphEntry = WrittenFile & { file: string; rows: number; recall: number };

export type TableEntry = WrittenFile & { file: string; rows: number };

/** What the index's own vectors were learned from. */
export interface LsaOrigin {
  rows: number;
  /** In a scoped index: rows of this organisation with this tag. Who may not read them may not use the vectors. */
  org?: string;
  tag?: string;
}

/** Sizes that scratch memory is planned by. */
export interface DerivedCounts {
  phrases: number;
  /** No scope has more derived links, counted once each way. */
  links: number;
}

export interface Manifest {
  format: typeof FORMAT;
  version: number;
  access: AccessMode;
  analyzer: { name: string; fingerprint: string };
  /** Scored fields that any node has, in the order of SCORED_FIELDS. */
  scored: ScoredField[];
  /** Declared filter fields. */
  fields: FieldDeclaration[];
  /** Declared vectors; absent when the index was built without. Rows may still be none. */
  embedding?: {
    dimension: number;
    /** Padded dimension. */
    width: number;
    /** The declared model: that of queries which name none. */
    model: string;
    /** Present when the vectors are the index's own (lsa.ts). */
    lsa?: LsaOrigin;
    /** All models that rows have, and the declared one; places are codes in the table. */
    models: string[];
    /** What is kept of the vectors. */
    vectors: VectorForm;
    /** Present when there are graphs of neighbours beside the vectors, one an organisation and source. */
    ann?: { m: number; efConstruction: number; graphs: GraphEntry[] };
  };
  /** Whether an edge table was declared; rows may still be none. */
  edges: boolean;
  /** Present when links were derived from the texts. */
  derived?: DerivedCounts;
  counts: { nodes: number; edges: number; vectors: number; terms: number; postings: number };
  /** Sizes that scratch memory is planned by. */
  limits: { codeBytes: 2 | 4; maxCodes: number; maxOccurrences: number };
  tables: Partial<Record<TableName, TableEntry>>;
}
