import { isSet } from '../memory/bitmap.js';
import type { SharedIndex } from '../memory/shared-index.js';
import { eachVarint } from './varint.js';

/** Where a word stands in a row: its place among all words, stop words included, from 1; and in which field. */
export interface Occurrence {
  position: number;
  field: number;
}

/**
 * The words of one row at raw positions, read from the postings. The scored fields follow one another;
 * stop words at the very end of a field are not known and not counted.
 */
export class RowWords {
  private readonly index: SharedIndex;
  private readonly row: number;
  /** First stop-free position of each field that has words, and how many such fields stand before it. */
  private readonly fieldStarts: number[] = [];
  private readonly fields: number[] = [];
  /** Stop-free positions before which stop words stand, and how many stand before or at each in all. */
  private readonly gapPositions: number[] = [];
  private readonly gapTotals: number[] = [];

  constructor(index: SharedIndex, row: number) {
    this.index = index;
    this.row = row;
    let start = 0;
    index.directory.fields.forEach((field, f) => {
      const length = index.u32(field.lengths, index.nodes)[row]!;
      if (length === 0) return;
      this.fieldStarts.push(start);
      this.fields.push(f);
      start += length + 1;
    });
    this.readGaps();
  }

  /** Occurrences of a term of the index, ascending. */
  of(term: number): Occurrence[] {
    const { postings, terms } = this.index.directory;
    const starts = this.index.i32(postings.starts, terms.rows + 1);
    const rows = this.index.u32(postings.rows.at, postings.rows.length);
    const slot = search(rows, starts[term]!, starts[term + 1]!, this.row);
    if (slot < 0) return [];
    const offsets = this.index.i32(postings.positionOffsets, postings.rows.length + 1);
    const found: Occurrence[] = [];
    let position = 0;
    const bytes = this.index.u8(postings.positions, offsets[slot + 1]!);
    eachVarint(bytes, offsets[slot]!, bytes.length, (delta) => {
      position += delta;
      found.push(this.raw(position));
    });
    return found;
  }

  private raw(position: number): Occurrence {
    const field = lastAtMost(this.fieldStarts, position);
    const gap = lastAtMost(this.gapPositions, position);
    const stopWords = gap < 0 ? 0 : this.gapTotals[gap]!;
    // One number is left out between two fields.
    return { position: position - field + stopWords + 1, field: this.fields[field]! };
  }

  private readGaps(): void {
    const { gaps } = this.index.directory;
    if (gaps.length === 0) return;
    const offsets = this.index.i32(gaps.offsets, this.index.nodes + 1);
    let position = 0;
    let total = 0;
    let isSize = false;
    const bytes = this.index.u8(gaps.bytes, offsets[this.row + 1]!);
    eachVarint(bytes, offsets[this.row]!, bytes.length, (value) => {
      if (isSize) {
        total += value;
        this.gapPositions.push(position);
        this.gapTotals.push(total);
      } else position += value;
      isSize = !isSize;
    });
  }
}

/** Visible rows that have all the terms, ascending. */
export function rowsWithAll(index: SharedIndex, visible: Uint32Array, terms: readonly number[]): number[] {
  const { postings } = index.directory;
  const starts = index.i32(postings.starts, index.directory.terms.rows + 1);
  const rows = index.u32(postings.rows.at, postings.rows.length);
  const lists = terms
    .map((term) => ({ from: starts[term]!, to: starts[term + 1]! }))
    .sort((a, b) => a.to - a.from - (b.to - b.from));
  const [lead, ...others] = lists;
  if (lead === undefined) return [];
  return [...rows.subarray(lead.from, lead.to)].filter(
    (row) => isSet(visible, row) && others.every(({ from, to }) => search(rows, from, to, row) >= 0),
  );
}

/** Place of `value` in the ascending list[from .. to - 1], or -1. */
function search(list: Uint32Array, from: number, to: number, value: number): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (list[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low < to && list[low] === value ? low : -1;
}

/** Place of the last entry that is at most `value`, or -1. */
function lastAtMost(ascending: readonly number[], value: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending[middle]! <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
