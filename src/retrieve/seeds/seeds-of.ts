import { ask } from '../hits.js';
import type { RetrieveRequest } from '../retriever.js';
import { embeddingSeedsAlone } from './embedding.js';
import { hybridSeeds } from './hybrid.js';
import { lexicalSeeds } from './lexical.js';
import type { SeedSettings } from './options.js';
import type { SeedList } from './seed.js';
import { weighted } from './weights.js';

/** The seeds of a query by the strategy of `settings`, among the visible nodes. None is no error here. */
export async function seedsOf(
  request: RetrieveRequest,
  settings: SeedSettings,
  signal: AbortSignal | undefined,
): Promise<SeedList> {
  switch (await routed(request, settings, signal)) {
    case 'substring':
      return { seeds: await lexicalSeeds(request, settings.boundaries, signal), skipped: [] };
    case 'embedding':
      return embeddingSeedsAlone(request, settings, signal);
    case 'hybrid':
      return hybridSeeds(request, settings, signal);
    case 'retriever':
      return retrieverSeeds(request, settings, signal);
  }
}

/** The route `auto` is decided by the vectors that the caller sees. */
async function routed(
  { runtime, scope }: RetrieveRequest,
  { strategy, route }: SeedSettings,
  signal: AbortSignal | undefined,
): Promise<SeedSettings['strategy']> {
  if (strategy !== 'substring' || route === 'literal') return strategy;
  if (runtime.manifest.embedding === undefined || !scope.mayUseOwnVectors) return strategy;
  const { any } = await runtime.pool.run('visibleVectors', scope, { model: 0 }, signal);
  return any > 0 ? 'hybrid' : strategy;
}

async function retrieverSeeds(
  request: RetrieveRequest,
  { retriever, weights }: SeedSettings,
  signal: AbortSignal | undefined,
): Promise<SeedList> {
  const found = await ask(retriever, { ...request, explain: false }, { signal });
  const seeds = weighted(found.hits, weights).map(({ row, id, weight }) => ({
    row,
    id,
    score: weight,
    matched: ['retriever' as const],
  }));
  return { seeds, skipped: found.skipped };
}
