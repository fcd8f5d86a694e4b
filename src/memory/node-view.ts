import { CorankError } from '../errors.js';
import { CITATION_COLUMNS, NUMBER_COLUMNS } from '../index/schema.js';
import type { Candidate, MetaValue } from '../types.js';
import type { AccessView } from './access-view.js';
import { columns } from './arrow-columns.js';
import type { LoadedTables } from './load.js';
import { TextView } from './text-view.js';

/** What a candidate shows of its node. */
export type Citation = Pick<Candidate, 'tokenEstimate'> &
  Partial<Pick<Candidate, (typeof CITATION_COLUMNS)[number] & keyof Candidate>> &
  Partial<Pick<Candidate, (typeof NUMBER_COLUMNS)[number]>> & {
    source?: string;
    meta?: Record<string, MetaValue>;
  };

/** Ids and citation fields of the nodes. Only the calling thread looks at it. */
export class NodeView {
  readonly count: number;
  private readonly ids: TextView;
  /** Ids that were asked for, in both directions: the same ones come again and again. */
  private readonly known: (string | undefined)[] = [];
  private readonly rowOf = new Map<string, number>();
  private readonly texts: { name: (typeof CITATION_COLUMNS)[number]; view: TextView }[] = [];
  private readonly numbers: {
    name: (typeof NUMBER_COLUMNS)[number];
    values: Uint32Array;
    present: Uint8Array | undefined;
  }[];
  private readonly tokens: Uint32Array;
  private readonly meta: TextView | undefined;
  private readonly access: AccessView | undefined;

  constructor(loaded: LoadedTables, access: AccessView | undefined) {
    const table = columns(loaded, 'nodes');
    const text = (name: string): TextView => new TextView(loaded.memory, table.text(name));
    this.count = table.rows;
    this.ids = text('id');
    for (const name of CITATION_COLUMNS) if (table.has(name)) this.texts.push({ name, view: text(name) });
    this.numbers = NUMBER_COLUMNS.map((name) => ({
      name,
      values: table.numbers(name, Uint32Array),
      present: table.validity(name),
    }));
    this.tokens = table.numbers('tokenEstimate', Uint32Array);
    this.meta = table.has('meta') ? text('meta') : undefined;
    this.access = access;
  }

  id(row: number): string {
    let id = this.known[row];
    if (id === undefined) {
      id = this.ids.get(row)!;
      this.known[row] = id;
      this.rowOf.set(id, row);
    }
    return id;
  }

  /** Row of an id, or -1. Says nothing of whether anyone may see it. */
  row(id: string): number {
    return this.rowOf.get(id) ?? this.ids.find(id);
  }

  tokenEstimate(row: number): number {
    return this.tokens[row]!;
  }

  /** A column of texts; undefined when no node has any. */
  text(name: (typeof CITATION_COLUMNS)[number]): TextView | undefined {
    return this.texts.find((column) => column.name === name)?.view;
  }

  /** A column of small integers, as a function from rows; `absent` where a node has none. */
  number(name: (typeof NUMBER_COLUMNS)[number], absent: number): (row: number) => number {
    const { values, present } = this.numbers.find((column) => column.name === name)!;
    if (present === undefined) return (row) => values[row]!;
    return (row) => ((present[row >> 3]! & (1 << (row & 7))) !== 0 ? values[row]! : absent);
  }

  citation(row: number): Citation {
    const citation: Record<string, unknown> = {};
    for (const { name, view } of this.texts) {
      const value = view.get(row);
      if (value !== undefined) citation[name] = value;
    }
    for (const { name, values, present } of this.numbers) {
      if (present === undefined || (present[row >> 3]! & (1 << (row & 7))) !== 0)
        citation[name] = values[row]!;
    }
    const source = this.access?.sourceOf(row);
    if (source !== undefined) citation.source = source;
    const meta = this.meta?.get(row);
    if (meta !== undefined) citation.meta = parsedMeta(meta, row);
    return { ...citation, tokenEstimate: this.tokens[row]! };
  }
}

function parsedMeta(text: string, row: number): Record<string, MetaValue> {
  try {
    return JSON.parse(text) as Record<string, MetaValue>;
  } catch (cause) {
    throw new CorankError('CORRUPT_INDEX', `table nodes, column meta: row ${row} is not JSON`, { cause });
  }
}
