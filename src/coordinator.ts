import { callerOf, type GrantsFor } from './access/principal.js';
import type { Scope } from './access/scope.js';
import type { ScopeCache } from './access/scope-cache.js';
import { CorankError } from './errors.js';
import type { Limits } from './rank/limit.js';
import { candidateOf, resultOf } from './retrieve/candidate.js';
import { ask, isPartial } from './retrieve/hits.js';
import { requestOf } from './retrieve/request.js';
import { checkRetriever, type Retriever } from './retrieve/retriever.js';
import type { Runtime } from './retrieve/runtime.js';
import { traceOf, whyFiltered, whyNotOf } from './retrieve/why-not.js';
import type { Filter, Query, Result } from './types.js';

export interface AnswerOptions {
  retriever: Retriever;
  /** Made of the query's k once its scope is known: scope errors come first. */
  limits: (query: Query) => Limits;
  explain: boolean;
  /** Whether candidates carry the fields of their node or only id, score and ranks. */
  cite: boolean;
  signal: AbortSignal | undefined;
  /** Id of a node that the answer is to tell about. */
  whyNot?: string | undefined;
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
    const { whyNot: id } = options;
    const result = await this.answerInScope(query, options);
    if (result.whyNot?.outcome !== 'not_visible' || !query.filters?.length) return result;
    const sees = (filters: readonly Filter[]) =>
      this.within({ ...query, filters }, async (scope) => traceOf(this.runtime, scope, id) !== undefined);
    return { ...result, whyNot: await whyFiltered(result.whyNot, query.filters, sees) };
  }

  private answerInScope(query: Query, options: AnswerOptions): Promise<Result> {
    return this.within(query, async (scope, alive) => {
      if (typeof query.text !== 'string')
        throw new CorankError('INVALID_INPUT', 'a query needs a text, a string');
      const { retriever, explain, whyNot: id } = options;
      const limits = options.limits(query);
      const skipped = [...limits.skipped];
      const trace = id === undefined ? undefined : traceOf(this.runtime, scope, id);
      const whyNot = () => (id === undefined ? {} : { whyNot: whyNotOf(id, trace, limits.k) });
      if (query.text.trim() === '') return { ...resultOf(query, retriever.name, [], skipped), ...whyNot() };
      const request = requestOf(this.runtime, query, scope, alive, { limit: limits.depth, explain, trace });
      const found = await ask(retriever, request, { signal: options.signal });
      if (!isPartial(retriever)) options.signal?.throwIfAborted();
      const candidates = found.hits
        .slice(0, limits.k)
        .map((hit) => candidateOf(this.runtime, retriever.name, hit, options));
      const result = resultOf(query, retriever.name, candidates, [...skipped, ...found.skipped]);
      return { ...result, ...whyNot() };
    });
  }
}
