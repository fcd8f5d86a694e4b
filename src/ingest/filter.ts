import { type Place, quote } from '../errors.js';
import type { Filter, FilterOperator, MetaValue } from '../types.js';
import { about, isWellFormed, shown, toName, unknownKey } from './fields.js';
import { type Fields, kindOf } from './json.js';
import { refusal } from './refusal.js';

const FILTER_KEYS: readonly string[] = ['field', 'op', 'value'];
const OPERATORS: readonly string[] = ['=', '!=', '<', '<=', '>', '>=', 'in'] satisfies FilterOperator[];

/** The `filters` of a query record. Whether the field is declared is for the index to say. */
export function toFilters(value: unknown, key: string, place: Place): readonly Filter[] {
  if (Array.isArray(value)) return value.map((filter) => toFilter(filter, place));
  throw refusal(`${about(place)}${key} must be a list of {field, op, value}, got ${kindOf(value)}`, place);
}

function toFilter(given: unknown, place: Place): Filter {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw refusal(
      `${about(place)}a filter must be an object {field, op, value}, got ${kindOf(given)}`,
      place,
    );
  }
  const unknown = Object.keys(given).find((key) => !FILTER_KEYS.includes(key));
  if (unknown !== undefined) throw unknownKey(unknown, FILTER_KEYS, 'filter key', place);
  const { field, op, value } = given as Fields;
  if (typeof op !== 'string' || !OPERATORS.includes(op)) {
    throw refusal(
      `${about(place)}a filter's op must be one of ${OPERATORS.join(' ')}, got ${shown(op)}`,
      place,
    );
  }
  if ((op === 'in') !== Array.isArray(value)) {
    throw refusal(
      `${about(place)}a filter's value must be a list when its op is in, and one value otherwise, got op ${op} with ${quote(value)}`,
      place,
    );
  }
  return {
    field: toName(field, "a filter's field", place),
    op: op as FilterOperator,
    value: Array.isArray(value) ? value.map((one) => toValue(one, place)) : toValue(value, place),
  };
}

function toValue(value: unknown, place: Place): MetaValue | null {
  if (value === null || typeof value === 'boolean' || typeof value === 'number') return value;
  if (typeof value === 'string' && isWellFormed(value)) return value;
  throw refusal(
    `${about(place)}a filter's value must be a string, number, boolean or null, got ${quote(value)}`,
    place,
  );
}
