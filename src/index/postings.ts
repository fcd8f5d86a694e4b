import type { RecordBatch } from 'apache-arrow';
import { codesTable, FieldCodes } from './codes.js';
import { batchOf, binary, type Column, checkedOffset, list, strings, u16, u32 } from './columns.js';
import { SCORED_FIELDS, type ScoredField } from './fields.js';
import type { ForwardIndex } from './forward-index.js';
import { compareIds } from './id-order.js';

export interface Postings {
  scored: ScoredField[];
  postings: RecordBatch;
  lengths: RecordBatch;
  codes: RecordBatch;
  terms: number;
  entries: number;
  codeBytes: 2 | 4;
  maxCodes: number;
  /** Most occurrences of one term in one document. */
  maxOccurrences: number;
}

/**
 * Turns the forward index round: a list of rows per term. Terms are numbered by their bytes, rows by id and
 * codes by first use in row order, so that the tables do not depend on the order of the input.
 * `order[row]` is the input position of that row.
 */
export function buildPostings(forward: ForwardIndex, order: Uint32Array): Postings {
  const fields = SCORED_FIELDS.flatMap((field, f) =>
    forward.lengths[f]!.view().some((length) => length > 0)
      ? [
          {
            field,
            frequency: forward.entryFrequency[f]!.view(),
            length: permute(forward.lengths[f]!.view(), order),
          },
        ]
      : [],
  );
  const scored = fields.map((f) => f.field);
  const { places, sorted } = sortTerms(forward.terms);
  const { offsets, slots } = placeEntries(forward, order, places);
  const codes = fields.map(() => new FieldCodes());
  const fieldCodes = fields.map(() => new Uint32Array(slots.length));
  const rows = new Uint32Array(slots.length);
  let maxOccurrences = 1;
  eachDocument(forward, order, (row, from, to) => {
    fields.forEach((field, f) => {
      codes[f]!.enter(field.length[row]!);
    });
    for (let e = from; e < to; e++) {
      rows[slots[e]!] = row;
      let occurrences = 0;
      for (let f = 0; f < fields.length; f++) {
        const frequency = fields[f]!.frequency[e] ?? 0;
        occurrences += frequency;
        fieldCodes[f]![slots[e]!] = codes[f]!.code(frequency);
      }
      if (occurrences > maxOccurrences) maxOccurrences = occurrences;
    }
  });
  const maxCodes = Math.max(1, ...codes.map((c) => c.size));
  const codeBytes = maxCodes > 0x10000 ? 4 : 2;
  const codeColumn = (values: Uint32Array): Column =>
    codeBytes === 2 ? u16('item', Uint16Array.from(values)) : u32('item', values);
  return {
    scored,
    postings: batchOf(
      [
        strings('term', sorted),
        list('row', offsets, u32('item', rows)),
        ...scored.map((field, f) => list(field, offsets, codeColumn(fieldCodes[f]!))),
        list('positions', offsets, positionColumn(forward, slots)),
      ],
      sorted.length,
    ),
    lengths: batchOf([...fields.map((f) => u32(f.field, f.length)), gapColumn(forward, order)], order.length),
    codes: codesTable(scored, codes),
    terms: sorted.length,
    entries: rows.length,
    codeBytes,
    maxCodes,
    maxOccurrences,
  };
}

/** `places[number]` is the term's place among all terms in byte order. */
function sortTerms(terms: ReadonlyMap<string, number>): { places: Uint32Array; sorted: string[] } {
  const sorted = [...terms.keys()].sort(compareIds);
  const places = new Uint32Array(sorted.length);
  sorted.forEach((term, place) => {
    places[terms.get(term)!] = place;
  });
  return { places, sorted };
}

function eachDocument(
  forward: ForwardIndex,
  order: Uint32Array,
  visit: (row: number, from: number, to: number) => void,
): void {
  const ends = forward.documentEnds.view();
  for (let row = 0; row < order.length; row++) {
    const input = order[row]!;
    visit(row, input === 0 ? 0 : ends[input - 1]!, ends[input]!);
  }
}

/** The posting slot of each entry (`slots`), and the first slot of each term (`offsets`, one bound more). */
function placeEntries(forward: ForwardIndex, order: Uint32Array, places: Uint32Array) {
  const entryTerm = forward.entryTerm.view();
  checkedOffset(entryTerm.length, 'postings.row');
  const offsets = new Int32Array(places.length + 1);
  for (const term of entryTerm) offsets[places[term]! + 1]!++;
  for (let t = 0; t < places.length; t++) offsets[t + 1]! += offsets[t]!;
  const cursor = offsets.slice();
  const slots = new Uint32Array(entryTerm.length);
  eachDocument(forward, order, (_row, from, to) => {
    for (let e = from; e < to; e++) slots[e] = cursor[places[entryTerm[e]!]!]!++;
  });
  return { offsets, slots };
}

function positionColumn(forward: ForwardIndex, slots: Uint32Array): Column {
  const lengths = forward.entryBytes.view();
  const source = forward.positions.view();
  const offsets = new Int32Array(slots.length + 1);
  for (let e = 0; e < slots.length; e++) offsets[slots[e]! + 1] = lengths[e]!;
  checkedOffset(source.length, 'postings.positions');
  for (let slot = 0; slot < slots.length; slot++) offsets[slot + 1]! += offsets[slot]!;
  const bytes = new Uint8Array(source.length);
  let from = 0;
  for (let e = 0; e < slots.length; e++) {
    let to = offsets[slots[e]!]!;
    for (const end = from + lengths[e]!; from < end; from++) bytes[to++] = source[from]!;
  }
  return binary('item', offsets, bytes);
}

function gapColumn(forward: ForwardIndex, order: Uint32Array): Column {
  const source = forward.gaps.view();
  const ends = forward.gapEnds.view();
  checkedOffset(source.length, 'lengths.gaps');
  const bytes = new Uint8Array(source.length);
  const offsets = new Int32Array(order.length + 1);
  let at = 0;
  for (let row = 0; row < order.length; row++) {
    const start = order[row] === 0 ? 0 : ends[order[row]! - 1]!;
    bytes.set(source.subarray(start, ends[order[row]!]!), at);
    at += ends[order[row]!]! - start;
    offsets[row + 1] = at;
  }
  return binary('gaps', offsets, bytes);
}

function permute(values: Uint32Array, order: Uint32Array): Uint32Array {
  const out = new Uint32Array(order.length);
  for (let row = 0; row < order.length; row++) out[row] = values[order[row]!]!;
  return out;
}
