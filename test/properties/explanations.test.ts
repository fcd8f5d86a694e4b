import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  bm25,
  type Candidate,
  dense,
  graphCompletion,
  hybrid,
  pagerank,
  type Result,
} from '../../dist/index.js';
import { ask } from './answers.js';
import { caller, corpus, embeddingOf, requestOf } from './corpora.js';
import { temporaryFolder, withIndex } from './indexes.js';
import { OWN, PROBED, probe, type World } from './retrievers.js';
import { patience, runs } from './runs.js';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => folder.remove());

/** Retrievers inside of others, as deep as one may nest them. */
const NESTED: typeof OWN = {
  'hybrid of two kinds of bm25': () =>
    hybrid([bm25(), { ...bm25({ form: 'joined', pairs: 0 }), name: 'joined' }], { weights: [1, 0.3] }),
  'hybrid of hybrids': ({ dimension }) =>
    hybrid([
      hybrid([bm25(), pagerank()]),
      dense({ embed: async (texts) => texts.map((text) => embeddingOf(text, dimension)) }),
    ]),
  'pagerank from a hybrid': () => pagerank({ seeds: hybrid([bm25(), dense()]) }),
  'graph completion of a hybrid': () => graphCompletion({ seeder: hybrid([bm25(), dense()]) }),
};

const setting = corpus.chain((whole) =>
  fc.record({ whole: fc.constant(whole), who: caller, request: requestOf(whole.settings) }),
);

describe('explanations', () => {
  it(
    'add up to the score within 1e-9, for every candidate of every retriever',
    async () => {
      let explained = 0;
      const property = fc.asyncProperty(setting, async ({ whole, who, request }) => {
        const world: World = {
          ids: whole.nodes.map(({ id }) => id),
          visible: [],
          dimension: whole.settings.dimension,
        };
        const asked = { ...request, explain: true };
        await withIndex(folder.path, whole, async (engine) => {
          const makers = [
            ...Object.entries({ ...OWN, ...NESTED }).map(([name, make]) => [name, make(world)] as const),
            ...Object.entries(PROBED).map(([name, make]) => [name, make(probe(world))] as const),
          ];
          for (const [name, retriever] of makers) {
            const told = await ask(engine, who, asked, retriever);
            if (!('answer' in told)) continue;
            const { candidates } = told.answer as Result;
            for (const candidate of candidates) check(name, candidate);
            explained += candidates.length;
          }
        });
      });
      await fc.assert(property, runs(60));
      expect(explained).toBeGreaterThan(1000);
    },
    patience(),
  );

  it(
    'are absent unless asked for, and asking changes nothing else',
    async () => {
      const property = fc.asyncProperty(setting, async ({ whole, who, request }) => {
        const world: World = { ids: [], visible: [], dimension: whole.settings.dimension };
        await withIndex(folder.path, whole, async (engine) => {
          for (const [name, make] of Object.entries(OWN)) {
            const silent = await ask(engine, who, { ...request, explain: false }, make(world));
            const spoken = await ask(engine, who, { ...request, explain: true }, make(world));
            expect(JSON.stringify(silent), name).toBe(
              JSON.stringify(spoken, (key, value) => (key === 'explain' ? undefined : value)),
            );
          }
        });
      });
      await fc.assert(property, runs(30));
    },
    patience(),
  );
});

function check(name: string, { id, score, explain, ranks }: Candidate): void {
  const where = `${name}, ${JSON.stringify(id)}`;
  expect(Number.isFinite(score), `${where}: score ${score}`).toBe(true);
  expect(explain, `${where}: no explanation`).toBeDefined();
  const sum = explain!.reduce((total, { value }) => total + value, 0);
  const told = `${where}: ${sum} against ${score} of ${JSON.stringify(explain)}`;
  expect(Math.abs(sum - score), told).toBeLessThanOrEqual(1e-9);
  for (const { from, value } of explain!) {
    expect(from, where).not.toBe('');
    expect(Number.isFinite(value), where).toBe(true);
  }
  for (const rank of Object.values(ranks)) {
    expect(Number.isInteger(rank) && rank >= 1, `${where}: ranks ${JSON.stringify(ranks)}`).toBe(true);
  }
}
