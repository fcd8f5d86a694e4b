/** The shared collections as indexes, their queries, and the lists that independent tools made of them. */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { afterAll } from 'vitest';
import type { BuildOptions, Edge, IndexSource, Node, Query, Result, Run } from '../../dist/index.js';
import { buildIndex, Engine } from '../../dist/index.js';
import { readAccess } from '../../dist/ingest/access.js';
import { readEdges } from '../../dist/ingest/edges.js';
import { readNpy } from '../../dist/ingest/npy.js';
import { readQueries } from '../../dist/ingest/queries.js';
import { readSource } from '../../dist/ingest/sources.js';

export const data = (name: string): string =>
  fileURLToPath(new URL(`../../../shared/data/${name}`, import.meta.url));

export async function nodesOf(set: string): Promise<Node[]> {
  const nodes: Node[] = [];
  for await (const { node } of readSource(data(set))) nodes.push(node);
  return nodes;
}

export async function edgesOf(file: string): Promise<Edge[]> {
  const edges: Edge[] = [];
  for await (const { edge } of readEdges(data(file))) edges.push(edge);
  return edges;
}

export async function accessOf(file: string) {
  const rows = [];
  for await (const { row } of readAccess(data(file))) rows.push(row);
  return rows;
}

export const matrixOf = (file: string) => readNpy(data(file));

/** In file order, which is the row order of the stored query vectors. */
export async function queriesOf(set: string): Promise<(Query & { id: string })[]> {
  const queries: (Query & { id: string })[] = [];
  for await (const entry of readQueries(data(`${set}/queries.jsonl`))) {
    if ('error' in entry) throw entry.error;
    queries.push({ id: entry.query.id!, text: entry.query.text });
  }
  return queries;
}

const engines: Engine[] = [];
const folders: string[] = [];

// At the top of the file that imports this: a hook that a test registers while it runs is not called.
afterAll(async () => {
  for (const engine of engines) await engine.close();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Builds an index in a folder of its own and opens it; both go when the file's tests are done. */
export async function openIndex(
  source: IndexSource,
  options: Omit<BuildOptions, 'out'> = {},
): Promise<Engine> {
  const folder = mkdtempSync(join(tmpdir(), 'corank-conformance-'));
  folders.push(folder);
  const out = join(folder, 'index');
  await buildIndex(source, { ...options, out });
  const engine = await Engine.open(out, { threads: 2 });
  engines.push(engine);
  return engine;
}

/** A list of a reference run, best first. */
export type Reference = Map<string, { id: string; score: number }[]>;

/** TREC lines (`qid Q0 docid rank score tag`), optionally only those of one tag. */
export function reference(file: string, tag?: string): Reference {
  const bytes = readFileSync(data(file));
  const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  const lists: Reference = new Map();
  for (const line of text.split('\n')) {
    const [query, , id, rank, score, run] = line.split(' ');
    if (query === undefined || id === undefined || (tag !== undefined && run !== tag)) continue;
    const list = lists.get(query) ?? [];
    if (Number(rank) !== list.length + 1) throw new Error(`${file}: rank ${rank} of query ${query}`);
    list.push({ id, score: Number(score) });
    lists.set(query, list);
  }
  return lists;
}

export const json = (file: string) => JSON.parse(readFileSync(data(file), 'utf8'));

/** Results by query id; a failed query fails the test. */
export async function answers(
  results: AsyncIterable<Result & { error?: unknown }>,
): Promise<Map<string, Result>> {
  const all = new Map<string, Result>();
  for await (const result of results) {
    if (result.error !== undefined) throw result.error;
    all.set(result.id!, result);
  }
  return all;
}

export const runOf = (results: Map<string, Result>): Run =>
  new Map([...results].map(([query, { candidates }]) => [query, candidates]));

/**
 * How a list differs from the reference's; empty when they agree. Scores are compared position by position.
 * Ids are compared where the score stands off from both neighbours by more than `gap`: within a group of
 * equal scores tools order differently. `ours` must reach beyond the end of `theirs`, or be all there is.
 */
export function differences(
  ours: readonly { id: string; score: number }[],
  theirs: readonly { id: string; score: number }[],
  { within, gap = 1e-9 }: { within: number; gap?: number },
): string[] {
  const found: string[] = [];
  theirs.forEach((their, i) => {
    const our = ours[i];
    if (our === undefined) {
      found.push(`${i + 1}: missing, expected ${their.id} ${their.score}`);
      return;
    }
    if (Math.abs(our.score - their.score) > within)
      found.push(`${i + 1}: ${our.id} ${our.score}, expected ${their.id} ${their.score}`);
    const apart = (other: { score: number } | undefined) =>
      other === undefined || Math.abs(other.score - our.score) > gap;
    if (apart(ours[i - 1]) && apart(ours[i + 1]) && our.id !== their.id)
      found.push(`${i + 1}: ${our.id}, expected ${their.id} (${our.score})`);
  });
  return found;
}
