import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from './indexes.js';
import { patience } from './runs.js';
import { play } from './stress-game.js';

/**
 * "Side-channel attacks on shared search indexes" (Wang, Grubbs, Lu, Bindschaedler, Cash, Ristenpart; IEEE S&P
 * 2017): document frequencies that count everyone's rows show in the scores of one's own. A game has 100 terms,
 * each with a secret: whether the victim's rows contain it. Both values are played, so the advantage is exact.
 * leaky-builds.test.ts has the same player win where frequencies leak.
 */
const GAMES = 20;
const SEED = Number(process.env.CORANK_SEED ?? 2017);

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => folder.remove());

describe('the term-counting attack of STRESS', () => {
  it(
    'learns nothing in 20 games of 100 rounds: the same bytes whatever the secrets',
    async () => {
      const score = await play(folder.path, { games: GAMES, seed: SEED });
      expect(score.rounds).toBeGreaterThanOrEqual(2000);
      // Every round has its questions, and the coin falls on both sides.
      expect(score.asked).toBeGreaterThanOrEqual(30 * score.rounds);
      expect(score.hits).toBeGreaterThan(0.4 * score.rounds);
      expect(score.hits).toBeLessThan(0.6 * score.rounds);
      expect(score.silent).toBe(score.rounds);
      expect(score.found).toBe(0);
      expect(score.advantage).toBe(0);
    },
    patience(),
  );

  it(
    'wins where the player may read the rows in question',
    async () => {
      const score = await play(folder.path, { games: 1, seed: SEED, open: true });
      expect(score.advantage).toBeGreaterThanOrEqual(0.95);
      expect(score.silent).toBe(0);
    },
    patience(),
  );
});
