import type { RecordBatch } from 'apache-arrow';
import { batchOf, f64, list, u16, u32 } from './columns.js';
import { countingSort, type EdgeTable } from './edge-table.js';

/**
 * The walkable edges, a list per node, in both directions: `out` lists the targets of a node's edges, `in`
 * the sources. Self loops are left out (they stay in the edge table; a walk that keeps them reads them there).
 * Each list is in id order of the other end, parallel edges in table order: sums over it have one order.
 */
export function buildCsr(table: EdgeTable, nodes: number): { out: RecordBatch; in: RecordBatch } {
  const walkable = Uint32Array.from(table.from, (_, e) => e).filter((e) => table.from[e] !== table.to[e]);
  return {
    out: adjacency(table, walkable, table.from, table.to, nodes),
    in: adjacency(table, countingSort(walkable, table.to, nodes), table.to, table.from, nodes),
  };
}

/** `edges` sorted by `near`; within one node by the far end, because the edge table is sorted so. */
function adjacency(
  table: EdgeTable,
  edges: Uint32Array,
  near: Uint32Array,
  far: Uint32Array,
  nodes: number,
): RecordBatch {
  const starts = new Int32Array(nodes + 1);
  for (const e of edges) starts[near[e]! + 1]!++;
  for (let row = 0; row < nodes; row++) starts[row + 1]! += starts[row]!;
  return batchOf(
    [
      list(
        'node',
        starts,
        u32(
          'item',
          edges.map((e) => far[e]!),
        ),
      ),
      list(
        'weight',
        starts,
        f64(
          'item',
          Float64Array.from(edges, (e) => table.weight[e]!),
        ),
      ),
      list(
        'kind',
        starts,
        u16(
          'item',
          Uint16Array.from(edges, (e) => table.kind[e]!),
        ),
      ),
      list('edge', starts, u32('item', edges)),
    ],
    nodes,
  );
}
