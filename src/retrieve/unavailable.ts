import { CorankError, type ErrorCode } from '../errors.js';
import type { Skip } from '../types.js';

/** Error of a channel named alone, by the reason that several channels would list. */
const ERROR_OF: Readonly<Record<string, ErrorCode>> = {
  no_edges: 'INVALID_INPUT',
  not_configured: 'NOT_CONFIGURED',
};

/**
 * A channel that cannot run on this index or for this query. Named alone it is an error (EMBEDDINGS_UNAVAILABLE,
 * NOT_CONFIGURED, INVALID_INPUT for an index without edges); a retriever of several channels lists it in
 * `skipped` and goes on.
 */
export class ChannelUnavailable extends CorankError {
  readonly skip: Skip;

  /** `alone`: what the error says when the channel was named alone. */
  constructor(skip: Skip, alone: string, cause?: unknown) {
    super(ERROR_OF[skip.code] ?? 'EMBEDDINGS_UNAVAILABLE', alone, cause === undefined ? {} : { cause });
    this.skip = skip;
  }
}
