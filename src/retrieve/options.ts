import { CorankError, quote } from '../errors.js';

/** Checks of numeric retriever options: each throws INVALID_INPUT naming the option, the range and the value. */

const refuse = (name: string, expected: string, value: unknown): CorankError =>
  new CorankError('INVALID_INPUT', `${name} must be ${expected}, got ${quote(value)}`);

export function atLeast(name: string, value: unknown, least: number): number {
  if (typeof value === 'number' && Number.isFinite(value) && value >= least) return value;
  throw refuse(name, `a finite number of at least ${least}`, value);
}

export const nonNegative = (name: string, value: unknown): number => atLeast(name, value, 0);

/** A weight: 0, or 1e-100 to 1e100, so that sums, products and inverses of weights stay finite. */
export function factor(name: string, value: unknown): number {
  if (value === 0 || (typeof value === 'number' && value >= 1e-100 && value <= 1e100)) return value;
  throw refuse(name, '0 or a number from 1e-100 to 1e100', value);
}

export function positive(name: string, value: unknown): number {
  if (typeof value === 'number' && Number.isFinite(value) && value > 0) return value;
  throw refuse(name, 'a finite number above 0', value);
}

/** 0 to 1, both included. */
export function fraction(name: string, value: unknown): number {
  if (typeof value === 'number' && value >= 0 && value <= 1) return value;
  throw refuse(name, 'a number from 0 to 1', value);
}

/** A damping factor: 0 <= d < 1. */
export function damping(name: string, value: unknown): number {
  if (typeof value === 'number' && value >= 0 && value < 1) return value;
  throw refuse(name, 'a number from 0 to below 1', value);
}

export function wholeNumber(name: string, value: unknown, least: number, most: number): number {
  if (Number.isInteger(value) && (value as number) >= least && (value as number) <= most)
    return value as number;
  throw refuse(name, `a whole number from ${least} to ${most}`, value);
}

export function flag(name: string, value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  throw refuse(name, 'true or false', value);
}

/** A whole number of at least 1; `usual` when none is given and for what is below 1. */
export function countOr(name: string, value: unknown, usual: number): number {
  if (value === undefined) return usual;
  if (Number.isSafeInteger(value)) return (value as number) < 1 ? usual : (value as number);
  throw refuse(name, `a whole number (below 1: ${usual})`, value);
}

export function stringList(name: string, value: unknown): readonly string[] {
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value;
  throw refuse(name, 'a list of strings', value);
}

export function oneOf<T extends string>(name: string, value: unknown, known: readonly T[]): T {
  if (known.includes(value as T)) return value as T;
  throw refuse(name, `one of ${known.join(', ')}`, value);
}

/** A misspelt option must not vanish. */
export function knownKeys(name: string, options: object, known: readonly string[]): void {
  const unknown = Object.keys(options).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  throw new CorankError(
    'INVALID_INPUT',
    `${name} has no option ${quote(unknown)}; known: ${known.join(', ')}`,
  );
}
