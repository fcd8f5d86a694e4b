import { inspect } from 'node:util';

/** The closed set of reasons a caller may have to branch on. */
export const ERROR_CODES = [
  'NO_PRINCIPAL',
  'NO_SOURCES',
  'ACCESS_MODE',
  'INVALID_INPUT',
  'UNKNOWN_FIELD',
  'DIMENSION_MISMATCH',
  'MODEL_MISMATCH',
  'EMBEDDINGS_UNAVAILABLE',
  'NOT_CONFIGURED',
  'NO_SEEDS',
  'CORRUPT_INDEX',
  'UNSUPPORTED_VERSION',
  'INDEX_TOO_LARGE',
  'RETRIEVE_FAILED',
  'WORKER_FAILED',
  'OVERLOADED',
  'CLOSED',
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/** Where the fault lies: whatever of file, line (1-based) and id is known. */
export interface Place {
  file?: string;
  line?: number;
  id?: string;
}

/**
 * The one error class of corank. `message` says what, where and what to do;
 * `code` is stable and safe to branch on; `cause` is the error underneath, if any.
 */
export class CorankError extends Error {
  override readonly name = 'CorankError';
  readonly code: ErrorCode;
  readonly place: Place;

  constructor(code: ErrorCode, message: string, options: { cause?: unknown; place?: Place } = {}) {
    super(placed(message, options.place), options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.place = options.place ?? {};
  }
}

function placed(message: string, place: Place | undefined): string {
  if (place?.file === undefined) return message;
  return `${place.file}${place.line === undefined ? '' : `:${place.line}`}: ${message}`;
}

/**
 * Quotes a value for a message: short, on one line, control characters and lone surrogates escaped. Whatever it
 * is given, nothing of it runs: no getter, no toJSON, no proxy.
 */
export function quote(value: unknown): string {
  const text =
    typeof value === 'string'
      ? JSON.stringify(value)
      : inspect(value, {
          depth: 1,
          breakLength: Infinity,
          customInspect: false,
          maxArrayLength: 5,
          maxStringLength: 60,
        });
  return text.length <= 80 ? text : `${text.slice(0, 60)}... (${text.length} characters)`;
}

/** What was thrown, as words: an error's message, or whatever it was instead. */
export const reasonOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : quote(thrown);
