import type { Scope } from '../access/scope.js';
import { bitmapWords, isSet } from '../memory/bitmap.js';
import type { GraphAt } from '../memory/directory.js';
import type { SharedIndex } from '../memory/shared-index.js';
import { type Cancelled, type ScoreContext, stopIf } from './context.js';

/** What is walked from: visible rows, one time each, with how far and along which edges. */
export interface LocalizeRequest {
  seeds: { row: number; weight: number }[];
  /** Edges from a seed, at most. */
  depth: number;
  /** Edges that are walked: places in the directory's list of kinds, ascending. */
  kinds: number[];
}

/** The edge by which a row is first come to from a seed. */
export interface Arrival {
  row: number;
  /** The row before it, and the place of the edge's kind among those that are walked; none for the seed itself. */
  from: number;
  bit: number;
  direction: 'out' | 'in';
  distance: number;
  /** The seed's weight, halved with every edge. */
  share: number;
}

/**
 * System C's bounded walk (C.9): from each seed breadth first over visible edges in both directions, a node's
 * outgoing edges before its incoming ones, each by the other end's id, then by kind. `arrive` is called for every row
 * that a seed reaches, in that order, `done` when a seed's walk is over.
 */
export function walkFromSeeds(
  { index }: ScoreContext,
  scope: Scope,
  { seeds, depth, kinds }: LocalizeRequest,
  cancelled: Cancelled,
  arrive: (arrival: Arrival, seed: number) => void,
  done: (seed: number) => void = () => {},
): void {
  const graph = index.directory.graph;
  if (graph === undefined) throw new Error('this index has no edges');
  const visible = index.u32(scope.bitmapAt, bitmapWords(index.nodes));
  const sides = (['out', 'in'] as const).map((direction) => ({
    direction,
    ...sideOf(index, graph[direction]),
  }));
  const bitOf = new Int32Array(graph.kinds.length).fill(-1);
  kinds.forEach((kind, bit) => {
    bitOf[kind] = bit;
  });
  // 1 + the number of the seed that came here last.
  const visited = new Uint32Array(index.nodes);
  const queue = new Uint32Array(index.nodes);
  seeds.forEach((seed, s) => {
    let [at, to] = [0, 1];
    queue[0] = seed.row;
    visited[seed.row] = s + 1;
    let share = seed.weight;
    arrive({ row: seed.row, from: -1, bit: -1, direction: 'out', distance: 0, share }, s);
    for (let distance = 1; at < to && distance <= depth; distance++) {
      stopIf(cancelled);
      share /= 2;
      for (const end = to; at < end; at++) {
        const from = queue[at]!;
        for (const { direction, starts, ends, kindOf } of sides) {
          for (let e = starts[from]!; e < starts[from + 1]!; e++) {
            const row = ends[e]!;
            const bit = bitOf[kindOf[e]!]!;
            if (bit < 0 || visited[row] === s + 1 || !isSet(visible, row)) continue;
            visited[row] = s + 1;
            queue[to++] = row;
            arrive({ row, from, bit, direction, distance, share }, s);
          }
        }
      }
    }
    done(s);
  });
}

const sideOf = (index: SharedIndex, side: GraphAt) => ({
  starts: index.i32(side.starts, index.nodes + 1),
  ends: index.u32(side.nodes, side.length),
  kindOf: index.u16(side.kinds, side.length),
});
