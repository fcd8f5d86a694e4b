import { CorankError } from '../../errors.js';
import { attempt, NoReply } from './attempt.js';
import { pause, waitAfter } from './back-off.js';
import type { Endpoint } from './endpoint.js';
import type { Secret } from './secret.js';

const ATTEMPTS = 5;

export interface Patience {
  /** Milliseconds for one attempt. */
  timeout: number;
  /** Milliseconds before the second attempt; doubles from then on. */
  backOff: number;
}

/** A service that answers POSTs of JSON. Its key goes into the header of requests and nowhere else. */
export class Service {
  /** For messages. */
  readonly name: string;
  readonly #url: string;
  readonly #secret: Secret;
  readonly #patience: Patience;

  constructor(endpoint: Endpoint, secret: Secret, patience: Patience) {
    this.name = `the embedding service at ${endpoint.shown}`;
    this.#url = endpoint.url;
    this.#secret = secret;
    this.#patience = patience;
  }

  /**
   * The body of the answer. 429, 5xx, broken connections and time-outs are tried again, five attempts in all.
   * NOT_CONFIGURED for 401 and 403, EMBEDDINGS_UNAVAILABLE for the rest; the signal's reason when cancelled.
   */
  async post(request: object, signal: AbortSignal | undefined): Promise<string> {
    const body = JSON.stringify(request);
    for (let turn = 1; ; turn++) {
      const outcome = await this.#attempt(body, signal);
      if (typeof outcome === 'string') return outcome;
      if (!outcome.passing || turn === ATTEMPTS) throw this.#failure(outcome, turn);
      const wait = waitAfter(turn, outcome.retryAfter, this.#patience.backOff, Date.now());
      await pause(wait, signal);
    }
  }

  /** The answer's body, or why there is none. */
  async #attempt(body: string, signal: AbortSignal | undefined): Promise<string | Refusal> {
    try {
      const { headers } = this.#secret;
      const reply = await attempt(this.#url, headers, body, this.#patience.timeout, signal);
      return reply.ok ? reply.text : this.#refused(reply.status, reply.text, reply.retryAfter);
    } catch (error) {
      if (!(error instanceof NoReply)) throw error;
      return { why: error.message, passing: error.passing, code: 'EMBEDDINGS_UNAVAILABLE', retryAfter: null };
    }
  }

  #refused(status: number, text: string, retryAfter: string | null): Refusal {
    if (status === 401 || status === 403) {
      const why = this.#secret.given ? 'it does not take the key' : 'it wants a key and none is set';
      return { why: `answered ${status}: ${why}`, passing: false, code: 'NOT_CONFIGURED', retryAfter };
    }
    const passing = status === 429 || status >= 500;
    const why = `answered ${status}${this.#secret.excerpt(text)}`;
    return { why, passing, code: 'EMBEDDINGS_UNAVAILABLE', retryAfter };
  }

  #failure({ code, why }: Refusal, turns: number): CorankError {
    return new CorankError(code, `${this.name} ${why}${turns > 1 ? `, ${turns} times in a row` : ''}`);
  }
}

interface Refusal {
  why: string;
  passing: boolean;
  code: 'NOT_CONFIGURED' | 'EMBEDDINGS_UNAVAILABLE';
  retryAfter: string | null;
}
