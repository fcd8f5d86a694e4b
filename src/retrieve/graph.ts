import type { Scope } from '../access/scope.js';
import { CorankError } from '../errors.js';
import { bitmapWords, isSet } from '../memory/bitmap.js';
import type { Citation } from '../memory/node-view.js';
import { neighbours } from '../score/neighbours.js';
import type { Runtime } from './runtime.js';

export interface GraphEdge {
  /** The other end. */
  id: string;
  kind: string;
  weight: number;
}

/**
 * The graph as one scope sees it: hidden nodes and the edges at them do not exist. Each call answers for many
 * ids; an id that is unknown or hidden has no entry.
 */
export interface Graph {
  /** Heaviest edge first, then by id. */
  outEdges(ids: readonly string[]): ReadonlyMap<string, readonly GraphEdge[]>;
  inEdges(ids: readonly string[]): ReadonlyMap<string, readonly GraphEdge[]>;
  nodes(ids: readonly string[]): ReadonlyMap<string, Citation>;
}

/** `alive` says whether the scope is still held: afterwards its bitmap may be another caller's. */
export function visibleGraph(runtime: Runtime, scope: Scope, alive: () => boolean): Graph {
  const visible = runtime.index.u32(scope.bitmapAt, bitmapWords(runtime.index.nodes));
  const rowOf = (id: string): number => {
    if (!alive()) throw requestOver();
    const row = runtime.nodes.row(id);
    return row >= 0 && isSet(visible, row) ? row : -1;
  };
  const edges = (ids: readonly string[], direction: 'out' | 'in'): Map<string, GraphEdge[]> =>
    mapVisible(ids, rowOf, (row) =>
      neighbours(runtime.context, scope, row, direction).map((end) => ({
        id: runtime.nodes.id(end.row),
        kind: end.kind,
        weight: end.weight,
      })),
    );
  return {
    outEdges: (ids) => edges(ids, 'out'),
    inEdges: (ids) => edges(ids, 'in'),
    nodes: (ids) => mapVisible(ids, rowOf, (row) => runtime.nodes.citation(row)),
  };
}

export const requestOver = (): CorankError =>
  new CorankError('CLOSED', 'this request is over: its scope and graph are not to be kept');

function mapVisible<T>(
  ids: readonly string[],
  rowOf: (id: string) => number,
  make: (row: number) => T,
): Map<string, T> {
  const found = new Map<string, T>();
  for (const id of ids) {
    const row = rowOf(id);
    if (row >= 0) found.set(id, make(row));
  }
  return found;
}
