import type { Place } from '../errors.js';
import { refusal } from './refusal.js';

/** A record from outside: own keys only are data. */
export type Fields = Readonly<Record<string, unknown>>;

/**
 * Parses one JSON object. A key `__proto__` is an own property of it, as JSON.parse makes it; whoever
 * copies unknown keys must use a Map or Object.fromEntries, since plain assignment would lose it.
 */
export function parseObject(text: string, place: Place): Fields {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw refusal(
      `not valid JSON (${(cause as Error).message}); write one JSON object per line`,
      place,
      cause,
    );
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw refusal(`expected a JSON object, got ${kindOf(value)}; write one JSON object per line`, place);
  }
  refuseInfinity(value, place);
  return value as Fields;
}

export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** JSON.parse reads 1e999 as Infinity. A stack of its own, because nesting may be deeper than the call stack. */
function refuseInfinity(root: object, place: Place): void {
  const open: object[] = [root];
  for (let object = open.pop(); object !== undefined; object = open.pop()) {
    for (const value of Array.isArray(object) ? object : Object.values(object)) {
      if (typeof value === 'number' && !Number.isFinite(value)) {
        throw refusal(
          'holds a number too large for a 64-bit float (such as 1e999); write a smaller one',
          place,
        );
      }
      if (typeof value === 'object' && value !== null) open.push(value);
    }
  }
}
