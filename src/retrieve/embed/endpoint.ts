import { CorankError, quote } from '../../errors.js';

export interface Endpoint {
  /** Where requests go. */
  url: string;
  /** The same for messages: a query string may hold a secret and is left out. */
  shown: string;
}

/**
 * The endpoint that a URL means: itself when its path ends in `/embeddings`, else below it `/embeddings` (after a
 * `/v1`) or `/v1/embeddings`. A query string stays. INVALID_INPUT for what is no http(s) URL, or holds a
 * password: those travel in `key`.
 */
export function endpointOf(given: unknown): Endpoint {
  const url = typeof given === 'string' && URL.canParse(given) ? new URL(given) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw new CorankError(
      'INVALID_INPUT',
      `httpEmbedder.url must be an http or https URL, got ${typeof given === 'string' ? 'another text' : quote(given)}`,
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw new CorankError(
      'INVALID_INPUT',
      'httpEmbedder.url must not hold a user or a password; give the service its key as `key`',
    );
  }
  const path = url.pathname.replace(/\/+$/, '');
  if (!path.endsWith('/embeddings'))
    url.pathname = path.endsWith('/v1') ? `${path}/embeddings` : `${path}/v1/embeddings`;
  url.hash = '';
  return { url: url.href, shown: url.origin + url.pathname };
}
