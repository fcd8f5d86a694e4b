import { callerOf, type GrantsFor } from './access/principal.js';
import type { Scope } from './access/scope.js';
import type { ScopeCache } from './access/scope-cache.js';
import { CorankError } from './errors.js';
import type { Limits } from './rank/limit.js';
import { visibleGraph } from './retrieve/graph.js';
import { ask, type RowHit } from './retrieve/hits.js';
import { checkRetriever, type RetrieveRequest, type Retriever } from './retrieve/retriever.js';
import type { Runtime } from './retrieve/runtime.js';
import type { Candidate, Query, Result } from './types.js';

export interface AnswerOptions {
  retriever: Retriever;
  /** Made of the query's k once its scope is known: scope errors come first. */
  limits: (query: Query) => Limits;
  explain: boolean;
  /** Whether candidates carry the fields of their node or only id, score and ranks. */
  cite: boolean;
  signal: AbortSignal | undefined;
}

/** Scope, then retriever, then candidates: what every answer goes through. */
export class Coordinator {
  private readonly runtime: Runtime;
  private readonly scopes: ScopeCache;
  private readonly grantsFor: GrantsFor | undefined;

  constructor(runtime: Runtime, scopes: ScopeCache, grantsFor: GrantsFor | undefined) {
    this.runtime = runtime;
    this.scopes = scopes;
    this.grantsFor = grantsFor;
  }

  /** Runs `use` with the caller's scope, which stays put until it is done. Scope errors come before all others. */
  async within<T>(
    query: Omit<Query, 'text'>,
    use: (scope: Scope, alive: () => boolean) => Promise<T>,
  ): Promise<T> {
    if (typeof query !== 'object' || query === null) {
      throw new CorankError('INVALID_INPUT', 'a query is an object: { text, principal, ... }');
    }
    if (query.filters !== undefined && !Array.isArray(query.filters)) {
      throw new CorankError('INVALID_INPUT', 'filters must be a list of { field, op, value }');
    }
    const caller = await callerOf(this.runtime.manifest.access, query, this.grantsFor);
    const scope = await this.scopes.acquire(caller, query.filters ?? []);
    let alive = true;
    try {
      return await use(scope, () => alive);
    } finally {
      alive = false;
      this.scopes.release(scope);
    }
  }

  async answer(query: Query, options: AnswerOptions): Promise<Result> {
    checkRetriever(options.retriever, 'retriever');
    return this.within(query, async (scope, alive) => {
      if (typeof query.text !== 'string')
        throw new CorankError('INVALID_INPUT', 'a query needs a text, a string');
      const { retriever } = options;
      const limits = options.limits(query);
      const skipped = [...limits.skipped];
      if (query.text.trim() === '') return this.result(query, retriever, [], skipped);
      const found = await ask(retriever, this.request(query, scope, alive, limits.depth, options.explain), {
        signal: options.signal,
      });
      options.signal?.throwIfAborted();
      const candidates = found.hits.slice(0, limits.k).map((hit) => this.candidate(hit, retriever, options));
      return this.result(query, retriever, candidates, [...skipped, ...found.skipped]);
    });
  }

  private request(
    query: Query,
    scope: Scope,
    alive: () => boolean,
    limit: number,
    explain: boolean,
  ): RetrieveRequest {
    const { runtime } = this;
    return {
      text: query.text,
      limit,
      scope,
      graph: visibleGraph(runtime, scope, alive),
      query,
      explain,
      alive,
      runtime,
    };
  }

  private candidate(hit: RowHit, retriever: Retriever, { cite, explain }: AnswerOptions): Candidate {
    const { nodes } = this.runtime;
    return {
      id: hit.id,
      score: hit.score,
      retriever: retriever.name,
      ranks: hit.ranks ?? {},
      scores: hit.scores ?? {},
      ...(cite ? nodes.citation(hit.row) : { tokenEstimate: nodes.tokenEstimate(hit.row) }),
      ...(hit.via === undefined ? {} : { via: hit.via }),
      ...(explain && hit.explain !== undefined ? { explain: hit.explain } : {}),
    };
  }

  private result(
    query: Query,
    retriever: Retriever,
    candidates: Candidate[],
    skipped: Result['skipped'],
  ): Result {
    return {
      ...(query.id === undefined ? {} : { id: query.id }),
      candidates,
      retriever: retriever.name,
      skipped,
      totalTokens: candidates.reduce((sum, candidate) => sum + candidate.tokenEstimate, 0),
    };
  }
}
