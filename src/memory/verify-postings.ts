import { columns } from './arrow-columns.js';
import type { Report } from './finding.js';
import type { LoadedTables } from './load.js';
import type { SharedIndex } from './shared-index.js';
import { TextView } from './text-view.js';

/**
 * Terms ascend; a posting's codes are those of its document's lengths; it has as many positions as
 * occurrences, ascending and within the document; the frequencies of a document add up to its lengths.
 */
export function verifyPostings(loaded: LoadedTables, index: SharedIndex, report: Report): void {
  const { terms, postings, fields, codeBytes } = index.directory;
  verifyTerms(loaded, report);
  if (terms.rows === 0) return;
  const starts = index.i32(postings.starts, terms.rows + 1);
  const rows = index.u32(postings.rows.at, postings.rows.length);
  const count = rows.length;
  const columnsOf = fields.map((field) => ({
    name: field.name,
    lengths: index.u32(field.lengths, index.nodes),
    codes: codeBytes === 2 ? index.u16(field.codes, count) : index.u32(field.codes, count),
    frequency: index.u32(field.codeFrequency.at, field.codeFrequency.length),
    length: index.u32(field.codeLength.at, field.codeLength.length),
    seen: new Float64Array(index.nodes),
  }));
  const offsets = index.i32(postings.positionOffsets, count + 1);
  const bytes = index.u8(postings.positions, offsets[count]!);
  const places = documentPlaces(
    columnsOf.map((column) => column.lengths),
    index.nodes,
  );
  for (let term = 0; term < terms.rows; term++) {
    for (let p = starts[term]!; p < starts[term + 1]!; p++) {
      const row = rows[p]!;
      let occurrences = 0;
      for (const column of columnsOf) {
        const code = column.codes[p]!;
        if (code === 0) continue;
        occurrences += column.frequency[code]!;
        column.seen[row]! += column.frequency[code]!;
        if (column.length[code] !== column.lengths[row])
          report('postings', `posting ${p}: the code in ${column.name} is of another length`);
      }
      const problem = positionProblem(bytes, offsets[p]!, offsets[p + 1]!, occurrences, places[row]!);
      if (problem !== undefined) report('postings', `posting ${p}: ${problem}`);
    }
  }
  for (const { name, lengths, seen } of columnsOf) {
    const row = lengths.findIndex((length, i) => length !== seen[i]);
    if (row >= 0)
      report('lengths', `row ${row} has ${lengths[row]} tokens in ${name}, its postings ${seen[row]}`);
  }
}

function verifyTerms(loaded: LoadedTables, report: Report): void {
  const terms = new TextView(loaded.memory, columns(loaded, 'postings').text('term'));
  for (let term = 1; term < terms.rows; term++) {
    if (terms.compare(term - 1, Buffer.from(terms.get(term)!)) >= 0)
      report('postings', `term ${term} is out of order`);
  }
}

/** Bound of the positions of each document: its tokens, and one place between two fields. */
function documentPlaces(lengths: readonly Uint32Array[], nodes: number): Float64Array {
  const places = new Float64Array(nodes);
  for (const field of lengths) {
    for (let row = 0; row < nodes; row++) if (field[row]! > 0) places[row]! += field[row]! + 1;
  }
  return places;
}

function positionProblem(
  bytes: Uint8Array,
  from: number,
  to: number,
  occurrences: number,
  places: number,
): string | undefined {
  let position = 0;
  let count = 0;
  for (let at = from; at < to; count++) {
    let delta = 0;
    let factor = 1;
    for (;;) {
      const byte = bytes[at++]!;
      delta += (byte & 0x7f) * factor;
      factor *= 128;
      if (byte < 0x80) break;
    }
    if (count > 0 && delta === 0) return 'a position occurs twice';
    position += delta;
  }
  if (count !== occurrences) return `${count} positions for ${occurrences} occurrences`;
  return position < places ? undefined : `position ${position} in a document of ${places}`;
}
