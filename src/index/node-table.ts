import type { RecordBatch } from 'apache-arrow';
import { CorankError, quote } from '../errors.js';
import type { FieldDeclaration, MetaValue, Node } from '../types.js';
import { batchOf, type Column, optionalNumbers, TextColumn, u32 } from './columns.js';
import { GrowableF64, GrowableU32 } from './growable.js';
import { CITATION_COLUMNS, NUMBER_COLUMNS } from './schema.js';

/** Collects what a citation shows and what filters compare; delivers both tables in row order. */
export class NodeTable {
  private readonly ids = new TextColumn('id');
  private readonly texts = CITATION_COLUMNS.map((name) => new TextColumn(name));
  private readonly numbers = NUMBER_COLUMNS.map(() => new GrowableF64());
  private readonly tokens = new GrowableU32();
  private readonly meta = new TextColumn('meta');
  private readonly filters: readonly FilterColumn[];

  constructor(fields: readonly FieldDeclaration[]) {
    this.filters = fields.map((field) => new FilterColumn(field));
  }

  add(node: Node): void {
    this.ids.push(node.id);
    CITATION_COLUMNS.forEach((name, i) => {
      this.texts[i]!.push(node[name]);
    });
    NUMBER_COLUMNS.forEach((name, i) => {
      this.numbers[i]!.push(node[name] ?? Number.NaN);
    });
    this.tokens.push(node.tokenEstimate ?? Math.ceil((node.text ?? '').length / 4));
    const meta = metaOf(node);
    this.meta.push(meta.size === 0 ? undefined : JSON.stringify(Object.fromEntries(meta)));
    for (const filter of this.filters) filter.push(meta.get(filter.field.name), node.id);
  }

  finish(order: Uint32Array): { nodes: RecordBatch; filters: RecordBatch } {
    const columns = [
      this.ids.finish(order),
      ...this.texts.filter((column) => !column.empty).map((column) => column.finish(order)),
      ...NUMBER_COLUMNS.map((name, i) => optionalNumbers(name, 'u32', this.numbers[i]!.view(), order)),
      this.tokenColumn(order),
      ...(this.meta.empty ? [] : [this.meta.finish(order)]),
    ];
    return {
      nodes: batchOf(columns, order.length),
      filters: batchOf(
        this.filters.map((filter) => filter.finish(order)),
        order.length,
      ),
    };
  }

  private tokenColumn(order: Uint32Array): Column {
    const values = this.tokens.view();
    return u32(
      'tokenEstimate',
      Uint32Array.from(order, (input) => values[input]!),
    );
  }
}

/** A declared field's values; a value that cannot be of the declared type is refused with the row's id. */
class FilterColumn {
  readonly field: FieldDeclaration;
  private readonly text: TextColumn;
  private readonly numbers = new GrowableF64();

  constructor(field: FieldDeclaration) {
    this.field = field;
    this.text = new TextColumn(field.name);
  }

  push(value: MetaValue | undefined, id: string): void {
    if (this.field.type === 'string') this.text.push(value === undefined ? undefined : String(value));
    else this.numbers.push(value === undefined || value === '' ? Number.NaN : this.parse(value, id));
  }

  finish(order: Uint32Array): Column {
    if (this.field.type === 'string') return this.text.finish(order);
    const kind = this.field.type === 'bool' ? 'bool' : 'f64';
    return optionalNumbers(this.field.name, kind, this.numbers.view(), order);
  }

  private parse(value: MetaValue, id: string): number {
    const number = fieldNumber(this.field, value);
    if (number !== undefined) return number;
    throw new CorankError(
      'INVALID_INPUT',
      `field ${this.field.name} of ${quote(id)} is ${quote(value)}, declared as ${this.field.type}`,
      { place: { id } },
    );
  }
}

/** A value as the number that the column of a declared int, float or bool holds; undefined when it is none. */
export function fieldNumber(field: FieldDeclaration, value: MetaValue): number | undefined {
  if (field.type === 'bool') {
    if (value === true || value === 'true') return 1;
    return value === false || value === 'false' ? 0 : undefined;
  }
  if (typeof value === 'boolean') return undefined;
  const number = typeof value === 'number' ? value : value.trim() === '' ? Number.NaN : Number(value);
  if (!Number.isFinite(number)) return undefined;
  return field.type === 'int' && !Number.isSafeInteger(number) ? undefined : number;
}

export function metaOf(node: Node): ReadonlyMap<string, MetaValue> {
  if (node.meta === undefined) return new Map();
  return node.meta instanceof Map ? node.meta : new Map(Object.entries(node.meta));
}
