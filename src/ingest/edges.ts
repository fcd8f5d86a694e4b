/** Edge files: CSV with a header, or JSON lines. Ends are ids, or input rows that the caller can resolve. */

import { type Place, quote } from '../errors.js';
import type { Edge } from '../types.js';
import { type CsvTable, readCsv } from './csv-table.js';
import { shown, toId, toName, toText, unknownKey } from './fields.js';
import { formatOf } from './format.js';
import type { Fields } from './json.js';
import { type PlacedFields, readObjectBlocks } from './jsonl.js';
import { decimal } from './number.js';
import { refusal } from './refusal.js';

export interface EdgeOptions {
  signal?: AbortSignal;
  /** Given, the ends are 0-based input rows, and this knows their ids. */
  resolve?: (row: number) => string | undefined;
}

export interface PlacedEdge {
  edge: Edge;
  place: Place;
}

const ALIASES: ReadonlyMap<string, string> = new Map([
  ['src', 'from'],
  ['dst', 'to'],
]);
/** Walks add weights up and invert the sums: within these bounds neither overflows nor vanishes. */
const WEIGHTS = { least: 1e-100, most: 1e100 };
const EDGE_KEYS: ReadonlySet<string> = new Set(['from', 'to', 'kind', 'weight', 'provenance', 'confidence']);

export async function* readEdges(path: string, options: EdgeOptions = {}): AsyncGenerator<PlacedEdge> {
  const csv = formatOf(path, ['csv', 'jsonl'], 'edges') === 'csv';
  for await (const block of csv ? readCsv(path, options) : readObjectBlocks(path, options)) {
    for (const placed of 'header' in block
      ? edgesOfTable(block, path, options)
      : edgesOfObjects(block, options)) {
      yield placed;
    }
  }
}

function* edgesOfTable(
  { header, rows }: CsvTable,
  file: string,
  options: EdgeOptions,
): Generator<PlacedEdge> {
  const keys = keysOf(header, { file, line: 1 });
  const from = keys.indexOf('from');
  const to = keys.indexOf('to');
  const optional = {
    kind: keys.indexOf('kind'),
    weight: keys.indexOf('weight'),
    provenance: keys.indexOf('provenance'),
    confidence: keys.indexOf('confidence'),
  };
  const further = keys.flatMap((key, i) => (EDGE_KEYS.has(key) ? [] : [i]));
  for (const { cells, line } of rows) {
    const place: Place = { file, line };
    const edge = ends(cells[from], cells[to], options, place);
    setOptional(edge, cells, optional, place);
    if (further.length > 0) edge.fields = Object.fromEntries(further.map((i) => [keys[i]!, cells[i]!]));
    yield { edge, place };
  }
}

type OptionalColumns = Readonly<Record<'kind' | 'weight' | 'provenance' | 'confidence', number>>;

function setOptional(edge: Edge, cells: readonly string[], columns: OptionalColumns, place: Place): void {
  const kind = cellAt(cells, columns.kind);
  if (kind !== '') edge.kind = kind;
  const weight = cellAt(cells, columns.weight);
  if (weight !== '') edge.weight = toWeight(weight, decimal(weight), edge, place);
  const provenance = cellAt(cells, columns.provenance);
  if (provenance !== '') edge.provenance = provenance;
  const confidence = cellAt(cells, columns.confidence);
  if (confidence !== '') edge.confidence = toConfidence(confidence, decimal(confidence), edge, place);
}

/** A column that the file does not have (-1) reads as an empty cell, which is an absent field. */
function cellAt(cells: readonly string[], column: number): string {
  return column < 0 ? '' : cells[column]!;
}

function* edgesOfObjects(block: Iterable<PlacedFields>, options: EdgeOptions): Generator<PlacedEdge> {
  for (const { fields, place } of block) {
    keysOf(Object.keys(fields), place);
    yield { edge: edgeOf(fields, options, place), place };
  }
}

/** Checks an edge that a user of the library made, and copies it. */
export function validateEdge(edge: unknown, place: Place): Edge {
  if (typeof edge !== 'object' || edge === null)
    throw refusal(`an edge is an object, got ${shown(edge)}`, place);
  const { fields, ...own } = edge as Fields;
  const unknown = Object.keys(own).find((key) => !isEdgeKey(key));
  if (unknown !== undefined) throw unknownKey(unknown, [...EDGE_KEYS, 'fields'], 'key', place);
  const checked = edgeOf(own, {}, place);
  if (fields == null) return checked;
  if (typeof fields !== 'object')
    throw refusal(`fields of an edge is a flat map, got ${shown(fields)}`, place);
  const texts = Object.entries(fields).map(([key, value]) => [key, asText(key, value, place)]);
  return { ...checked, fields: Object.fromEntries(texts) };
}

function edgeOf(fields: Fields, options: EdgeOptions, place: Place): Edge {
  const edge = ends(fields.from ?? fields.src, fields.to ?? fields.dst, options, place);
  const { kind, weight, provenance, confidence } = fields;
  if (kind != null) edge.kind = toName(kind, 'kind', place);
  if (weight != null) edge.weight = toWeight(weight, weight, edge, place);
  if (provenance != null) edge.provenance = toText(provenance, 'provenance', place);
  if (confidence != null) edge.confidence = toConfidence(confidence, confidence, edge, place);
  const further = Object.entries(fields).filter(([key, value]) => value != null && !isEdgeKey(key));
  if (further.length > 0) {
    // fromEntries defines own properties, so a column called __proto__ stays data.
    edge.fields = Object.fromEntries(further.map(([key, value]) => [key, asText(key, value, place)]));
  }
  return edge;
}

/** Names with src and dst read as from and to; both ends must be named, and once. */
function keysOf(names: readonly string[], place: Place): readonly string[] {
  const keys = names.map((name) => ALIASES.get(name) ?? name);
  for (const [key, alias] of [['from', 'src'] as const, ['to', 'dst'] as const]) {
    const first = keys.indexOf(key);
    if (first < 0)
      throw refusal(`an edge needs ${key} (or ${alias}); there is ${names.join(', ') || 'nothing'}`, place);
    if (keys.indexOf(key, first + 1) > first)
      throw refusal(`has both ${key} and ${alias}; keep one of them`, place);
  }
  return keys;
}

function isEdgeKey(key: string): boolean {
  return EDGE_KEYS.has(key) || ALIASES.has(key);
}

function ends(from: unknown, to: unknown, { resolve }: EdgeOptions, place: Place): Edge {
  if (resolve === undefined) return { from: end(from, 'from', place), to: end(to, 'to', place) };
  return { from: endOfRow(from, 'from', resolve, place), to: endOfRow(to, 'to', resolve, place) };
}

function end(value: unknown, key: string, place: Place): string {
  if (value == null || value === '') throw refusal(`the edge has no ${key}; name the id of a node`, place);
  return toId(value, key, place);
}

function endOfRow(
  value: unknown,
  key: string,
  resolve: (row: number) => string | undefined,
  place: Place,
): string {
  const row = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  if (!Number.isSafeInteger(row) || (row as number) < 0) {
    throw refusal(
      `${key} must be a 0-based input row, got ${shown(value)}; or ask for ids instead of rows`,
      place,
    );
  }
  const id = resolve(row as number);
  if (id !== undefined) return id;
  throw refusal(
    `${key} is row ${row}, which the input does not have; rows count from 0, in input order`,
    place,
  );
}

function toWeight(given: unknown, weight: unknown, edge: Edge, place: Place): number {
  if (typeof weight === 'number' && weight >= WEIGHTS.least && weight <= WEIGHTS.most) return weight;
  const expected = `a finite number above 0, from ${WEIGHTS.least} to ${WEIGHTS.most}`;
  throw refusal(`${named(edge)} has weight ${shown(given)}; it must be ${expected}`, place);
}

function toConfidence(given: unknown, confidence: unknown, edge: Edge, place: Place): number {
  if (typeof confidence === 'number' && confidence >= 0 && confidence <= 1) return confidence;
  throw refusal(`${named(edge)} has confidence ${shown(given)}; it must be a number from 0 to 1`, place);
}

function named(edge: Edge): string {
  return `the edge ${quote(edge.from)} -> ${quote(edge.to)}`;
}

function asText(key: string, value: unknown, place: Place): string {
  if (typeof value === 'string') return toText(value, key, place);
  try {
    return toText(JSON.stringify(value), key, place);
  } catch (cause) {
    throw refusal(`${key} is ${shown(value)}, which cannot be kept as text`, place, cause);
  }
}
