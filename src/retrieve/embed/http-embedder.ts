import { CorankError, quote } from '../../errors.js';
import type { Embed, Embedder } from '../../ingest/embedder.js';
import { knownKeys, wholeNumber } from '../options.js';
import { vectorsOf } from './answer.js';
import { endpointOf } from './endpoint.js';
import { Secret } from './secret.js';
import { Service } from './service.js';

export interface HttpEmbedderOptions {
  /** The endpoint, or what it lies under: `https://host`, `https://host/v1`, `https://host/v1/embeddings`. */
  url: string;
  /** As the service names it. */
  model: string;
  /** Sent as `Authorization: Bearer`; in no message, and stored nowhere. */
  key?: string | undefined;
  /** Texts in one request, 1 to 2,048; default 64. */
  batch?: number;
  /** Milliseconds for one attempt; default 30,000. */
  timeout?: number;
  /** Sends `input_type: 'query' | 'document'`, for services that tell them apart; default false. */
  inputType?: boolean;
}

/** Milliseconds before the second attempt. */
const BACK_OFF = 500;
/** The longest that a timer can wait, in milliseconds. */
const LONGEST_TIMEOUT = 2 ** 31 - 1;

/**
 * Vectors from a service with an OpenAI-style `/v1/embeddings`. Batches go one after the other; 429, 5xx, broken
 * connections and time-outs are tried again, five attempts in all, 0.5 s and doubling between them or what
 * `Retry-After` says; redirects are not followed. `embed` rejects with NOT_CONFIGURED (401, 403),
 * EMBEDDINGS_UNAVAILABLE (everything else, an answer that does not fit the texts included) or the signal's reason.
 * INVALID_INPUT for options that make no sense.
 */
export function httpEmbedder(options: HttpEmbedderOptions): Embedder {
  return new HttpEmbedder(options, BACK_OFF);
}

/** `backOff`: milliseconds before the second attempt. */
export class HttpEmbedder implements Embedder {
  readonly model: string;
  readonly #service: Service;
  readonly #batch: number;
  readonly #inputType: boolean;
  #dimension: number | undefined;

  constructor(options: HttpEmbedderOptions, backOff: number) {
    knownKeys('httpEmbedder', options, ['url', 'model', 'key', 'batch', 'timeout', 'inputType']);
    const { url, model, key, batch = 64, timeout = 30_000, inputType = false } = options;
    if (typeof model !== 'string' || model === '')
      throw new CorankError('INVALID_INPUT', `httpEmbedder.model must be a name, got ${quote(model)}`);
    if (typeof inputType !== 'boolean')
      throw new CorankError(
        'INVALID_INPUT',
        `httpEmbedder.inputType must be true or false, got ${quote(inputType)}`,
      );
    this.model = model;
    this.#batch = wholeNumber('httpEmbedder.batch', batch, 1, 2048);
    this.#inputType = inputType;
    this.#service = new Service(endpointOf(url), new Secret(key), {
      timeout: wholeNumber('httpEmbedder.timeout', timeout, 1, LONGEST_TIMEOUT),
      backOff,
    });
  }

  /** Known from the first answer on, and the same ever after. */
  get dimension(): number | undefined {
    return this.#dimension;
  }

  readonly embed: Embed = async (texts, kind, { signal }) => {
    const vectors: Float32Array[] = [];
    for (let at = 0; at < texts.length; at += this.#batch) {
      const input = texts.slice(at, at + this.#batch);
      const type = this.#inputType ? { input_type: kind } : {};
      const request = { model: this.model, input, encoding_format: 'float', ...type };
      const answer = await this.#service.post(request, signal);
      const some = vectorsOf(answer, input.length, this.#service.name);
      this.#require(some[0]!.length);
      vectors.push(...some);
    }
    return vectors;
  };

  #require(length: number): void {
    this.#dimension ??= length;
    if (length === this.#dimension) return;
    throw new CorankError(
      'EMBEDDINGS_UNAVAILABLE',
      `${this.#service.name} answered with vectors of ${length} numbers, before with ${this.#dimension}`,
    );
  }
}
