import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, assertSame, type Outcome } from './answers.js';
import { type Asked, caller, corpus, requestOf, visiblePart } from './corpora.js';
import { temporaryFolder, withIndex } from './indexes.js';
import { OWN, PROBED, probe, type World } from './retrievers.js';
import { patience, runs } from './runs.js';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => folder.remove());

/** The answer with its list cut to n; the token total is that of what is left. */
function cut(told: Outcome, n: number): Outcome {
  if (!('answer' in told)) return told;
  const answer = told.answer as { candidates: { tokenEstimate: number }[] };
  const candidates = answer.candidates.slice(0, n);
  const totalTokens = candidates.reduce((sum, { tokenEstimate }) => sum + tokenEstimate, 0);
  return { answer: { ...answer, candidates, totalTokens } };
}

const setting = corpus.chain((whole) =>
  fc.record({
    whole: fc.constant(whole),
    who: caller,
    request: requestOf(whole.settings),
    depth: fc.integer({ min: 1, max: 30 }),
  }),
);

describe('limits', () => {
  it(
    'only cut: the list for n is a prefix of the list for every larger m, for every retriever',
    async () => {
      let longest = 0;
      const property = fc.asyncProperty(setting, async ({ whole, who, request, depth }) => {
        const world: World = {
          ids: [...whole.nodes.map(({ id }) => id), 'nobody'],
          visible: visiblePart(whole, who).nodes.map(({ id }) => id),
          dimension: whole.settings.dimension,
        };
        await withIndex(folder.path, whole, async (engine) => {
          const makers = [
            ...Object.entries(OWN).map(([name, make]) => [name, () => make(world)] as const),
            ...Object.entries(PROBED).map(([name, make]) => [name, () => make(probe(world))] as const),
          ];
          for (const [name, make] of makers) {
            const limited = (k: number): Asked => ({ ...request, k, depth });
            const whole = await ask(engine, who, limited(depth), make());
            if ('answer' in whole) {
              longest = Math.max(longest, (whole.answer as { candidates: unknown[] }).candidates.length);
            }
            for (let k = 1; k < depth; k++) {
              assertSame(
                `${name}: k ${k} against ${depth}`,
                await ask(engine, who, limited(k), make()),
                cut(whole, k),
              );
            }
          }
        });
      });
      await fc.assert(property, runs(40));
      expect(longest).toBeGreaterThan(10);
    },
    patience(),
  );
});
