import type { Scope } from '../access/scope.js';
import type { Cancelled, ScoreContext } from './context.js';
import { type LocalizeRequest, walkFromSeeds } from './localize-walk.js';

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

const UNREACHED = 255;

/** Scores of what lies within a few edges of the seeds: see walkFromSeeds. */
export function scoreLocalize(
  context: ScoreContext,
  scope: Scope,
  request: LocalizeRequest,
  cancelled: Cancelled,
): Localized {
  const n = context.index.nodes;
  const kindWords = Math.ceil(request.kinds.length / 32);
  const [scores, kinds] = [new Float64Array(n), new Uint32Array(n * kindWords)];
  const distances = new Uint8Array(n).fill(UNREACHED);
  walkFromSeeds(context, scope, request, cancelled, ({ row, bit, distance, share }) => {
    scores[row]! += share;
    if (distance < distances[row]!) distances[row] = distance;
    if (bit >= 0) kinds[row * kindWords + (bit >> 5)]! |= 1 << (bit & 31);
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

function reachedRows(distances: Uint8Array): Uint32Array {
  const rows = new Uint32Array(distances.length);
  let count = 0;
  for (let row = 0; row < distances.length; row++) if (distances[row] !== UNREACHED) rows[count++] = row;
  return rows.slice(0, count);
}
