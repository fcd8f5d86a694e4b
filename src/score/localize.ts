import type { Scope } from '../access/scope.js';
import { bitmapWords, isSet } from '../memory/bitmap.js';
import type { Directory, GraphAt } from '../memory/directory.js';
import type { SharedIndex } from '../memory/shared-index.js';
import { type Cancelled, type ScoreContext, stopIf } from './context.js';

export interface LocalizeRequest {
  /** Visible rows, one time each. */
  seeds: { row: number; weight: number }[];
  /** Edges from a seed, at most. */
  depth: number;
  /** Edges that are walked: places in the directory's list of kinds, ascending. */
  kinds: number[];
}

/** The rows that were reached, ascending. */
export interface Localized {
  rows: Uint32Array;
  /** Sum over the seeds that reach it of weight / 2 ^ distance. */
  scores: Float64Array;
  /** To the nearest seed. */
  distances: Uint8Array;
  /** Per row `kindWords` words: bit i stands for kinds[i], by which some seed came to it first. */
  kinds: Uint32Array;
  kindWords: number;
}

/**
 * System C's bounded walk (C.9): from each seed breadth first over visible edges in both directions, a node's
 * outgoing edges before its incoming ones, each by the other end's id, then by kind.
 */
export function scoreLocalize(
  { index }: ScoreContext,
  scope: Scope,
  request: LocalizeRequest,
  cancelled: Cancelled,
): Localized {
  const graph = index.directory.graph;
  if (graph === undefined) throw new Error('this index has no edges');
  const n = index.nodes;
  const visible = index.u32(scope.bitmapAt, bitmapWords(n));
  const sides = [sideOf(index, graph.out), sideOf(index, graph.in)];
  const bitOf = bitsOf(graph, request.kinds);
  const kindWords = Math.ceil(request.kinds.length / 32);
  const [scores, kinds] = [new Float64Array(n), new Uint32Array(n * kindWords)];
  const distances = new Uint8Array(n).fill(UNREACHED);
  // 1 + the number of the seed that came here last.
  const visited = new Uint32Array(n);
  const queue = new Uint32Array(n);
  request.seeds.forEach((seed, s) => {
    let [from, to] = [0, 1];
    queue[0] = seed.row;
    visited[seed.row] = s + 1;
    let share = seed.weight;
    for (let distance = 0; from < to; distance++, share /= 2) {
      stopIf(cancelled);
      const end = to;
      for (; from < end; from++) {
        const row = queue[from]!;
        scores[row]! += share;
        if (distance < distances[row]!) distances[row] = distance;
        if (distance === request.depth) continue;
        for (const { starts, ends, kindOf } of sides) {
          for (let e = starts[row]!; e < starts[row + 1]!; e++) {
            const other = ends[e]!;
            const bit = bitOf[kindOf[e]!]!;
            if (bit < 0 || visited[other] === s + 1 || !isSet(visible, other)) continue;
            visited[other] = s + 1;
            queue[to++] = other;
            kinds[other * kindWords + (bit >> 5)]! |= 1 << (bit & 31);
          }
        }
      }
    }
  });
  const rows = reachedRows(distances);
  return {
    rows,
    scores: Float64Array.from(rows, (row) => scores[row]!),
    distances: Uint8Array.from(rows, (row) => distances[row]!),
    kinds: Uint32Array.from(
      { length: rows.length * kindWords },
      (_, i) => kinds[rows[Math.floor(i / kindWords)]! * kindWords + (i % kindWords)]!,
    ),
    kindWords,
  };
}

const UNREACHED = 255;

function reachedRows(distances: Uint8Array): Uint32Array {
  const rows = new Uint32Array(distances.length);
  let count = 0;
  for (let row = 0; row < distances.length; row++) if (distances[row] !== UNREACHED) rows[count++] = row;
  return rows.slice(0, count);
}

const sideOf = (index: SharedIndex, side: GraphAt) => ({
  starts: index.i32(side.starts, index.nodes + 1),
  ends: index.u32(side.nodes, side.length),
  kindOf: index.u16(side.kinds, side.length),
});

/** Place of a kind among those that are walked, -1 for others. */
function bitsOf({ kinds }: NonNullable<Directory['graph']>, walked: readonly number[]): Int32Array {
  const bits = new Int32Array(kinds.length).fill(-1);
  walked.forEach((kind, bit) => {
    bits[kind] = bit;
  });
  return bits;
}
