/** The records that pass between the folders of corank, and out of it. */

export type MetaValue = string | number | boolean;

/**
 * One thing that can be ranked: a passage, a document, a symbol. Only `id` is required.
 * `org`, `source` and `acl` make an index scoped (see `AccessMode`).
 */
export interface Node {
  /** Non-empty, well-formed (no lone surrogate), unique in the index. */
  id: string;
  kind?: string;
  name?: string;
  qualifiedName?: string;
  container?: string;
  path?: string;
  title?: string;
  heading?: string;
  uri?: string;
  documentId?: string;
  /** Position within its document, an integer >= 0. */
  ordinal?: number;
  startLine?: number;
  endLine?: number;
  signature?: string;
  text?: string;
  /** Tokens this node costs in a prompt; default: ceil(length of text in code units / 4). */
  tokenEstimate?: number;
  org?: string;
  source?: string;
  acl?: readonly string[];
  embedding?: ArrayLike<number>;
  embeddingModel?: string;
  /** Flat; filters may use only the fields declared at build. */
  meta?: Readonly<Record<string, MetaValue>> | ReadonlyMap<string, MetaValue>;
}

/** A directed link. Parallel edges add up; self loops are stored, and walked only when asked. */
export interface Edge {
  from: string;
  to: string;
  kind?: string;
  /** From 1e-100 to 1e100 (sums and inverses of weights must stay finite); default 1. */
  weight?: number;
  provenance?: string;
  /** In [0, 1]. */
  confidence?: number;
  /** Further columns of an edge file, kept as they were. */
  fields?: Readonly<Record<string, string>>;
}

export interface AccessRow {
  id: string;
  org: string;
  source: string;
  acl: readonly string[];
}

export type FieldType = 'string' | 'int' | 'float' | 'bool';

/** A filter field, declared at build: filters never see a field that only rows mention. */
export interface FieldDeclaration {
  name: string;
  type: FieldType;
}

/**
 * What an index keeps of vectors. `f32`: the numbers as given. `int8`: beside them one byte a number, which is
 * scanned first; answers are those of `f32`, bit for bit. `int8-only`: the bytes alone; scores are approximate.
 */
export type VectorForm = 'f32' | 'int8' | 'int8-only';

export type AccessMode = 'scoped' | 'open';

/** Who asks. corank does not authenticate: the service that embeds it does. */
export interface Principal {
  org: string;
  /** At least one; a row is visible when its acl shares a tag with them. */
  grants: readonly string[];
}

export type FilterOperator = '=' | '!=' | '<' | '<=' | '>' | '>=' | 'in';

/**
 * A condition on a declared field. A row without a value passes only `=` null and `in` a set with null.
 * `!=` null: rows that have a value. A range is two conditions.
 */
export interface Filter {
  field: string;
  op: FilterOperator;
  /** One value, or a list of them for `in`. */
  value: MetaValue | null | readonly (MetaValue | null)[];
}

export interface Query {
  /** Required in a batch; names the query in runs and errors. */
  id?: string;
  text: string;
  principal?: Principal | 'open' | unknown;
  sources?: readonly string[];
  filters?: readonly Filter[];
  /** A query vector the caller has; its length and model must be the index's. */
  embedding?: ArrayLike<number>;
  embeddingModel?: string;
  /** How many candidates: `search` 8 (at most 50), `rank` 100 (at most 10,000). */
  k?: number;
}

/** Why a channel gave nothing, or a request was bent. `message` is for people, `code` for programs. */
export interface Skip {
  channel: string;
  code: string;
  message: string;
  count?: number;
}

/** One addend of a score. The contributions of a candidate sum to its score within 1e-9. */
export interface Contribution {
  /** Channel or term, for example `bm25`, `bm25:lateness`, `walk:forward`. */
  from: string;
  value: number;
  /** What a signal of `rerank` says, 0 to 1, before its weight. */
  raw?: number;
  /** Why a signal of `rerank` has nothing to say; its value is 0 then. */
  absent?: string;
  /** The way by which this part of a walk's score came. */
  path?: Path;
}

/** A way from a seed to a candidate; without steps: the walk's restart at the candidate itself. */
export interface Path {
  /** Id of the seed. */
  seed: string;
  /** What of the walk's score came this way, from 0 to 1. */
  share: number;
  steps: PathStep[];
}

export interface PathStep {
  /** Of the edge; `mentions` and `phrase` are links derived from texts. */
  kind: string;
  /** Whether the walk follows the edge, or goes against it. */
  direction: 'out' | 'in';
  /** Id of the node that is reached; for a name that texts share, the name. */
  to: string;
}

/** How a graph candidate came in: the seed it hangs on and the edge. */
export interface Via {
  from: string;
  edgeKind: string;
  direction: 'out' | 'in';
}

export interface Candidate {
  id: string;
  score: number;
  /** The stable name of its producer, never empty. */
  retriever: string;
  /** 1-based rank per channel; a channel that did not return it is absent. */
  ranks: Record<string, number>;
  scores: Record<string, number>;
  kind?: string;
  name?: string;
  qualifiedName?: string;
  path?: string;
  documentId?: string;
  source?: string;
  title?: string;
  uri?: string;
  heading?: string;
  ordinal?: number;
  startLine?: number;
  endLine?: number;
  signature?: string;
  text?: string;
  tokenEstimate: number;
  meta?: Record<string, MetaValue>;
  via?: Via;
  explain?: Contribution[];
}

export interface Result {
  /** The query's id, when it had one. */
  id?: string;
  /** Never null; best first; ties by id in UTF-8 byte order. */
  candidates: Candidate[];
  retriever: string;
  skipped: Skip[];
  /** Sum of the candidates' token estimates. */
  totalTokens: number;
  /** What became of the node that the question asked about. */
  whyNot?: WhyNot;
}

/** What became of one node on its way into an answer. */
export interface WhyNot {
  id: string;
  /**
   * `found`: among the candidates. `cut`: ranked behind k. `lost`: not returned by the retriever. `filtered`: by a
   * filter of the query. `not_visible`: this caller sees no node of this id, whether there is one or not.
   */
  outcome: 'found' | 'cut' | 'lost' | 'filtered' | 'not_visible';
  /** A sentence for people that names the stage. */
  message: string;
  /** The retrievers that were asked, those inside of others under them; none where the node is out of sight. */
  stages: Stage[];
}

/** One retriever's part in an answer, with respect to one node. */
export interface Stage {
  retriever: string;
  /** How many hits it was asked for, and how many it returned. */
  limit: number;
  returned: number;
  /** 1-based; absent when it did not return the node. */
  rank?: number;
  score?: number;
  /** Why it could not run. */
  unavailable?: Skip;
  stages: Stage[];
}

/** Rows (0-based, in id order) with their scores, best first. Inside only; ids outside. */
export interface RankedList {
  rows: Uint32Array;
  scores: Float64Array;
}
