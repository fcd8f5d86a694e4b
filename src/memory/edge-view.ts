import { CorankError } from '../errors.js';
import { columns } from './arrow-columns.js';
import type { LoadedTables } from './load.js';
import { TextView } from './text-view.js';

/** What is kept of each edge beside its ends, kind and weight, by its row in `edges`. Only the calling thread looks at it. */
export class EdgeView {
  readonly provenance: TextView;
  private readonly confidences: Float64Array;
  private readonly present: Uint8Array | undefined;
  private readonly fields: TextView;

  constructor(loaded: LoadedTables) {
    const table = columns(loaded, 'edges');
    this.provenance = new TextView(loaded.memory, table.text('provenance'));
    this.confidences = table.numbers('confidence', Float64Array);
    this.present = table.validity('confidence');
    this.fields = new TextView(loaded.memory, table.text('fields'));
  }

  confidence(edge: number): number | undefined {
    const has = this.present === undefined || (this.present[edge >> 3]! & (1 << (edge & 7))) !== 0;
    return has ? this.confidences[edge]! : undefined;
  }

  /** A further column of the edge's file, as it was. */
  field(edge: number, name: string): string | undefined {
    const text = this.fields.get(edge);
    if (text === undefined) return undefined;
    const fields = parsed(text, edge);
    return Object.hasOwn(fields, name) ? fields[name] : undefined;
  }
}

function parsed(text: string, edge: number): Record<string, string> {
  try {
    return JSON.parse(text) as Record<string, string>;
  } catch (cause) {
    throw new CorankError('CORRUPT_INDEX', `table edges, column fields: row ${edge} is not JSON`, { cause });
  }
}
