import type { FieldDeclaration, MetaValue } from '../types.js';
import { columns } from './arrow-columns.js';
import type { LoadedTables } from './load.js';
import { TextView } from './text-view.js';

/** One declared field, a value or none per row. */
export type FilterColumn =
  | { type: 'string'; text: TextView }
  | { type: 'int' | 'float' | 'bool'; values: Float64Array | Uint8Array; present: Uint8Array | undefined };

/** The declared fields of an index by name. Only the calling thread looks at it. */
export class FilterView {
  readonly fields: ReadonlyMap<string, FieldDeclaration>;
  private readonly columns = new Map<string, FilterColumn>();

  constructor(loaded: LoadedTables) {
    this.fields = new Map(loaded.manifest.fields.map((field) => [field.name, field]));
    if (this.fields.size === 0) return;
    const table = columns(loaded, 'filters');
    for (const { name, type } of this.fields.values()) {
      if (type === 'string') {
        this.columns.set(name, { type, text: new TextView(loaded.memory, table.text(name)) });
      } else {
        const values = type === 'bool' ? table.numbers(name, Uint8Array) : table.numbers(name, Float64Array);
        this.columns.set(name, { type, values, present: table.validity(name) });
      }
    }
  }

  column(name: string): FilterColumn {
    return this.columns.get(name)!;
  }

  /** A row's value of a declared field; undefined without one, and for a field that was not declared. */
  value(name: string, row: number): MetaValue | undefined {
    const column = this.columns.get(name);
    if (column === undefined) return undefined;
    if (column.type === 'string') return column.text.get(row);
    const { type, values, present } = column;
    if (present !== undefined && (present[row >> 3]! & (1 << (row & 7))) === 0) return undefined;
    return type === 'bool' ? values[row] === 1 : values[row]!;
  }
}
