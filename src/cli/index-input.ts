import type { Place } from '../errors.js';
import type { Placed } from '../index/build-options.js';
import { readAccess } from '../ingest/access.js';
import { readEdges } from '../ingest/edges.js';
import type { Dropped } from '../ingest/node.js';
import { detectSource, readSource, type SourceKind } from '../ingest/sources.js';
import type { AccessRow, Edge, Node } from '../types.js';

export interface NamedSource {
  path: string;
  kind: SourceKind;
}

/** The sources with their kinds: as named, or found out. */
export async function sourcesOf(
  paths: readonly string[],
  from: SourceKind | undefined,
): Promise<readonly NamedSource[]> {
  const sources: NamedSource[] = [];
  for (const path of paths) sources.push({ path, kind: from ?? (await detectSource(path)).kind });
  return sources;
}

/** The nodes of all sources, one after the other. */
export async function* nodesOf(
  sources: readonly NamedSource[],
  options: { signal: AbortSignal; dropped: Dropped; rows: InputRows | undefined },
): AsyncGenerator<Placed<Node>> {
  const { signal, dropped, rows } = options;
  for (const { path, kind } of sources) {
    for await (const { node, place } of readSource(path, kind, { signal, dropped })) {
      rows?.ids.push(node.id);
      yield { value: node, place };
    }
  }
}

/** Ids by input row over all sources, kept only when edges are given as rows. */
export class InputRows {
  readonly ids: string[] = [];
  readonly resolve = (row: number): string | undefined => this.ids[row];
}

export async function* edgesOf(
  files: readonly string[],
  options: { signal: AbortSignal; rows: InputRows | undefined },
): AsyncGenerator<Placed<Edge>> {
  const { signal, rows } = options;
  const read = rows === undefined ? { signal } : { signal, resolve: rows.resolve };
  for (const file of files) {
    for await (const { edge, place } of readEdges(file, read)) yield { value: edge, place };
  }
}

export async function* accessOf(
  file: string,
  options: { signal: AbortSignal },
): AsyncGenerator<Placed<AccessRow>> {
  for await (const { row, place } of readAccess(file, options)) yield { value: row, place };
}

/** Where a record stood, for a note. */
export function placeText({ file, line }: Place): string {
  return `${file ?? 'input'}${line === undefined ? '' : `:${line}`}`;
}
