/** Small sound inputs to go wrong from, and folders that are gone afterwards. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import {
  type BuildOptions,
  buildIndex,
  type Edge,
  Engine,
  type IndexSource,
  type Node,
} from '../../dist/index.js';
import { verifyIndex } from '../../dist/memory/verify.js';

const root = mkdtempSync(join(tmpdir(), 'corank-bad-input-'));
const engines: Engine[] = [];
let folders = 0;

afterAll(async () => {
  await Promise.all(engines.map((engine) => engine.close()));
  rmSync(root, { recursive: true, force: true });
});

/** A new empty folder. */
export function newFolder(): string {
  return mkdtempSync(join(root, `${folders++}-`));
}

/** A file in a folder of its own. */
export function file(name: string, content: string | Uint8Array): string {
  const path = join(newFolder(), name);
  writeFileSync(path, content);
  return path;
}

export const jsonl = (...records: unknown[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('');

/** `[[[...]]]`, deeper than a call stack: JSON.parse takes it, a recursive reader does not. */
export const nested = (depth = 200_000): string => '['.repeat(depth) + ']'.repeat(depth);

export function circular(): unknown {
  const loop: { self?: unknown } = {};
  loop.self = loop;
  return loop;
}

/** Throws whatever is asked of it. */
export function trap(message = 'trap'): object {
  const refuse = () => {
    throw new Error(message);
  };
  return new Proxy({}, { get: refuse, has: refuse, ownKeys: refuse, getOwnPropertyDescriptor: refuse });
}

export const CALLER = { principal: { org: 'acme', grants: ['role:ops'] }, sources: ['handbook'] };
const ACCESS = { org: 'acme', source: 'handbook', acl: ['role:ops', 'role:hr'] };

export const NODES: Node[] = [
  {
    id: 'a',
    title: 'Apple',
    text: 'the red apple pie and the apple',
    uri: 'http://a',
    ordinal: 1,
    ...ACCESS,
    meta: { year: 2000, tag: 'x', ok: true },
    embedding: [1, 0, 0, 0],
  },
  {
    id: 'b',
    text: 'green apple tree',
    ...ACCESS,
    meta: { year: 2001, ok: false },
    embedding: [0, 1, 0, 0],
  },
  { id: 'c', text: 'blue sky over an apple', ...ACCESS, embedding: [0, 0, 1, 0] },
  { id: 'd', title: 'Tree', text: 'tree', org: 'umbrella', source: 'handbook', acl: [] },
];

export const EDGES: Edge[] = [
  { from: 'a', to: 'b' },
  { from: 'b', to: 'c', weight: 2, kind: 'cites', provenance: 'hand', confidence: 0.5 },
  { from: 'c', to: 'c' },
  { from: 'c', to: 'a' },
];

export const OPTIONS: Omit<BuildOptions, 'out'> = {
  vectors: 'int8',
  embeddingModel: 'm',
  fields: [
    { name: 'year', type: 'int' },
    { name: 'tag', type: 'string' },
    { name: 'ok', type: 'bool' },
  ],
};

/** Every table there is: scoped, with vectors, edges and filter fields. */
export const sound = (): Promise<Built> => build({ nodes: NODES, edges: EDGES }, OPTIONS);

export interface Built {
  path: string;
  nodes: number;
  edges: number;
  skippedEdges: number;
  droppedMeta: number;
  access: string;
}

/** Builds from whatever it is given: TypeScript would not let most of it through. */
export async function build(source: unknown, options: object = {}): Promise<Built> {
  const path = join(newFolder(), 'index');
  const report = await buildIndex(source as IndexSource, { out: path, ...options } as BuildOptions);
  const { counts, access } = report.manifest;
  const { skippedEdges, droppedMeta } = report;
  return { path, nodes: counts.nodes, edges: counts.edges, skippedEdges, droppedMeta, access };
}

export async function buildAndVerify(source: unknown, options: object = {}) {
  const built = await build(source, options);
  return { ...built, problems: await verifyIndex(built.path) };
}

/** In the calling thread unless `options` says otherwise; closed at the end. */
export async function open(path: string, options: object = {}): Promise<Engine> {
  const engine = await Engine.open(path, { threads: 0, ...options });
  engines.push(engine);
  return engine;
}

export async function opened(source: unknown, options: object = {}): Promise<Engine> {
  return open((await build(source, options)).path);
}
