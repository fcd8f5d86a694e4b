import type { Skip } from '../../types.js';

/** How a node was found: by its name, by its qualified name, by its vector, or by a retriever. */
export type Matched = 'name' | 'qualifiedName' | 'embedding' | 'retriever';

/** A node that the query points at, where a walk starts. */
export interface Seed {
  id: string;
  /** Above 0. SeedMatchScore (see seedMatchScore), or what `seedWeights` makes of a retriever's hit. */
  score: number;
  matched: Matched[];
}

export interface SeedRow extends Seed {
  row: number;
}

/** In the order of the strategy, best first. */
export interface SeedList {
  seeds: SeedRow[];
  skipped: Skip[];
}

/** As it goes out: rows stay inside. */
export const seedOf = ({ id, score, matched }: SeedRow): Seed => ({ id, score, matched });
