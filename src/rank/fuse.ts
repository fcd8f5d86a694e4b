import type { Kernels } from '../kernels/load.js';
import { rrfAdd } from '../kernels/rrf.js';
import { byScoreThenRow } from './order.js';

/** Rows of one channel, best first. */
export interface RankedRows {
  rows: readonly number[];
  weight: number;
}

export interface FusedRow {
  row: number;
  score: number;
}

/** Where a fusion may write: u32 and f64 areas with room for `room` entries. */
export interface FuseScratch {
  slotsAt: number;
  scoresAt: number;
  room: number;
}

/**
 * Reciprocal rank fusion (Cormack, Clarke and Buettcher, 2009): score = sum over the channels that have the
 * row of weight / (k + rank), ranks from 1, channels added in the order given. Ties by row.
 */
export function fuseRrf(
  kernels: Kernels,
  scratch: FuseScratch,
  channels: readonly RankedRows[],
  k: number,
): FusedRow[] {
  const slotOf = new Map<number, number>();
  for (const { rows } of channels) for (const row of rows) if (!slotOf.has(row)) slotOf.set(row, slotOf.size);
  const scores = new Float64Array(kernels.memory.buffer, scratch.scoresAt, slotOf.size);
  scores.fill(0);
  for (const { rows, weight } of channels) {
    if (rows.length > scratch.room) {
      throw new RangeError(`a list of ${rows.length} rows is longer than the ${scratch.room} planned for`);
    }
    const slots = new Uint32Array(kernels.memory.buffer, scratch.slotsAt, rows.length);
    rows.forEach((row, i) => {
      slots[i] = slotOf.get(row)!;
    });
    rrfAdd(kernels, scratch.slotsAt, rows.length, k, weight, scratch.scoresAt);
  }
  const fused = [...slotOf].map(([row, slot]) => ({ row, score: scores[slot]! }));
  return fused.sort(byScoreThenRow);
}
