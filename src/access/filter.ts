import { CorankError, quote } from '../errors.js';
import { fieldNumber } from '../index/node-table.js';
import type { FilterColumn, FilterView } from '../memory/filter-view.js';
import type { FieldDeclaration, Filter, FilterOperator, MetaValue } from '../types.js';

export const FILTER_OPERATORS: readonly FilterOperator[] = ['=', '!=', '<', '<=', '>', '>=', 'in'];

/** Sets of up to so many values are compared one by one: faster than a search. */
const FEW = 8;

/** Says whether a row passes. */
export type RowTest = (row: number) => boolean;

/** Throws UNKNOWN_FIELD listing the declared fields; INVALID_INPUT for an operator or value that does not fit. */
export function compileFilter(filter: Filter, view: FilterView): RowTest {
  if (typeof filter.field !== 'string') {
    throw new CorankError('INVALID_INPUT', `a filter is { field, op, value }, got ${quote(filter)}`);
  }
  const field = view.fields.get(filter.field);
  if (field === undefined) {
    const known = [...view.fields.keys()];
    throw new CorankError(
      'UNKNOWN_FIELD',
      `no filter field ${quote(filter.field)} was declared; declared: ${known.length === 0 ? 'none' : known.join(', ')}`,
    );
  }
  if (!FILTER_OPERATORS.includes(filter.op)) {
    throw new CorankError(
      'INVALID_INPUT',
      `unknown operator ${quote(filter.op)}; known: ${FILTER_OPERATORS.join(' ')}`,
    );
  }
  const column = view.column(filter.field);
  if (filter.op === 'in') return setTest(field, filter.value, column);
  if (filter.value === null) return nullTest(field, filter.op, column);
  return valueTest(field, filter.op, filter.value, column);
}

function nullTest(field: FieldDeclaration, op: FilterOperator, column: FilterColumn): RowTest {
  const has = presence(column);
  if (op === '=') return (row) => !has(row);
  if (op === '!=') return has;
  throw new CorankError(
    'INVALID_INPUT',
    `field ${field.name} cannot be ${op} null: only = and != can be asked`,
  );
}

function valueTest(
  field: FieldDeclaration,
  op: FilterOperator,
  value: Filter['value'],
  column: FilterColumn,
): RowTest {
  if (column.type === 'string') {
    const { text } = column;
    const wanted = textOf(field, value);
    const test: RowTest =
      op === '=' ? (row) => text.equals(row, wanted) : comparison((row) => text.compare(row, wanted), op);
    return (row) => text.has(row) && test(row);
  }
  const { values, present } = column;
  const wanted = numberOf(field, value);
  const test = comparison((row) => values[row]! - wanted, op);
  return present === undefined ? test : (row) => isPresent(present, row) && test(row);
}

function setTest(field: FieldDeclaration, values: Filter['value'], column: FilterColumn): RowTest {
  if (!Array.isArray(values)) {
    throw new CorankError(
      'INVALID_INPUT',
      `field ${field.name} in needs a list of values, got ${quote(values)}`,
    );
  }
  const given = values as readonly Filter['value'][];
  const orNone = given.includes(null);
  const some = given.filter((value) => value !== null);
  const has = presence(column);
  const isOne =
    column.type === 'string' ? oneOfTexts(field, some, column) : oneOfNumbers(field, some, column);
  return (row) => (has(row) ? isOne(row) : orNone);
}

function oneOfTexts(
  field: FieldDeclaration,
  values: readonly Filter['value'][],
  { text }: FilterColumn & { type: 'string' },
): RowTest {
  const wanted = values.map((value) => textOf(field, value)).sort(Buffer.compare);
  if (wanted.length <= FEW) {
    return (row) => {
      for (let i = 0; i < wanted.length; i++) if (text.equals(row, wanted[i]!)) return true;
      return false;
    };
  }
  return (row) => {
    let [low, high] = [0, wanted.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const order = text.compare(row, wanted[middle]!);
      if (order === 0) return true;
      if (order > 0) low = middle + 1;
      else high = middle;
    }
    return false;
  };
}

function oneOfNumbers(
  field: FieldDeclaration,
  values: readonly Filter['value'][],
  { values: column }: Exclude<FilterColumn, { type: 'string' }>,
): RowTest {
  const wanted = new Set(values.map((value) => numberOf(field, value)));
  if (wanted.size > FEW) return (row) => wanted.has(column[row]!);
  const few = Float64Array.from(wanted);
  return (row) => {
    const value = column[row]!;
    for (let i = 0; i < few.length; i++) if (few[i] === value) return true;
    return false;
  };
}

/** Whether a row has a value. */
function presence(column: FilterColumn): RowTest {
  if (column.type === 'string') return (row) => column.text.has(row);
  const { present } = column;
  return present === undefined ? () => true : (row) => isPresent(present, row);
}

const isPresent = (present: Uint8Array, row: number): boolean =>
  (present[row >> 3]! & (1 << (row & 7))) !== 0;

const textOf = (field: FieldDeclaration, value: unknown): Buffer =>
  Buffer.from(String(single(field, value)), 'utf8');

/** An int field may be compared with 3.5. */
function numberOf(field: FieldDeclaration, value: unknown): number {
  const number = fieldNumber(
    field.type === 'int' ? { ...field, type: 'float' } : field,
    single(field, value),
  );
  if (number !== undefined) return number;
  throw new CorankError(
    'INVALID_INPUT',
    `field ${field.name} is declared as ${field.type}, it cannot be compared with ${quote(value)}`,
  );
}

/** NaN and the infinities are equal to nothing that a column can hold. */
function single(field: FieldDeclaration, value: unknown): MetaValue {
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw new CorankError('INVALID_INPUT', `field ${field.name} cannot be compared with ${quote(value)}`);
}

/** A test of the sign of `order`: below, at or above the value asked for. */
function comparison(order: (row: number) => number, op: FilterOperator): RowTest {
  switch (op) {
    case '!=':
      return (row) => order(row) !== 0;
    case '<':
      return (row) => order(row) < 0;
    case '<=':
      return (row) => order(row) <= 0;
    case '>':
      return (row) => order(row) > 0;
    case '>=':
      return (row) => order(row) >= 0;
    default:
      return (row) => order(row) === 0;
  }
}
