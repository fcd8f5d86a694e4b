import { columns } from './arrow-columns.js';
import type { LoadedTables } from './load.js';
import { TextView } from './text-view.js';

/** Who may read which row, as codes into a table of labels. Only the calling thread looks at it. */
export class AccessView {
  readonly org: Uint32Array;
  readonly source: Uint32Array;
  /** Row r's tags are tags[tagStarts[r]] .. tags[tagStarts[r + 1] - 1]. */
  readonly tagStarts: Int32Array;
  readonly tags: Uint32Array;
  private readonly labels: TextView;

  constructor(loaded: LoadedTables) {
    const table = columns(loaded, 'access');
    const labels = columns(loaded, 'labels');
    this.org = table.numbers('org', Uint32Array);
    this.source = table.numbers('source', Uint32Array);
    const acl = table.list('acl', Uint32Array);
    this.tagStarts = acl.starts;
    this.tags = acl.values;
    this.labels = new TextView(loaded.memory, labels.text('label'));
    for (const [name, codes] of [
      ['org', this.org],
      ['source', this.source],
      ['acl', this.tags],
    ] as const) {
      if (codes.some((code) => code >= labels.rows)) throw table.fail(name, 'points past the labels');
    }
  }

  /** Number of labels: codes are below it. */
  get labelCount(): number {
    return this.labels.rows;
  }

  sourceOf(row: number): string {
    return this.labels.get(this.source[row]!)!;
  }

  /** Code of a label; -1 for one that no row has. */
  code(label: string): number {
    return this.labels.find(label);
  }
}
