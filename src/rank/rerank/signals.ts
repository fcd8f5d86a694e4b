import { channelSignals } from './channels.js';
import { fileSignals } from './files.js';
import { graphSignals } from './graph.js';
import { historySignals } from './history.js';
import type { Signal } from './signal.js';
import { symbolSignals } from './symbols.js';

/**
 * The 21 signals of system A with its weights (spec A.3), in its order: that of sums and explanations. `retriever` is
 * corank's own: what the list that is reranked says by its scores. System A does not look at them, so it weighs 0.
 */
export const ORIGINAL_WEIGHTS = {
  bm25: 1,
  semantic: 0.8,
  semantic_cosine: 2,
  fan_in: 0.6,
  hits: 0.4,
  fan_out: 0.2,
  churn: 0.3,
  co_change: 0.25,
  community: 0.3,
  minhash: 0.3,
  api_signature: 0.45,
  type_signature: 0.45,
  recency: 0.3,
  feedback: 0.5,
  file_coherence: 0.3,
  path_penalty: 0.4,
  definition_bias: 0.6,
  source_bias: 0.25,
  provenance: 0.15,
  proximity: 0.45,
  overload: 0.35,
  retriever: 0,
} as const;

export type SignalName = keyof typeof ORIGINAL_WEIGHTS;

export const SIGNAL_NAMES = Object.keys(ORIGINAL_WEIGHTS) as SignalName[];

const ALL: readonly Signal[] = [
  ...channelSignals,
  ...graphSignals,
  ...historySignals,
  ...symbolSignals,
  ...fileSignals,
];

export const SIGNALS: readonly Signal[] = SIGNAL_NAMES.map(
  (name) => ALL.find((signal) => signal.name === name)!,
);
