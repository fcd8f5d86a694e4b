// Build an index.
export { type BuildReport, buildIndex } from './index/build-index.js';
export { type LsaEmbedding, type LsaOptions, lsa } from './index/lsa.js';
export type { AnnOptions } from './index/ann.js';
export type { BuildOptions, IndexSource, Matrix, Placed } from './index/build-options.js';
export {
  readSourceTree,
  type SourceTree,
  type SourceTreeOptions,
  type SourceTreeReport,
} from './ingest/code/source-tree.js';

// Ask it.
export {
  type AskOptions,
  Engine,
  type EngineOptions,
  type RankOptions,
  type SearchOptions,
} from './engine.js';
export type { Depth } from './rank/limit.js';
export type { BatchResult } from './batch.js';
export type { GrantsFor } from './access/principal.js';
export type { BareWalk, BareWalkRequest } from './retrieve/walk.js';

// Nodes that a query points at, and what they lead to.
export type { LocalizedCandidate, LocalizeRequest, LocalizeResult } from './retrieve/localize.js';
export type { RankByQueryRequest, RankByQueryResult } from './retrieve/rank-by-query.js';
export type { Surface } from './retrieve/surface.js';
export type { SeedMatchRequest, SeedRequest, SeedsResult } from './retrieve/seeds/match.js';
export type { Matched, Seed } from './retrieve/seeds/seed.js';
export type { SeedOptions, SeedStrategy } from './retrieve/seeds/options.js';
export { seedMatchScore } from './score/seed-match.js';
export type { Boundaries } from './score/boundaries.js';

// Retrievers, as values.
export { bm25 } from './retrieve/bm25.js';
export type { Bm25Options } from './retrieve/bm25-parameters.js';
export { coverDensity } from './retrieve/cover-density.js';
export { type DenseOptions, dense } from './retrieve/dense.js';
export { type HnswOptions, hnsw } from './retrieve/hnsw.js';
export { type PagerankOptions, pagerank, type WalkOptions } from './retrieve/pagerank.js';
export { fused, hybrid, type HybridOptions } from './retrieve/hybrid.js';
export type { Fusion } from './retrieve/fusion/fusion.js';
export { flatness, type FlatnessOptions } from './retrieve/fusion/flatness.js';
export { rrf, type RrfOptions } from './retrieve/fusion/rrf.js';
export { stretchedRrf, type StretchedRrfOptions } from './retrieve/fusion/stretched-rrf.js';
export { type AlphaOptions, alphaBlend, dbsf, relativeScore } from './retrieve/fusion/score-fusion.js';
export { graphCompletion, type GraphCompletionOptions } from './retrieve/graph-completion.js';
export { type CodeSearchOptions, type CodeSurface, codeSearch } from './retrieve/code-search.js';
export { defaultRetriever } from './retrieve/default.js';

// Put in order by signals.
export { rerank } from './retrieve/rerank/rerank.js';
export type { OwnSignal, RerankOptions } from './retrieve/rerank/options.js';
export type { InputProvider, NodeInputs } from './retrieve/rerank/provider.js';
export type { Batch, Home, Links, RerankCandidate } from './rank/rerank/batch.js';
export type { Signal, SignalValue } from './rank/rerank/signal.js';
export { ORIGINAL_WEIGHTS, type SignalName } from './rank/rerank/signals.js';
export {
  type Feedback,
  type FeedbackEvent,
  feedbackFrom,
  type FeedbackOptions,
} from './rank/rerank/feedback.js';
export type { QueryClass } from './rank/rerank/query-class.js';

// Texts to vectors.
export type { Embed, Embedder } from './ingest/embedder.js';
export { httpEmbedder, type HttpEmbedderOptions } from './retrieve/embed/http-embedder.js';
export { useLite, type UseLiteOptions } from './retrieve/embed/use-lite.js';

// One's own.
export type { Hit, Retrieved, RetrieveOptions, RetrieveRequest, Retriever } from './retrieve/retriever.js';
export type { Graph, GraphEdge } from './retrieve/graph.js';

// Judge a run.
export { evaluate, type Evaluation } from './evaluate/evaluate.js';
export { DEFAULT_MEASURES, parseMeasure } from './evaluate/measures/parse.js';
export { type Qrels, readQrels } from './evaluate/qrels.js';
export { type Run, readRun } from './evaluate/run.js';

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
  Path,
  PathStep,
  Principal,
  Query,
  Result,
  Skip,
  Stage,
  VectorForm,
  Via,
  WhyNot,
} from './types.js';
export { CorankError, ERROR_CODES, type ErrorCode } from './errors.js';
