/** Where nodes come from: which kind of source a path is, and its nodes. */

import { stat } from 'node:fs/promises';
import { beirCorpusPath, isBeir } from './beir.js';
import { hasSource } from './code/walk-tree.js';
import { readNodeBlocksCsv } from './csv.js';
import { readNodeBlocksJsonl } from './jsonl.js';
import type { NodeOptions, PlacedNode } from './node.js';
import { refusal } from './refusal.js';

export type SourceKind = 'beir' | 'jsonl' | 'csv' | 'code';

export interface Source {
  kind: SourceKind;
  /** The file that holds the nodes; within the folder, for a BEIR folder. For code the folder. */
  file: string;
}

const ACCEPTED =
  'a BEIR folder (corpus.jsonl[.gz]), a folder of source files, a .jsonl[.gz] or a .csv[.gz] file';

export async function detectSource(path: string): Promise<Source> {
  if (path === '-') return { kind: 'jsonl', file: path };
  if (await isFolder(path)) {
    if (!(await isBeir(path)) && (await hasSource(path))) return { kind: 'code', file: path };
    return { kind: 'beir', file: await beirCorpusPath(path) };
  }
  const name = path.toLowerCase().replace(/\.gz$/, '');
  if (name.endsWith('.jsonl')) return { kind: 'jsonl', file: path };
  if (name.endsWith('.csv')) return { kind: 'csv', file: path };
  throw refusal(`is of no known kind; a source is ${ACCEPTED}`, { file: path });
}

/** Nodes with their places. A kind that is given is believed, whatever the ending. */
export async function* readSource(
  path: string,
  kind?: SourceKind,
  options: NodeOptions = {},
): AsyncGenerator<PlacedNode> {
  options.signal?.throwIfAborted();
  const source = kind === undefined ? await detectSource(path) : await sourceOf(path, kind);
  const read = source.kind === 'csv' ? readNodeBlocksCsv : readNodeBlocksJsonl;
  for await (const block of read(source.file, options)) {
    for (const placed of block) yield placed;
  }
}

async function sourceOf(path: string, kind: SourceKind): Promise<Source> {
  if (!['beir', 'jsonl', 'csv'].includes(kind)) {
    throw refusal(`${JSON.stringify(kind)} is no kind of source; the kinds are beir, jsonl and csv`, {
      file: path,
    });
  }
  const inFolder = kind === 'beir' && path !== '-' && (await isFolder(path));
  return { kind, file: inFolder ? await beirCorpusPath(path) : path };
}

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch((cause) => {
    const missing = cause.code === 'ENOENT' || cause.code === 'ENOTDIR';
    const reason = missing ? 'there is no such file or folder' : cause.message;
    throw refusal(`cannot be read: ${reason}; a source is ${ACCEPTED}`, { file: path }, cause);
  });
  return found.isDirectory();
}
