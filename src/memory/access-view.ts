import { columns } from './arrow-columns.js';
import type { LoadedTables } from './load.js';
import { TextView } from './text-view.js';

/** Who may read which row: a class per row, and what each class has, as codes into a table of labels. Only the calling thread looks at it. */
export class AccessView {
  /** Per row, its class. */
  readonly classOf: Uint32Array;
  /** Per class. */
  readonly org: Uint32Array;
  readonly source: Uint32Array;
  /** Class c's tags are tags[tagStarts[c]] .. tags[tagStarts[c + 1] - 1]. */
  readonly tagStarts: Int32Array;
  readonly tags: Uint32Array;
  private readonly labels: TextView;

  constructor(loaded: LoadedTables) {
    const access = columns(loaded, 'access');
    const classes = columns(loaded, 'classes');
    const labels = columns(loaded, 'labels');
    this.classOf = access.numbers('class', Uint32Array);
    this.org = classes.numbers('org', Uint32Array);
    this.source = classes.numbers('source', Uint32Array);
    const acl = classes.list('acl', Uint32Array);
    this.tagStarts = acl.starts;
    this.tags = acl.values;
    this.labels = new TextView(loaded.memory, labels.text('label'));
    if (this.classOf.some((code) => code >= classes.rows))
      throw access.fail('class', 'points past the classes');
    for (const [name, codes] of [
      ['org', this.org],
      ['source', this.source],
      ['acl', this.tags],
    ] as const) {
      if (codes.some((code) => code >= labels.rows)) throw classes.fail(name, 'points past the labels');
    }
  }

  /** Number of labels: codes are below it. */
  get labelCount(): number {
    return this.labels.rows;
  }

  sourceOf(row: number): string {
    return this.labels.get(this.source[this.classOf[row]!]!)!;
  }

  /** Code of a label; -1 for one that no row has. */
  code(label: string): number {
    return this.labels.find(label);
  }
}
