import type { RecordBatch } from 'apache-arrow';
import { batchOf, list, strings, u32 } from './columns.js';
import type { ScoredField } from './fields.js';

/**
 * Numbers the distinct (frequency, length) pairs of one field from 1; 0 stands for "not in this field".
 * A BM25 norm depends on nothing else, so a posting holds one code and a scope fills one small table.
 */
export class FieldCodes {
  private readonly byLength = new Map<number, number[]>();
  private readonly frequency: number[] = [0];
  private readonly length: number[] = [0];
  private current: number[] = [];
  private currentLength = 0;

  get size(): number {
    return this.frequency.length;
  }

  /** Goes on with a document whose field has `length` tokens. */
  enter(length: number): void {
    this.currentLength = length;
    const known = this.byLength.get(length);
    this.current = known ?? [];
    if (known === undefined) this.byLength.set(length, this.current);
  }

  code(frequency: number): number {
    if (frequency === 0) return 0;
    let code = this.current[frequency];
    if (code === undefined) {
      code = this.frequency.length;
      this.current[frequency] = code;
      this.frequency.push(frequency);
      this.length.push(this.currentLength);
    }
    return code;
  }

  get frequencies(): readonly number[] {
    return this.frequency;
  }

  get lengths(): readonly number[] {
    return this.length;
  }
}

export function codesTable(scored: readonly ScoredField[], fields: readonly FieldCodes[]): RecordBatch {
  const offsets = new Int32Array(fields.length + 1);
  fields.forEach((codes, f) => {
    offsets[f + 1] = offsets[f]! + codes.size;
  });
  const frequency = Uint32Array.from(fields.flatMap((codes) => codes.frequencies));
  const length = Uint32Array.from(fields.flatMap((codes) => codes.lengths));
  return batchOf(
    [
      strings('field', scored),
      list('frequency', offsets, u32('item', frequency)),
      list('length', offsets, u32('item', length)),
    ],
    scored.length,
  );
}
