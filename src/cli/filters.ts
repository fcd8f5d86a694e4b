import { CorankError, quote } from '../errors.js';
import { fieldNumber } from '../index/node-table.js';
import type { FieldDeclaration, Filter, FilterOperator, MetaValue } from '../types.js';
import { usage } from './exit-codes.js';

const EXPRESSION =
  /^\s*([A-Za-z_][A-Za-z0-9_.-]*)(?:\s*(!=|<=|>=|=|<|>)(.*)|\s+in\s+(.*\S)\s*|\s+is\s+(not\s+)?null\s*)$/is;

/**
 * `year>=1960`, `year in 1960,1970`, `year is null`, `year is not null`: the field must be declared, and its type
 * decides what a value is. A list in JSON may hold commas and null.
 */
export function parseFilters(
  expressions: readonly string[],
  declared: readonly FieldDeclaration[],
): readonly Filter[] {
  return expressions.map((expression) => parseFilter(expression, declared));
}

function parseFilter(expression: string, declared: readonly FieldDeclaration[]): Filter {
  const parts = EXPRESSION.exec(expression);
  if (parts === null) {
    throw usage(
      `--filter ${quote(expression)} is no condition: write field=value with one of = != < <= > >=, ` +
        '"field in a,b", "field is null" or "field is not null"',
    );
  }
  const [, name, op, text, list, not] = parts as unknown as [string, string, ...(string | undefined)[]];
  const field = declared.find((one) => one.name === name);
  if (field === undefined) throw unknownField(name, declared);
  if (op !== undefined)
    return { field: name, op: op as FilterOperator, value: parsedValue(field, text!.trim()) };
  if (list !== undefined) return { field: name, op: 'in', value: parsedList(field, list) };
  return { field: name, op: not === undefined ? '=' : '!=', value: null };
}

/** Values between commas, or a list in JSON. */
function parsedList(field: FieldDeclaration, text: string): readonly (MetaValue | null)[] {
  if (!text.startsWith('[')) return text.split(',').map((one) => parsedValue(field, one.trim()));
  let values: unknown;
  try {
    values = JSON.parse(text);
  } catch {
    throw usage(`--filter: ${quote(text)} is no list in JSON`);
  }
  return (values as unknown[]).map((value) => {
    if (value === null) return null;
    if (typeof value === 'object') {
      throw usage(`--filter ${field.name}: a list holds strings, numbers, true, false and null`);
    }
    return parsedValue(field, String(value));
  });
}

function parsedValue(field: FieldDeclaration, text: string): MetaValue {
  if (field.type === 'string') return text;
  // An int field may be compared with 3.5.
  const value = fieldNumber(field.type === 'int' ? { ...field, type: 'float' } : field, text);
  if (value === undefined) {
    throw usage(`--filter: ${field.name} is declared as ${field.type}, ${quote(text)} is none`);
  }
  return field.type === 'bool' ? value === 1 : value;
}

function unknownField(name: string, declared: readonly FieldDeclaration[]): CorankError {
  const known = declared.map((field) => `${field.name} (${field.type})`).join(', ');
  return new CorankError(
    'UNKNOWN_FIELD',
    `--filter: this index declares no field ${quote(name)}; it declares ${known || 'none: give --field NAME:TYPE when building it'}`,
  );
}
