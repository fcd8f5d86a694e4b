import type { Scope } from '../access/scope.js';
import type { Bm25Settings } from './bm25-request.js';
import type { ScoreContext } from './context.js';
import { averageLength, fieldStatistics, lengthNorm } from './field-statistics.js';

/** A scored field in use and the address of its code table. */
export interface FieldTable {
  field: number;
  tableAt: number;
}

/** Fills the table of each field with a weight above 0: what a code adds to the normalised frequency. */
export function fillFields(context: ScoreContext, scope: Scope, request: Bm25Settings): FieldTable[] {
  const { index, scratch } = context;
  const { totals } = fieldStatistics(context, scope);
  const used: FieldTable[] = [];
  index.directory.fields.forEach((field, f) => {
    const weight = request.weights[f]!;
    if (weight === 0) return;
    const tableAt = scratch.codeTables + f * index.directory.maxCodes * 8;
    const table = index.f64(tableAt, field.codeFrequency.length);
    const frequency = index.u32(field.codeFrequency.at, field.codeFrequency.length);
    const length = index.u32(field.codeLength.at, field.codeLength.length);
    const average = averageLength(totals[f]!, scope);
    const norm = (code: number): number =>
      request.form === 'joined' ? 1 : lengthNorm(length[code]!, average, request.b[f]!);
    table[0] = 0;
    for (let code = 1; code < table.length; code++) table[code] = (weight * frequency[code]!) / norm(code);
    used.push({ field: f, tableAt });
  });
  return used;
}

/** Points the field records at the codes of the term whose postings start at `from`. */
export function pointFields(
  { index, scratch }: ScoreContext,
  fields: readonly FieldTable[],
  from: number,
): number {
  const records = index.u32(scratch.fieldRecords, fields.length * 2);
  fields.forEach(({ field, tableAt }, i) => {
    records[2 * i] = index.directory.fields[field]!.codes + from * index.directory.codeBytes;
    records[2 * i + 1] = tableAt;
  });
  return scratch.fieldRecords;
}

/** Document length norms of all rows; lengths are added over the fields, weighted when weights are given. */
export function fillNorms(
  context: ScoreContext,
  scope: Scope,
  weights: readonly number[] | undefined,
  b: number,
): number {
  const { index, scratch } = context;
  const { totals } = fieldStatistics(context, scope);
  const weightOf = (f: number): number => weights?.[f] ?? 1;
  const average = averageLength(
    totals.reduce((sum, total, f) => sum + weightOf(f) * total, 0),
    scope,
  );
  const norms = index.f64(scratch.norms, index.nodes);
  norms.fill(0);
  index.directory.fields.forEach((field, f) => {
    const lengths = index.u32(field.lengths, index.nodes);
    const weight = weightOf(f);
    for (let row = 0; row < norms.length; row++) norms[row]! += weight * lengths[row]!;
  });
  for (let row = 0; row < norms.length; row++) norms[row] = lengthNorm(norms[row]!, average, b);
  return scratch.norms;
}
