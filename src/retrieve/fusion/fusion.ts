import { CorankError } from '../../errors.js';
import type { RowHit } from '../hits.js';
import { factor } from '../options.js';
import type { Runtime } from '../runtime.js';

/** The list of one channel, best first; empty when it could not run. */
export interface ChannelList {
  name: string;
  hits: readonly RowHit[];
}

/** One addend of a fused score, with the place of the channel that it comes from. */
export interface FusedPart {
  from: string;
  value: number;
  channel: number;
}

export interface FusedRow {
  row: number;
  score: number;
  /** What makes up the score; added up, it is the score within 1e-9. */
  parts: () => FusedPart[];
}

/** How several lists become one, best first. */
export interface Fusion {
  readonly name: string;
  /** Throws INVALID_INPUT when it cannot fuse these channels. */
  check(channels: readonly string[]): void;
  fuse(lists: readonly ChannelList[], runtime: Runtime): FusedRow[];
}

export interface WeightOptions {
  /** One weight per channel, in their order; default 1 each. */
  weights?: readonly number[];
}

/** One weight per channel, checked; undefined stays undefined: 1 each. */
export const checkedWeights = (
  name: string,
  weights: readonly number[] | undefined,
): readonly number[] | undefined => weights?.map((weight, i) => factor(`${name}.weights[${i}]`, weight));

/** Refuses another number of weights than of channels. */
export function checkWeights(
  name: string,
  weights: readonly number[] | undefined,
  channels: readonly string[],
): void {
  if (weights === undefined || weights.length === channels.length) return;
  throw new CorankError(
    'INVALID_INPUT',
    `${name} has ${weights.length} weights for ${channels.length} retrievers`,
  );
}

/** The 1-based ranks of a channel's rows. */
export const rankByRow = ({ hits }: ChannelList): Map<number, number> =>
  new Map(hits.map(({ row }, i) => [row, i + 1]));
