import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Processes, not threads: engines start worker threads of their own. Two, for two cores.
    pool: 'forks',
    maxWorkers: 2,
    // Tests on real collections build an index and ask hundreds of queries on a busy machine.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    teardownTimeout: 20_000,
    reporters: ['default'],
    coverage: { enabled: false },
  },
});
