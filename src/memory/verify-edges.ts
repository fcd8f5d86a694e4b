import { columns } from './arrow-columns.js';
import type { GraphAt } from './directory.js';
import type { Report } from './finding.js';
import type { LoadedTables } from './load.js';
import type { SharedIndex } from './shared-index.js';

/** The edge table is sorted; `out` and `in` list exactly its edges without self loops, with the same values. */
export function verifyEdges(loaded: LoadedTables, index: SharedIndex, report: Report): void {
  const graph = index.directory.graph;
  if (graph === undefined) return;
  const table = columns(loaded, 'edges');
  const edges: EdgeColumns = {
    from: table.numbers('from', Uint32Array),
    to: table.numbers('to', Uint32Array),
    kind: table.numbers('kind', Uint16Array),
    weight: table.numbers('weight', Float64Array),
  };
  for (let e = 1; e < edges.from.length; e++) {
    const order =
      edges.from[e - 1]! - edges.from[e]! ||
      edges.to[e - 1]! - edges.to[e]! ||
      edges.kind[e - 1]! - edges.kind[e]!;
    if (order > 0) report('edges', `edge ${e} is out of order`);
  }
  verifySide(index, 'out', graph.out, edges, edges.from, edges.to, report);
  verifySide(index, 'in', graph.in, edges, edges.to, edges.from, report);
}

interface EdgeColumns {
  from: Uint32Array;
  to: Uint32Array;
  kind: Uint16Array;
  weight: Float64Array;
}

function verifySide(
  index: SharedIndex,
  name: 'out' | 'in',
  side: GraphAt,
  edges: EdgeColumns,
  near: Uint32Array,
  far: Uint32Array,
  report: Report,
): void {
  const starts = index.i32(side.starts, index.nodes + 1);
  const ends = index.u32(side.nodes, side.length);
  const weights = index.f64(side.weights, side.length);
  const kinds = index.u16(side.kinds, side.length);
  const listed = index.u32(side.edges, side.length);
  const walkable = near.reduce((count, row, e) => count + (row === far[e] ? 0 : 1), 0);
  if (walkable !== side.length)
    report(name, `lists ${side.length} edges, the edge table has ${walkable} without self loops`);
  for (let row = 0; row < index.nodes; row++) {
    for (let i = starts[row]!; i < starts[row + 1]!; i++) {
      const e = listed[i]!;
      const same =
        near[e] === row && far[e] === ends[i] && edges.weight[e] === weights[i] && edges.kind[e] === kinds[i];
      if (!same) report(name, `entry ${i} of row ${row} is not edge ${e}`);
      const ordered =
        i === starts[row] || ends[i - 1]! < ends[i]! || (ends[i - 1] === ends[i] && listed[i - 1]! < e);
      if (!ordered) report(name, `entry ${i} of row ${row} is out of order`);
    }
  }
}
