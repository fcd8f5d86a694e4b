import { CorankError } from '../errors.js';
import type { Skip } from '../types.js';

/**
 * A channel that cannot run on this index or for this query. Named alone it is an error
 * (EMBEDDINGS_UNAVAILABLE, NOT_CONFIGURED); a retriever of several channels lists it in `skipped` and goes on.
 */
export class ChannelUnavailable extends CorankError {
  readonly skip: Skip;

  constructor(skip: Skip, cause?: unknown) {
    super(
      skip.code === 'not_configured' ? 'NOT_CONFIGURED' : 'EMBEDDINGS_UNAVAILABLE',
      skip.message,
      cause === undefined ? {} : { cause },
    );
    this.skip = skip;
  }
}
