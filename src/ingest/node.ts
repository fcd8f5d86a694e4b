/** One record from outside -> a `Node` that the rest of corank may trust. */

import { type Place, quote } from '../errors.js';
import type { MetaValue, Node } from '../types.js';
import {
  about,
  idOf,
  isWellFormed,
  shown,
  toAcl,
  toInteger,
  toName,
  toText,
  toVector,
  unknownKey,
} from './fields.js';
import { type Fields, kindOf } from './json.js';
import { refusal } from './refusal.js';

/** Counts meta values that were left out because they are lists or objects, which no filter can use. */
export interface Dropped {
  nested: number;
  /** Where the first one stood, and its name in meta. */
  first?: { place: Place; name: string };
}

export interface NodeOptions {
  signal?: AbortSignal;
  dropped?: Dropped;
}

/** A node and the place it came from, for messages about it later on. */
export interface PlacedNode {
  node: Node;
  place: Place;
}

type Reader = (value: unknown, key: string, place: Place) => unknown;

/** Reader of each field but the id and meta, which have two names each. */
const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['kind', toText],
  ['name', toText],
  ['qualifiedName', toText],
  ['container', toText],
  ['path', toText],
  ['title', toText],
  ['heading', toText],
  ['uri', toText],
  ['documentId', toText],
  ['ordinal', toInteger],
  ['startLine', toInteger],
  ['endLine', toInteger],
  ['signature', toText],
  ['text', toText],
  ['tokenEstimate', toInteger],
  ['org', toName],
  ['source', toName],
  ['acl', (value, _key, place) => toAcl(value, place)],
  ['embedding', toVector],
  ['embeddingModel', toName],
]);

export const NODE_KEYS: readonly string[] = ['id', '_id', ...READERS.keys(), 'meta', 'metadata'];
const RENAMED: ReadonlySet<string> = new Set(['id', '_id', 'meta', 'metadata']);

/** Checks a record and copies it; null and undefined mean absent. Errors name the id as soon as it is known. */
export function toNode(record: Fields, place: Place, dropped?: Dropped): Node {
  const id = idOf(record, place);
  const at = { ...place, id };
  const node: Record<string, unknown> = { id };
  for (const key of Object.keys(record)) {
    const read = READERS.get(key);
    const value = record[key];
    if (read !== undefined) {
      if (value != null) node[key] = read(value, key, at);
    } else if (!RENAMED.has(key)) {
      throw unknownKey(key, NODE_KEYS, 'key', at);
    }
  }
  refuseBackwardLines(node as unknown as Node, at);
  const meta = metaOf(record, at, dropped);
  if (meta !== undefined && meta.size > 0) node.meta = meta;
  return node as unknown as Node;
}

/** The same checks for nodes that a program hands over as objects. */
export function validateNode(node: unknown, place: Place, dropped?: Dropped): Node {
  if (typeof node !== 'object' || node === null || Array.isArray(node)) {
    throw refusal(`a node must be an object, got ${kindOf(node)}`, place);
  }
  return toNode(node as Fields, place, dropped);
}

function refuseBackwardLines({ startLine, endLine }: Node, place: Place): void {
  if (startLine === undefined || endLine === undefined || startLine <= endLine) return;
  throw refusal(
    `${about(place)}endLine ${endLine} lies before startLine ${startLine}; swap or correct them`,
    place,
  );
}

/** A Map, because a plain object would swallow an entry called __proto__. */
function metaOf(record: Fields, place: Place, dropped?: Dropped): Map<string, MetaValue> | undefined {
  if (record.meta != null && record.metadata != null) {
    throw refusal(`${about(place)}has both meta and metadata; keep one of them`, place);
  }
  const given = record.meta ?? record.metadata;
  if (given == null) return undefined;
  if (typeof given !== 'object' || Array.isArray(given)) {
    throw refusal(
      `${about(place)}meta must be an object of strings, numbers and booleans, got ${kindOf(given)}`,
      place,
    );
  }
  const meta = new Map<string, MetaValue>();
  for (const [name, value] of given instanceof Map ? given : Object.entries(given)) {
    if (value == null) continue;
    if (typeof value === 'object') countDropped(dropped, place, name);
    else meta.set(metaName(name, place), metaValue(value, name, place));
  }
  return meta;
}

function metaName(name: unknown, place: Place): string {
  if (typeof name === 'string' && isWellFormed(name)) return name;
  throw refusal(
    `${about(place)}the meta name ${quote(name)} must be a string without lone surrogates`,
    place,
  );
}

function metaValue(value: unknown, name: string, place: Place): MetaValue {
  if (typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) return value;
  if (typeof value === 'string') return toText(value, `meta ${quote(name)}`, place);
  throw refusal(
    `${about(place)}meta ${quote(name)} must be a string, finite number or boolean, got ${shown(value)}`,
    place,
  );
}

function countDropped(dropped: Dropped | undefined, place: Place, name: string): void {
  if (dropped === undefined) return;
  dropped.nested++;
  dropped.first ??= { place, name };
}
