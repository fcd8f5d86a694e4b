import type fc from 'fast-check';

/**
 * Settings of a property: the same cases on every machine. CORANK_SEED=n looks at others, CORANK_RUNS=n makes
 * that many times as many of them. A failure prints its seed, path and shrunk counterexample.
 */
export function runs(count: number, minutes = 8): fc.Parameters<unknown> {
  return {
    seed: Number(process.env.CORANK_SEED ?? 20250101),
    numRuns: count * factor,
    interruptAfterTimeLimit: minutes * 60_000 * factor,
    markInterruptAsFailure: true,
  };
}

const factor = Number(process.env.CORANK_RUNS ?? 1);

/** Time for vitest: beyond that of the property, which then still prints what it has. */
export const patience = (minutes = 8): number => (minutes + 1) * 60_000 * factor;
