import { CorankError, quote } from '../../errors.js';

/** The key of a service, out of sight of inspection, JSON and messages. */
export class Secret {
  readonly #key: string | undefined;

  /** INVALID_INPUT for what cannot stand in a header; the message does not tell it. */
  constructor(key: unknown) {
    if (key !== undefined && !(typeof key === 'string' && /^[\x21-\x7e]+$/.test(key))) {
      throw new CorankError(
        'INVALID_INPUT',
        'httpEmbedder.key must be a text of visible ASCII characters without spaces (the one given is not shown)',
      );
    }
    this.#key = key as string | undefined;
  }

  get given(): boolean {
    return this.#key !== undefined;
  }

  get headers(): Record<string, string> {
    return this.#key === undefined ? {} : { authorization: `Bearer ${this.#key}` };
  }

  /**
   * What a service said, for the end of a message: `: "..."`, short, without the key, however it is written;
   * empty when it said nothing.
   */
  excerpt(text: string): string {
    const said = this.#scrub(sentence(this.#scrub(text))).trim();
    return said === '' ? '' : `: ${quote(said)}`;
  }

  #scrub(text: string): string {
    if (this.#key === undefined) return text;
    return text.replace(spellings(this.#key), '[key]');
  }
}

/** A key as services write it: its signs may be escaped as in JSON, URLs or HTML. */
function spellings(key: string): RegExp {
  const sign = (one: string) => `(?:\\\\?\\${one}|\\\\u[0-9a-f]{4}|%[0-9a-f]{2}|&#?\\w{1,8};)`;
  return new RegExp(key.replace(/[^a-z0-9]/gi, sign), 'gi');
}

/** The message in a JSON complaint of the usual forms, nothing of other JSON, else the text itself. */
function sentence(text: string): string {
  let complaint: unknown;
  try {
    complaint = JSON.parse(text);
  } catch {
    return text;
  }
  const { error, message, detail } = Object(complaint);
  return [error?.message, error, message, detail].find((one) => typeof one === 'string') ?? '';
}
