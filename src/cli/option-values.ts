import { InvalidArgumentError } from 'commander';
import { decimal } from '../ingest/number.js';
import { type Depth, THRICE_K } from '../rank/limit.js';

/** Parsers of option values, for commander. */

export function number(text: string): number {
  const value = decimal(text);
  if (Number.isFinite(value)) return value;
  throw new InvalidArgumentError('It must be a number.');
}

export function whole(text: string): number {
  const value = decimal(text);
  if (Number.isSafeInteger(value)) return value;
  throw new InvalidArgumentError('It must be a whole number.');
}

/** A whole number, or `3k`. */
export const depth = (text: string): Depth => (text === THRICE_K ? THRICE_K : whole(text));

/** Every use of a repeatable option, in order. */
export function collect(text: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), text];
}

/** `a,b`: what is empty between commas is left out. */
export function commaList(text: string): readonly string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}
