import { columns } from './arrow-columns.js';
import type { LoadedTables } from './load.js';
import { TextView } from './text-view.js';

/** The index's own model of word meanings, see lsa.ts. Only the calling thread looks at it. */
export class LsaView {
  readonly dimension: number;
  readonly width: number;
  /** Row-major f32[terms][width]. */
  readonly projection: Float32Array;
  private readonly terms: TextView;

  constructor(loaded: LoadedTables) {
    const { dimension, width } = loaded.manifest.embedding!;
    const table = columns(loaded, 'lsa');
    this.dimension = dimension;
    this.width = width;
    this.projection = table.fixedList('vector', Float32Array, width);
    this.terms = new TextView(loaded.memory, table.text('term'));
    if (!this.projection.every(Number.isFinite))
      throw table.fail('vector', 'holds a number that is not finite');
  }

  /** Place of a term, or -1. */
  place(term: string): number {
    return this.terms.find(term);
  }
}
