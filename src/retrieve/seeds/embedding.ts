import { CorankError } from '../../errors.js';
import { ask } from '../hits.js';
import type { RetrieveRequest } from '../retriever.js';
import { ChannelUnavailable } from '../unavailable.js';
import { scorer } from './lexical.js';
import type { SeedSettings } from './options.js';
import type { SeedList } from './seed.js';

/** Seeds by vector, at most. */
const NEAREST = 10;

/**
 * The nearest visible vectors in the order of their cosine, ties by id; none when none is near enough. Their score is
 * SeedMatchScore, 1 when the query matches no name of theirs. Throws ChannelUnavailable when no vector can be had.
 */
export async function embeddingSeeds(
  request: RetrieveRequest,
  settings: SeedSettings,
  signal: AbortSignal | undefined,
): Promise<SeedList> {
  const found = await ask(settings.dense, { ...request, limit: NEAREST, explain: false }, { signal });
  const score = scorer(request, settings.boundaries);
  const seeds = found.hits
    .filter((hit) => hit.score >= settings.minCosine)
    .map(({ id, row }) => {
      const { matched, ...rest } = score(row);
      return { id, row, ...rest, matched: [...matched, 'embedding' as const] };
    });
  return { seeds, skipped: found.skipped };
}

/** The same alone: there is nothing to fall back to, so that the reason is an error. */
export async function embeddingSeedsAlone(
  request: RetrieveRequest,
  settings: SeedSettings,
  signal: AbortSignal | undefined,
): Promise<SeedList> {
  try {
    return await embeddingSeeds(request, settings, signal);
  } catch (cause) {
    if (!(cause instanceof ChannelUnavailable)) throw cause;
    const message = `no seeds by vector: ${cause.message}`;
    throw new CorankError('EMBEDDINGS_UNAVAILABLE', message, { cause });
  }
}
