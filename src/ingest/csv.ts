import type { Place } from '../errors.js';
import { type CsvTable, readCsv } from './csv-table.js';
import { about, unknownKey } from './fields.js';
import { NODE_KEYS, type NodeOptions, type PlacedNode, toNode } from './node.js';
import { refusal } from './refusal.js';

const META = 'meta.';
/** A cell is one value; vectors come in a .npy file, and meta one column per name. */
const COLUMNS = [
  ...NODE_KEYS.filter((key) => !['embedding', 'meta', 'metadata'].includes(key)),
  `${META}NAME`,
];
const INTEGERS: ReadonlySet<string> = new Set(['ordinal', 'startLine', 'endLine', 'tokenEstimate']);

/**
 * Nodes of a CSV file whose header names node keys, with `meta.NAME` columns for meta (strings, always).
 * An empty cell is an absent field, except under `acl`, where it is the empty list.
 */
export async function* readNodesCsv(path: string, options: NodeOptions = {}): AsyncGenerator<PlacedNode> {
  for await (const block of readNodeBlocksCsv(path, options)) {
    for (const placed of block) yield placed;
  }
}

export async function* readNodeBlocksCsv(
  path: string,
  options: NodeOptions,
): AsyncGenerator<Iterable<PlacedNode>> {
  for await (const table of readCsv(path, options)) {
    checkHeader(table.header, path);
    yield nodesOf(table, path, options);
  }
}

function* nodesOf({ header, rows }: CsvTable, file: string, { dropped }: NodeOptions): Generator<PlacedNode> {
  for (const { cells, line } of rows) {
    const place: Place = { file, line };
    const node = toNode(recordOf(header, cells, place), place, dropped);
    yield { node, place: { ...place, id: node.id } };
  }
}

function checkHeader(header: readonly string[], file: string): void {
  for (const name of header) {
    const known = name.startsWith(META) ? name.length > META.length : COLUMNS.includes(name);
    if (!known) throw unknownKey(name, COLUMNS, 'column', { file, line: 1 });
  }
}

function recordOf(
  header: readonly string[],
  cells: readonly string[],
  place: Place,
): Record<string, unknown> {
  const record: Record<string, unknown> = {};
  const meta = new Map<string, string>();
  header.forEach((name, i) => {
    const cell = cells[i]!;
    if (cell === '' && name !== 'acl') return;
    if (name.startsWith(META)) meta.set(name.slice(META.length), cell);
    else record[name] = INTEGERS.has(name) ? integer(cell, name, place) : cell;
  });
  if (meta.size > 0) record.meta = meta;
  return record;
}

function integer(cell: string, name: string, place: Place): number {
  if (/^\d{1,10}$/.test(cell)) return Number(cell);
  throw refusal(`${about(place)}${name} must be a whole number, got ${JSON.stringify(cell)}`, place);
}
