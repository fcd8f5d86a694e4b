// Build an index.

export type { GrantsFor } from './access/principal.js';
export type { BatchResult } from './batch.js';
// Ask it.
export { type AskOptions, Engine, type EngineOptions, type RankOptions } from './engine.js';
export { CorankError, ERROR_CODES, type ErrorCode } from './errors.js';
// Judge it.
export { type Evaluation, evaluate } from './evaluate/evaluate.js';
export { DEFAULT_MEASURES, parseMeasure } from './evaluate/measures/parse.js';
export { type Qrels, readQrels } from './evaluate/qrels.js';
export { type Run, readRun } from './evaluate/run.js';
export { type BuildReport, buildIndex } from './index/build-index.js';
export type { BuildOptions, IndexSource, Matrix, Placed } from './index/build-options.js';
// Retrievers, as values.
export { type Bm25Options, bm25 } from './retrieve/bm25.js';
export { defaultRetriever } from './retrieve/default.js';
export { type DenseOptions, dense, type Embed } from './retrieve/dense.js';
export type { Graph, GraphEdge } from './retrieve/graph.js';
export { type GraphCompletionOptions, graphCompletion } from './retrieve/graph-completion.js';
export { fused, type HybridOptions, hybrid } from './retrieve/hybrid.js';
export { type PagerankOptions, pagerank, type WalkOptions } from './retrieve/pagerank.js';
// One's own.
export type { Hit, Retrieved, RetrieveOptions, RetrieveRequest, Retriever } from './retrieve/retriever.js';
export type { BareWalk, BareWalkRequest } from './retrieve/walk.js';
// Records and errors.
export type {
  AccessMode,
  AccessRow,
  Candidate,
  Contribution,
  Edge,
  FieldDeclaration,
  Filter,
  Node,
  Principal,
  Query,
  Result,
  Skip,
  Via,
} from './types.js';
