import type { Scope } from '../access/scope.js';
import { CorankError } from '../errors.js';
import type { Contribution, Query, Skip, Via } from '../types.js';
import type { Graph } from './graph.js';
import type { Runtime } from './runtime.js';
import type { Trace } from './trace.js';

/** One node that a retriever brings, best first in its list. */
export interface Hit {
  id: string;
  /** Finite; comparable only within this list. */
  score: number;
  /** 1-based rank per channel; the list's own is filled in when absent. */
  ranks?: Record<string, number>;
  scores?: Record<string, number>;
  via?: Via;
  explain?: Contribution[];
}

export interface RetrieveRequest {
  /** Never blank. */
  text: string;
  /** At most so many hits: a constant of the options, never derived from the k that the caller asked for. */
  limit: number;
  /** What the caller may see. Opaque: pass it on to other retrievers. */
  scope: Scope;
  /** The visible graph. */
  graph: Graph;
  /** The query as asked, with its vector when it has one. */
  query: Query;
  /** Whether contributions are wanted. */
  explain: boolean;
  /** False once the answer is given: a request that is kept shows nothing any more. */
  alive: () => boolean;
  /** corank's own retrievers reach the index through it; the parts of it are no public interface. */
  runtime: Runtime;
  /** The node that the question asks about; for corank's own use. */
  trace?: Trace | undefined;
}

export interface RetrieveOptions {
  signal?: AbortSignal | undefined;
}

export interface Retrieved {
  hits: readonly (Hit | null | undefined)[];
  skipped?: readonly Skip[];
}

/** A producer of candidates. Anything with these two members stands wherever corank's own do. */
export interface Retriever {
  /** Stable, never empty: it names the producer in results and explanations. */
  readonly name: string;
  /**
   * `partial`: when a search is cancelled, this retriever is waited for, and what it returns is the answer; it should
   * then return at once what it has, and say so in `skipped`. Default: the signal's reason is thrown.
   */
  readonly onCancel?: 'throw' | 'partial';
  retrieve(
    request: RetrieveRequest,
    options: RetrieveOptions,
  ): Promise<Retrieved | readonly (Hit | null | undefined)[]>;
}

/** Throws INVALID_INPUT for what is no retriever; `where` says whose option it is. */
export function checkRetriever(retriever: unknown, where: string): void {
  const { name, retrieve } = (retriever ?? {}) as Partial<Retriever>;
  if (typeof retrieve === 'function' && typeof name === 'string' && name !== '') return;
  throw new CorankError(
    'INVALID_INPUT',
    `${where}: a retriever is { name, retrieve(request, { signal }) } with a name that is not empty`,
  );
}
