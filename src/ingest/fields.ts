/** One named field of a record from outside: its checked value, or an error that names record and field. */

import { type Place, quote } from '../errors.js';
import { type Fields, kindOf } from './json.js';
import { refusal } from './refusal.js';

/** Row numbers, line numbers and estimates are stored in 32 bits. */
const LARGEST_INTEGER = 2 ** 31 - 1;

/** Which record a message is about, when its id is known. */
export function about(place: Place): string {
  return place.id === undefined ? '' : `${quote(place.id)}: `;
}

/** `id`, or `_id` as BEIR writes it. */
export function idOf(fields: Fields, place: Place): string {
  const { id, _id: beirId } = fields;
  if (id != null && beirId != null && id !== beirId) {
    throw refusal(`id ${quote(id)} and _id ${quote(beirId)} differ; keep one of them`, place);
  }
  const value = id ?? beirId;
  if (value == null) throw refusal('has no id; add a string under the key id or _id', place);
  return toId(value, 'id', place);
}

export function toId(value: unknown, key: string, place: Place): string {
  if (typeof value === 'number') {
    // Numbers lose digits above 2^53 and 1.0 reads as 1, so two ids could become one.
    throw refusal(`${key} ${quote(value)} is a number; write it in quotes, as a string`, place);
  }
  if (typeof value !== 'string') throw refusal(`${key} must be a string, got ${kindOf(value)}`, place);
  if (value === '') throw refusal(`${key} is empty; give every record a non-empty one`, place);
  if (!isWellFormed(value)) {
    throw refusal(
      `${key} ${quote(value)} holds a lone surrogate, which has no UTF-8 form; correct it`,
      place,
    );
  }
  return value;
}

export function toText(value: unknown, key: string, place: Place): string {
  if (typeof value !== 'string')
    throw refusal(`${about(place)}${key} must be a string, got ${kindOf(value)}`, place);
  if (isWellFormed(value)) return value;
  throw refusal(
    `${about(place)}${key} holds a lone surrogate, which has no UTF-8 form; correct the text`,
    place,
  );
}

/** For what takes part in access control: an empty name is a mistake, not a value. */
export function toName(value: unknown, key: string, place: Place): string {
  const name = toText(value, key, place);
  if (name !== '') return name;
  throw refusal(`${about(place)}${key} is empty; name it, or leave the key out`, place);
}

export function toInteger(value: unknown, key: string, place: Place): number {
  if (Number.isInteger(value) && (value as number) >= 0 && (value as number) <= LARGEST_INTEGER) {
    return value as number;
  }
  throw refusal(
    `${about(place)}${key} must be an integer from 0 to ${LARGEST_INTEGER}, got ${quote(value)}`,
    place,
  );
}

/** Tags as a list, or in one string separated by spaces. An empty list is allowed: readable by nobody. */
export function toAcl(value: unknown, place: Place): readonly string[] {
  const tags = typeof value === 'string' ? value.split(/[ \t]+/).filter((tag) => tag !== '') : value;
  if (Array.isArray(tags)) return tags.map((tag) => toName(tag, 'a tag of acl', place));
  throw refusal(`${about(place)}acl must be a list of tags, got ${kindOf(value)}`, place);
}

/** Float32 is what an index stores; a Float32Array is checked and passed on, anything else is copied into one. */
export function toVector(value: unknown, key: string, place: Place): Float32Array {
  if (!Array.isArray(value) && (!ArrayBuffer.isView(value) || value instanceof DataView)) {
    throw refusal(`${about(place)}${key} must be a list of numbers, got ${kindOf(value)}`, place);
  }
  const numbers = value as ArrayLike<unknown>;
  if (numbers.length === 0) throw refusal(`${about(place)}${key} is empty; leave it out instead`, place);
  const vector = value instanceof Float32Array ? value : new Float32Array(numbers.length);
  for (let i = 0; i < vector.length; i++) {
    const number = numbers[i];
    if (typeof number !== 'number' || !Number.isFinite(Math.fround(number))) {
      throw refusal(
        `${about(place)}${key}[${i}] must be a finite 32-bit number, got ${shown(number)}`,
        place,
      );
    }
    vector[i] = number;
  }
  return vector;
}

export function unknownKey(key: string, known: readonly string[], what: string, place: Place): Error {
  return refusal(
    `${about(place)}unknown ${what} ${quote(key)}; the known ones are ${known.join(', ')}`,
    place,
  );
}

/** JSON has no NaN, Infinity or bigint; a message has to. */
export function shown(value: unknown): string {
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : quote(value);
}

/** In every supported Node, but not yet among the ES2023 types. */
export function isWellFormed(text: string): boolean {
  return (text as string & { isWellFormed(): boolean }).isWellFormed();
}
