import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Node } from '../types.js';
import { readNodesJsonl } from './jsonl.js';
import type { NodeOptions } from './node.js';
import { refusal } from './refusal.js';

const NAMES = ['corpus.jsonl', 'corpus.jsonl.gz'];

/** Whether a folder holds a corpus file. */
export async function isBeir(dir: string): Promise<boolean> {
  const entries = await readdir(dir).catch(() => []);
  return entries.some((name) => NAMES.includes(name));
}

/** The corpus file of a BEIR folder. Two of them could differ, so neither is picked. */
export async function beirCorpusPath(dir: string): Promise<string> {
  const entries = await readdir(dir).catch((cause) => {
    throw refusal('cannot be read as a folder; name a folder with a corpus.jsonl[.gz]', { file: dir }, cause);
  });
  const found = NAMES.filter((name) => entries.includes(name));
  if (found.length === 2) throw refusal(`has both ${NAMES.join(' and ')}; remove one of them`, { file: dir });
  if (found.length === 1) return join(dir, found[0]!);
  throw refusal('has no corpus.jsonl or corpus.jsonl.gz; name a BEIR folder or a .jsonl or .csv file', {
    file: dir,
  });
}

/** Nodes of `corpus.jsonl[.gz]`; `readSource` gives their places as well. */
export async function* readBeirCorpus(dir: string, options: NodeOptions = {}): AsyncGenerator<Node> {
  for await (const { node } of readNodesJsonl(await beirCorpusPath(dir), options)) yield node;
}
