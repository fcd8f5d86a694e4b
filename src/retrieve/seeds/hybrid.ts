import type { Skip } from '../../types.js';
import type { RetrieveRequest } from '../retriever.js';
import { ChannelUnavailable } from '../unavailable.js';
import { embeddingSeeds } from './embedding.js';
import { lexicalSeeds } from './lexical.js';
import type { SeedSettings } from './options.js';
import type { SeedList, SeedRow } from './seed.js';

/**
 * Seeds by words, then those by vector that are not among them (C.5). Enough seeds by vector push out the weaker
 * seeds by words: `skipped` says how many. When no vector can be had, the words alone, and `skipped` says why.
 */
export async function hybridSeeds(
  request: RetrieveRequest,
  settings: SeedSettings,
  signal: AbortSignal | undefined,
): Promise<SeedList> {
  const [lexical, near] = await Promise.all([
    lexicalSeeds(request, settings.boundaries, signal),
    embeddingSeeds(request, settings, signal).catch(withoutVectors),
  ]);
  const { threshold, keepExactNames } = settings.dominance;
  const byVector = new Map(near.seeds.map((seed) => [seed.id, seed]));
  const stays = (seed: SeedRow): boolean => keepExactNames && seed.matched.includes('name');
  const kept = near.seeds.length >= threshold ? lexical.filter(stays) : lexical;
  const seen = new Set(kept.map(({ id }) => id));
  const seeds = [
    ...kept.map((seed) => byVector.get(seed.id) ?? seed),
    ...near.seeds.filter(({ id }) => !seen.has(id)),
  ];
  const pushedOut = lexical.filter(({ id }) => !seen.has(id) && !byVector.has(id)).length;
  const dominated = pushedOut === 0 ? [] : [dominatedBy(near.seeds.length, pushedOut)];
  return { seeds, skipped: [...near.skipped, ...dominated] };
}

function withoutVectors(cause: unknown): SeedList {
  if (!(cause instanceof ChannelUnavailable)) throw cause;
  return { seeds: [], skipped: [cause.skip] };
}

const dominatedBy = (vectors: number, count: number): Skip => ({
  channel: 'substring',
  code: 'dominated',
  message: `${count} seeds by words are left out: there are ${vectors} by vector`,
  count,
});
