import type { Manifest } from '../index/schema.js';
import type { Analyzer } from '../ingest/analyzer.js';
import type { EdgeView } from '../memory/edge-view.js';
import type { FilterView } from '../memory/filter-view.js';
import type { LsaView } from '../memory/lsa-view.js';
import type { NodeView } from '../memory/node-view.js';
import type { SharedIndex } from '../memory/shared-index.js';
import type { TextView } from '../memory/text-view.js';
import type { Pool } from '../pool/pool.js';
import type { ScoreContext } from '../score/context.js';
import type { Graphs } from './ann-graphs.js';
import type { WalkQueue } from './walk-queue.js';

/** An opened index, as the retrievers of this folder use it. One per engine. */
export interface Runtime {
  manifest: Manifest;
  analyzer: Analyzer;
  index: SharedIndex;
  nodes: NodeView;
  /** Declared fields of the nodes. */
  fields: FilterView;
  /** What edges have beside ends, kind and weight; undefined in an index without edges. */
  edges: EdgeView | undefined;
  terms: TextView;
  /** Names that several texts share, where links were derived. */
  phrases: TextView | undefined;
  /** The index's own embedder, when its vectors are its own. */
  lsa: LsaView | undefined;
  /** Graphs of neighbours beside the vectors, when there are any. */
  ann: Graphs | undefined;
  pool: Pool;
  walks: WalkQueue;
  /** The calling thread's own kernels and scratch memory, for work that is too small for a task. */
  context: ScoreContext;
}
