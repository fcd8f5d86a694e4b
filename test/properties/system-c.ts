import { bm25, dense, type Engine, type Query } from '../../dist/index.js';
import { embeddingOf } from './corpora.js';
import type { World } from './retrievers.js';

/** A query in the scope of its caller, as each of these questions takes it. */
export type Asking = (engine: Engine, query: Query, world: World) => Promise<unknown>;

const withDense = ({ dimension }: World) => ({
  dense: dense({ embed: async (texts) => texts.map((text) => embeddingOf(text, dimension)) }),
});

const ORIGINAL = {
  boundaries: 'word',
  route: 'auto',
  dominance: { keepExactNames: false },
  restart: 'uniform',
  edgeWeights: 'uniform',
  iterations: 50,
  tolerance: 0,
} as const;

/** Every question of system C, with options that change what it reads. */
export const SYSTEM_C: Readonly<Record<string, Asking>> = {
  rankByQuery: (engine, query, world) =>
    engine.rankByQuery({ ...query, ...withDense(world), surface: 'code', explain: true }),
  'rankByQuery as the original': (engine, query) =>
    engine.rankByQuery({ ...query, strategy: 'substring', ...ORIGINAL }),
  'rankByQuery of a retriever': (engine, query) =>
    engine.rankByQuery({ ...query, strategy: 'retriever', retriever: bm25(), seedWeights: 'rank' }),
  localize: (engine, query) => engine.localize({ ...query, strategy: 'substring' }),
  'localize of all kinds': (engine, query, world) => {
    const kinds = ['link', 'cites', 'calls', '__proto__', 'constructor'];
    return engine.localize({ ...query, ...withDense(world), kinds, surface: 'code', k: 50, explain: true });
  },
  'seeds by words': (engine, { k: _, ...query }) => engine.matchSeedNodes({ ...query, boundaries: 'word' }),
  'seeds by vector': (engine, { k: _, ...query }) => engine.matchSeedNodesByEmbedding(query),
  'seeds by both': (engine, { k: _, ...query }) =>
    engine.matchSeedNodesHybrid({ ...query, dominance: { threshold: 1 } }),
  'seeds by the route auto': (engine, { k: _, ...query }) =>
    engine.matchSeedNodesByStrategy({ ...query, strategy: 'substring', route: 'auto' }),
  'scores of seeds': (engine, { k: _, embedding: _v, embeddingModel: _m, ...query }, { ids }) =>
    Promise.all(ids.map((node) => engine.seedMatchScore({ ...query, node }))),
};
