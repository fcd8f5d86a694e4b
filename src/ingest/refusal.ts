import { CorankError, type Place } from '../errors.js';

/** The error for input that cannot be taken as it is. The sentence says what is wrong and what to do. */
export function refusal(message: string, place: Place, cause?: unknown): CorankError {
  return new CorankError('INVALID_INPUT', message, { place, cause });
}
