import type { RankedList } from '../types.js';

/**
 * `forward`: along the edges. `reverse`: against them. `mixed`: one walk over the edges of weight w and their
 * reversals of weight ratio * w.
 */
export type Direction = 'forward' | 'reverse' | 'mixed';

/** What walks that may run side by side have in common. */
export interface WalkSettings {
  direction: Direction;
  /** Share of the mass that follows edges, in [0, 1). */
  damping: number;
  /** Stop once the scores change by no more than this in sum (L1). */
  tolerance: number;
  /** At least 1. */
  maxIterations: number;
  /** Weight of reversals in a mixed walk, >= 0. */
  ratio: number;
  selfLoops: 'ignore' | 'keep';
  /** `uniform` takes every edge as 1. */
  edgeWeights: 'stored' | 'uniform';
  /** Factors of mentions and phrases, links derived from the texts; undefined: they are not walked. */
  derived: { mentions: number; phrase: number } | undefined;
  /** Factor per edge kind, by the directory's list of kinds; undefined: 1 for all. */
  kindWeights: number[] | undefined;
}

export interface Seed {
  row: number;
  /** Above 0. */
  weight: number;
}

export interface OneWalk {
  /** Visible rows, ascending; at least one. Their weights are divided by their sum. */
  seeds: Seed[];
  /** Length of the list; undefined: all scores. */
  limit: number | undefined;
}

export interface WalkEnd {
  iterations: number;
  /** L1 change of the last step. */
  residual: number;
}

export interface WalkAnswer extends WalkEnd {
  /** Best visible rows with a score above 0, when there was a limit. */
  list?: RankedList;
  /** By row, 0 for hidden ones, phrases behind the nodes, when there was none. */
  scores?: Float64Array;
}

/** The seeds with weights that sum to 1: relative to the heaviest first, so that the sum cannot overflow. */
export function sharesOf(seeds: readonly Seed[]): Seed[] {
  const heaviest = seeds.reduce((most, seed) => Math.max(most, seed.weight), 0);
  const mass = seeds.reduce((sum, seed) => sum + seed.weight / heaviest, 0);
  return seeds.map(({ row, weight }) => ({ row, weight: weight / heaviest / mass }));
}
