import type { Scope } from '../access/scope.js';
import type { Query } from '../types.js';
import { visibleGraph } from './graph.js';
import type { RetrieveRequest } from './retriever.js';
import type { Runtime } from './runtime.js';
import type { Trace } from './trace.js';

/** What a retriever is asked on behalf of one query in one scope. `alive`: whether the scope is still held. */
export function requestOf(
  runtime: Runtime,
  query: Query,
  scope: Scope,
  alive: () => boolean,
  { limit, explain, trace }: { limit: number; explain: boolean; trace?: Trace | undefined },
): RetrieveRequest {
  const graph = visibleGraph(runtime, scope, alive);
  return { text: query.text, limit, scope, graph, query, explain, alive, runtime, trace };
}
