import type { RowHit } from '../hits.js';
import { nonNegative, oneOf, wholeNumber } from '../options.js';

export interface SeedWeightOptions {
  /** How many of a retriever's first hits are seeds; default 10. */
  seedCount?: number;
  /** `score` (default): score ^ seedPower. `rank`: 1 / (1 + rank), the first hit having rank 0. */
  seedWeights?: 'score' | 'rank';
  /** Default 3: seeds far behind the first get little. */
  seedPower?: number;
}

export const SEED_WEIGHT_KEYS = ['seedCount', 'seedWeights', 'seedPower'] as const;

export function seedWeightSettings(prefix: string, options: SeedWeightOptions): Required<SeedWeightOptions> {
  return {
    seedCount: wholeNumber(`${prefix}seedCount`, options.seedCount ?? 10, 1, 200),
    seedWeights: oneOf(`${prefix}seedWeights`, options.seedWeights ?? 'score', ['score', 'rank'] as const),
    seedPower: nonNegative(`${prefix}seedPower`, options.seedPower ?? 3),
  };
}

/**
 * The first hits as seeds, in their order, with weights in (0, 1]. By score only those above 0 are: scores are taken
 * relative to the best, so that powers neither overflow nor vanish together.
 */
export function weighted(
  hits: readonly RowHit[],
  { seedCount, seedWeights, seedPower }: Required<SeedWeightOptions>,
): { row: number; id: string; weight: number }[] {
  const first = hits.slice(0, seedCount);
  if (seedWeights === 'rank') return first.map(({ row, id }, rank) => ({ row, id, weight: 1 / (1 + rank) }));
  const best = first.reduce((most, hit) => Math.max(most, hit.score), 0);
  return first
    .filter((hit) => hit.score > 0)
    .map(({ row, id, score }) => ({ row, id, weight: positivePower(score / best, seedPower) }))
    .filter((seed) => seed.weight > 0);
}

/** x ^ power for 0 < x <= 1. Whole powers by multiplication: Math.pow may differ in its last bit between engines. */
function positivePower(x: number, power: number): number {
  if (!Number.isInteger(power) || power > 64) return x ** power;
  let product = 1;
  for (let i = 0; i < power; i++) product *= x;
  return product;
}
