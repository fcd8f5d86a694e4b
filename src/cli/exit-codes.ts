import { CorankError, type ErrorCode } from '../errors.js';

export const DONE = 0;
export const FAILED = 1;
export const USAGE = 2;
export const BAD_DATA = 3;
const DENIED = 4;

/** The one table from error codes to exit codes. */
const EXIT_OF: Readonly<Record<ErrorCode, number>> = {
  NO_PRINCIPAL: DENIED,
  NO_SOURCES: DENIED,
  ACCESS_MODE: DENIED,
  // About data; about an option's value it is usage, see asUsage.
  INVALID_INPUT: BAD_DATA,
  // Rows never name filter fields, only --filter does.
  UNKNOWN_FIELD: USAGE,
  DIMENSION_MISMATCH: BAD_DATA,
  MODEL_MISMATCH: BAD_DATA,
  EMBEDDINGS_UNAVAILABLE: FAILED,
  NOT_CONFIGURED: FAILED,
  NO_SEEDS: FAILED,
  CORRUPT_INDEX: BAD_DATA,
  UNSUPPORTED_VERSION: BAD_DATA,
  INDEX_TOO_LARGE: FAILED,
  RETRIEVE_FAILED: FAILED,
  WORKER_FAILED: FAILED,
  OVERLOADED: FAILED,
  CLOSED: FAILED,
};

/** What to do on the command line, where the library cannot know. */
const ADVICE: Partial<Record<ErrorCode, string>> = {
  NO_PRINCIPAL: 'say who asks with --principal FILE|JSON',
  NO_SOURCES: 'name the sources to ask with --sources a,b',
  EMBEDDINGS_UNAVAILABLE:
    'learn vectors with corank index --embed lsa, name who makes them with --embed, or give them with corank index --embeddings and corank rank --query-embeddings',
};

/** Ends the command with this exit code; the message says why. */
export class Exit extends Error {
  readonly exitCode: number;

  constructor(exitCode: number, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

export function usage(message: string): Exit {
  return new Exit(USAGE, message);
}

/** Runs a check of option values: what the library calls INVALID_INPUT is wrong usage then. */
export function asUsage<T>(check: () => T): T {
  try {
    return check();
  } catch (error) {
    throw usageOf(error);
  }
}

export function usageOf(error: unknown): unknown {
  return error instanceof CorankError && error.code === 'INVALID_INPUT' ? usage(error.message) : error;
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof Exit) return error.exitCode;
  return error instanceof CorankError ? EXIT_OF[error.code] : FAILED;
}

/** What is said of an error: the library's sentence and what to do about it here. */
export function messageOf(error: unknown): string {
  const { message, syscall } = error as NodeJS.ErrnoException;
  if (error instanceof CorankError) return [message, ADVICE[error.code] ?? []].flat().join('; ');
  return syscall === 'write' ? `cannot write to standard output: ${message}` : message;
}
