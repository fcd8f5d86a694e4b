import type { QueryClass } from './query-class.js';
import { signatureTokens } from './tokens.js';

/** What is known of one candidate. What is absent was not to be had: the signals that need it then say so. */
export interface RerankCandidate {
  id: string;
  /** Order of ids: what is equal otherwise is ordered by it. */
  row: number;
  /** 1-based place in the list that is reranked, and the score there. */
  rank: number;
  score: number;
  /** 1-based ranks in the channels of words and of vectors. */
  textRank?: number;
  vectorRank?: number;
  /** Cosine of the query's vector and the candidate's. */
  cosine?: number;
  kind?: string;
  name?: string;
  qualifiedName?: string;
  path?: string;
  /** Whether the path is that of a test; looked at anew when absent. */
  isTest?: boolean;
  documentId?: string;
  signature?: string;
  links?: Links;
  /** Of HITS over the visible graph, each at most 1. */
  authority?: number;
  hub?: number;
  /** Which community of the visible graph it belongs to: a number that only names it. */
  community?: number;
  /** Share of a walk from the best candidates. */
  proximity?: number;
  /** How often it changed, and by how many hands. */
  churn?: number;
  authors?: number;
  /** When it was last worked on, in milliseconds since 1970. */
  lastAuthored?: number;
  repo?: string;
  project?: string;
  exported?: boolean;
  /** By path of another file: how much more often than by chance both change together, at most 1. */
  coChange?: ReadonlyMap<string, number>;
  /** Judgements of earlier answers: (useful - not needed) / all, from -1 to 1. */
  feedback?: number;
  /** Boosts for what is used often and of late (1 to 1.5), and for what the query usually leads to (1 to 3). */
  frecency?: number;
  combo?: number;
}

/** What the visible edges of a candidate amount to. */
export interface Links {
  fanIn: number;
  fanOut: number;
  /** Mean trust in the incoming calls and references, 0.5 to 1; absent without any. */
  provenance?: number | undefined;
  /** Edges that say that two nodes are alike: the other end and how much, 0 to 1. */
  similar: readonly { row: number; similarity: number }[];
}

/** Candidates that are ordered together, and the query they are ordered for. */
export interface Batch {
  text: string;
  queryClass: QueryClass;
  /** The query's tokens as signatures are split. */
  tokens: ReadonlySet<string>;
  /** Ascending by row: sums over candidates are always the same bits. */
  candidates: readonly RerankCandidate[];
  /** The time from which age counts; default: the youngest candidate's. */
  now: number;
  /** Where the caller works. */
  home: Home;
}

export interface Home {
  repo?: string;
  project?: string;
}

export function batchOf(
  text: string,
  queryClass: QueryClass,
  candidates: readonly RerankCandidate[],
  { now, home = {} }: { now?: number; home?: Home } = {},
): Batch {
  const sorted = [...candidates].sort((a, b) => a.row - b.row);
  const stamps = sorted.flatMap(({ lastAuthored }) => lastAuthored ?? []);
  return {
    text: text.trim(),
    queryClass,
    tokens: signatureTokens(text),
    candidates: sorted,
    now: now ?? stamps.reduce((latest, stamp) => Math.max(latest, stamp), Number.NEGATIVE_INFINITY),
    home,
  };
}

/** What counts as a candidate's file: its path, else its document. */
export const fileOf = ({ path, documentId }: RerankCandidate): string | undefined => path || documentId;
