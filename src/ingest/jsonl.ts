import type { Place } from '../errors.js';
import { type Fields, parseObject } from './json.js';
import { readLineBlocks } from './lines.js';
import { type NodeOptions, type PlacedNode, toNode } from './node.js';

export interface PlacedFields {
  fields: Fields;
  place: Place;
}

/** JSON objects, one per line; blank lines are passed over. In arrays, see `readLineBlocks`. */
export async function* readObjectBlocks(
  path: string,
  options: { signal?: AbortSignal } = {},
): AsyncGenerator<Iterable<PlacedFields>> {
  for await (const block of readLineBlocks(path, options)) yield objectsOf(block, path);
}

/** Lazy, so that the records before a bad line are used before it is complained about. */
function* objectsOf(block: readonly { text: string; line: number }[], file: string): Generator<PlacedFields> {
  for (const { text, line } of block) {
    if (isBlank(text)) continue;
    const place: Place = { file, line };
    yield { fields: parseObject(text, place), place };
  }
}

export function isBlank(text: string): boolean {
  return text.length === 0 || text.trim() === '';
}

export async function* readNodesJsonl(path: string, options: NodeOptions = {}): AsyncGenerator<PlacedNode> {
  for await (const block of readNodeBlocksJsonl(path, options)) {
    for (const placed of block) yield placed;
  }
}

export async function* readNodeBlocksJsonl(
  path: string,
  options: NodeOptions,
): AsyncGenerator<Iterable<PlacedNode>> {
  for await (const block of readObjectBlocks(path, options)) yield nodesOf(block, options);
}

function* nodesOf(block: Iterable<PlacedFields>, { dropped }: NodeOptions): Generator<PlacedNode> {
  for (const { fields, place } of block) {
    const node = toNode(fields, place, dropped);
    yield { node, place: { ...place, id: node.id } };
  }
}
