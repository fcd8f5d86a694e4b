import { CorankError, quote } from '../errors.js';
import { fieldNumber } from '../index/node-table.js';
import type { FieldDeclaration, Filter, FilterOperator } from '../types.js';
import { usage } from './exit-codes.js';

const EXPRESSION = /^\s*([A-Za-z_][A-Za-z0-9_.-]*)\s*(!=|<=|>=|=|<|>)(.*)$/s;

/** `--filter year>=1960`: the field must be declared, and its type decides what the value is. */
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
      `--filter ${quote(expression)} is no condition: write field=value with one of = != < <= > >=`,
    );
  }
  const [, name, op, text] = parts as unknown as [string, string, FilterOperator, string];
  const field = declared.find((one) => one.name === name);
  if (field === undefined) throw unknownField(name, declared);
  return { field: name, op, value: parsedValue(field, text.trim()) };
}

function parsedValue(field: FieldDeclaration, text: string): Filter['value'] {
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
