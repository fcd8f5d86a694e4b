import { CorankError, quote } from '../errors.js';
import { fieldNumber } from '../index/node-table.js';
import type { FilterColumn, FilterView } from '../memory/filter-view.js';
import type { FieldDeclaration, Filter, FilterOperator } from '../types.js';

export const FILTER_OPERATORS: readonly FilterOperator[] = ['=', '!=', '<', '<=', '>', '>='];

/** Says whether a row passes. A row without a value passes no filter, `!=` included. */
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
  const { value } = filter;
  // NaN and the infinities are equal to nothing that a column can hold.
  const fits =
    typeof value === 'number' ? Number.isFinite(value) : ['string', 'boolean'].includes(typeof value);
  if (!fits) {
    throw new CorankError(
      'INVALID_INPUT',
      `field ${field.name} cannot be compared with ${quote(filter.value)}`,
    );
  }
  const column = view.column(filter.field);
  return column.type === 'string' ? textTest(filter, column) : numberTest(filter, field, column);
}

function textTest(filter: Filter, column: FilterColumn & { type: 'string' }): RowTest {
  const wanted = Buffer.from(String(filter.value), 'utf8');
  const passes = comparison(filter.op);
  return (row) => column.text.has(row) && passes(column.text.compare(row, wanted));
}

function numberTest(
  filter: Filter,
  field: FieldDeclaration,
  column: Exclude<FilterColumn, { type: 'string' }>,
): RowTest {
  const wanted = fieldNumber(field.type === 'int' ? { ...field, type: 'float' } : field, filter.value);
  if (wanted === undefined) {
    throw new CorankError(
      'INVALID_INPUT',
      `field ${field.name} is declared as ${field.type}, it cannot be compared with ${quote(filter.value)}`,
    );
  }
  const passes = comparison(filter.op);
  const { values, present } = column;
  return (row) =>
    (present === undefined || (present[row >> 3]! & (1 << (row & 7))) !== 0) && passes(values[row]! - wanted);
}

function comparison(op: FilterOperator): (order: number) => boolean {
  switch (op) {
    case '=':
      return (order) => order === 0;
    case '!=':
      return (order) => order !== 0;
    case '<':
      return (order) => order < 0;
    case '<=':
      return (order) => order <= 0;
    case '>':
      return (order) => order > 0;
    case '>=':
      return (order) => order >= 0;
  }
}
