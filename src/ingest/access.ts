import type { Place } from '../errors.js';
import type { AccessRow } from '../types.js';
import { readCsv } from './csv-table.js';
import { about, shown, toAcl, toId, toName, unknownKey } from './fields.js';
import { formatOf } from './format.js';
import type { Fields } from './json.js';
import { readObjectBlocks } from './jsonl.js';
import { refusal } from './refusal.js';

export interface PlacedAccessRow {
  row: AccessRow;
  place: Place;
}

const ACCESS_KEYS: readonly string[] = ['id', 'org', 'source', 'acl'];

/** Access columns, one row per node. All four keys must be there: a gap is a mistake, never a permission. */
export async function* readAccess(
  path: string,
  options: { signal?: AbortSignal } = {},
): AsyncGenerator<PlacedAccessRow> {
  const csv = formatOf(path, ['csv', 'jsonl'], 'access columns') === 'csv';
  for await (const block of csv ? readRows(path, options) : readObjectBlocks(path, options)) {
    for (const { fields, place } of block) {
      const row = toAccessRow(fields, place);
      yield { row, place: { ...place, id: row.id } };
    }
  }
}

async function* readRows(file: string, options: { signal?: AbortSignal }) {
  for await (const { header, rows } of readCsv(file, options)) {
    // Before the rows, so that a wrong header is told once, at its own line.
    checkKeys(header, { file, line: 1 });
    yield records(header, rows, file);
  }
}

function* records(
  header: readonly string[],
  rows: Iterable<{ cells: readonly string[]; line: number }>,
  file: string,
) {
  for (const { cells, line } of rows) {
    const fields: Fields = Object.fromEntries(header.map((name, i) => [name, cells[i]]));
    yield { fields, place: { file, line } };
  }
}

/** Checks one record, from a file or from a user of the library; errors name the id as soon as it is known. */
export function toAccessRow(record: unknown, place: Place): AccessRow {
  if (typeof record !== 'object' || record === null)
    throw refusal(`an access row is an object, got ${shown(record)}`, place);
  const fields = record as Fields;
  const id = fields.id == null ? undefined : toId(fields.id, 'id', place);
  const at = { ...place, ...(id === undefined ? {} : { id }) };
  checkKeys(
    Object.keys(fields).filter((key) => fields[key] !== null || !ACCESS_KEYS.includes(key)),
    at,
  );
  return {
    id: id!,
    org: toName(fields.org, 'org', at),
    source: toName(fields.source, 'source', at),
    acl: toAcl(fields.acl, at),
  };
}

function checkKeys(keys: readonly string[], place: Place): void {
  for (const key of keys) {
    if (!ACCESS_KEYS.includes(key)) throw unknownKey(key, ACCESS_KEYS, 'key', place);
  }
  for (const key of ACCESS_KEYS) {
    if (keys.includes(key)) continue;
    const advice =
      key === 'acl' ? 'an empty list is readable by nobody' : `every row needs ${ACCESS_KEYS.join(', ')}`;
    throw refusal(`${about(place)}has no ${key}; ${advice}`, place);
  }
}
