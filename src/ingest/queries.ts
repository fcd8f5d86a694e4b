/** Query files: BEIR queries.jsonl, or TREC topics as `id TAB text`. A bad line is an entry, not the end. */

import { CorankError, type Place, quote } from '../errors.js';
import type { Query } from '../types.js';
import { about, idOf, shown, toName, toText, toVector, unknownKey } from './fields.js';
import { toFilters } from './filter.js';
import { formatOf } from './format.js';
import { type Fields, kindOf, parseObject } from './json.js';
import { isBlank } from './jsonl.js';
import { readLineBlocks } from './lines.js';
import { refusal } from './refusal.js';

export interface PlacedQuery {
  query: Query;
  place: Place;
}

export interface QueryFailure {
  error: CorankError;
  line: number;
  id?: string;
}

const QUERY_KEYS: readonly string[] = [
  ...['id', '_id', 'text', 'principal', 'sources', 'filters'],
  ...['embedding', 'embeddingModel', 'k', 'metadata'],
];

/** Queries and failures in the order of their lines. Only a file that cannot be read at all throws. */
export async function* readQueries(
  path: string,
  options: { signal?: AbortSignal } = {},
): AsyncGenerator<PlacedQuery | QueryFailure> {
  const parse = formatOf(path, ['jsonl', 'tsv'], 'queries') === 'tsv' ? topicOf : parseObject;
  const seen = new Map<string, number>();
  const bad: QueryFailure[] = [];
  const onBadLine = (error: CorankError, line: number) => bad.push({ error, line });
  for await (const block of readLineBlocks(path, { ...options, onBadLine })) {
    for (const { text, line } of block) {
      while (bad.length > 0 && bad[0]!.line < line) yield bad.shift()!;
      if (!isBlank(text)) yield entryOf(parse, text, { file: path, line }, seen);
    }
  }
  yield* bad;
}

function entryOf(
  parse: (text: string, place: Place) => Fields,
  text: string,
  place: Place & { line: number },
  seen: Map<string, number>,
): PlacedQuery | QueryFailure {
  const at: Place & { line: number } = { ...place };
  try {
    const fields = parse(text, at);
    at.id = idOf(fields, at);
    const first = seen.get(at.id);
    if (first !== undefined)
      throw refusal(`query ${quote(at.id)} stands on line ${first} already; rename one`, at);
    seen.set(at.id, at.line);
    return { query: toQuery(fields, at.id, at), place: at };
  } catch (error) {
    if (!(error instanceof CorankError)) throw error;
    return { error, line: at.line, ...(at.id === undefined ? {} : { id: at.id }) };
  }
}

/** Text may hold further tabs; the id may not. */
function topicOf(text: string, place: Place): Fields {
  const tab = text.indexOf('\t');
  if (tab < 0) throw refusal('a topic is an id, a tab and a text; this line has no tab', place);
  return { id: text.slice(0, tab).trim(), text: text.slice(tab + 1).trim() };
}

function toQuery(fields: Fields, id: string, place: Place): Query {
  for (const key of Object.keys(fields)) {
    if (!QUERY_KEYS.includes(key)) throw unknownKey(key, QUERY_KEYS, 'key', place);
  }
  if (fields.text == null)
    throw refusal(`${about(place)}has no text; add the query under the key text`, place);
  const query: Query = { id, text: toText(fields.text, 'text', place) };
  // Present but empty must stay distinct from absent: it denies, where absent takes the caller's default.
  if (Object.hasOwn(fields, 'principal')) query.principal = fields.principal;
  if (Object.hasOwn(fields, 'sources')) query.sources = toSources(fields.sources, place);
  if (fields.filters != null) query.filters = toFilters(fields.filters, 'filters', place);
  if (fields.embedding != null) query.embedding = toVector(fields.embedding, 'embedding', place);
  if (fields.embeddingModel != null)
    query.embeddingModel = toName(fields.embeddingModel, 'embeddingModel', place);
  if (fields.k != null) query.k = toLimit(fields.k, place);
  return query;
}

function toSources(value: unknown, place: Place): readonly string[] {
  if (value === null) return null as unknown as readonly string[];
  if (!Array.isArray(value)) {
    throw refusal(`${about(place)}sources must be a list of strings, got ${kindOf(value)}`, place);
  }
  return value.map((source) => toText(source, 'a source', place));
}

function toLimit(value: unknown, place: Place): number {
  if (Number.isSafeInteger(value) && (value as number) > 0) return value as number;
  throw refusal(`${about(place)}k must be a whole number above 0, got ${shown(value)}`, place);
}
