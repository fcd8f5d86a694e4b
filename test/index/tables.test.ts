import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { fc, it as property } from '@fast-check/vitest';
import { tableFromIPC } from 'apache-arrow';
import { describe, expect, it } from 'vitest';
import type { Edge, IndexSource, Node } from '../../dist/index.js';
import { built, column, tableOf } from './small-index.js';

const NODES: Node[] = [
  {
    id: 'b',
    kind: 'passage',
    title: 'Beta',
    text: 'twelve chars',
    uri: 'https://b',
    ordinal: 2,
    meta: { year: 1999, lang: 'en', draft: true },
    org: 'acme',
    source: 'wiki',
    acl: ['role:b', 'everyone'],
  },
  {
    id: 'a',
    name: 'alpha',
    text: 'x',
    startLine: 3,
    endLine: 3,
    tokenEstimate: 40,
    meta: { year: 2001 },
    org: 'acme',
    source: 'handbook',
    acl: [],
  },
  { id: '\u{1f600}', org: 'globex', source: 'wiki', acl: ['everyone'], embedding: [3, 4], meta: {} },
];

const EDGES: Edge[] = [
  { from: 'b', to: 'a', kind: 'cites', weight: 2, provenance: 'parser', confidence: 0.5 },
  { from: 'a', to: 'a', kind: 'cites' },
  { from: 'b', to: 'a', kind: 'calls', fields: { note: 'first' } },
  { from: 'a', to: '\u{1f600}' },
];

const index = built(
  { nodes: NODES, edges: EDGES },
  {
    embeddingModel: 'unit',
    fields: [
      { name: 'year', type: 'int' },
      { name: 'lang', type: 'string' },
      { name: 'draft', type: 'bool' },
    ],
  },
);

describe('what other Arrow tools read', () => {
  it('is a row per node in id order, with the fields of a citation', async () => {
    const nodes = tableOf(await index, 'nodes');
    expect(column(nodes, 'id')).toEqual(['a', 'b', '\u{1f600}']);
    expect(column(nodes, 'kind')).toEqual([null, 'passage', null]);
    expect(column(nodes, 'title')).toEqual([null, 'Beta', null]);
    expect(column(nodes, 'name')).toEqual(['alpha', null, null]);
    expect(column(nodes, 'uri')).toEqual([null, 'https://b', null]);
    expect(column(nodes, 'ordinal')).toEqual([null, 2, null]);
    expect(column(nodes, 'startLine')).toEqual([3, null, null]);
    expect(column(nodes, 'endLine')).toEqual([3, null, null]);
    // Unless given: the length of the text over 4, rounded up.
    expect(column(nodes, 'tokenEstimate')).toEqual([40, Math.ceil('twelve chars'.length / 4), 0]);
    expect((column(nodes, 'meta') as (string | null)[]).map((meta) => meta && JSON.parse(meta))).toEqual([
      { year: 2001 },
      { year: 1999, lang: 'en', draft: true },
      null,
    ]);
  });

  it('has a nullable column per declared field', async () => {
    const filters = tableOf(await index, 'filters');
    expect(column(filters, 'year')).toEqual([2001, 1999, null]);
    expect(column(filters, 'lang')).toEqual([null, 'en', null]);
    expect(column(filters, 'draft')).toEqual([null, 1, null]);
  });

  it('names who may read a row by places in a sorted list of labels', async () => {
    const labels = column(tableOf(await index, 'labels'), 'label') as string[];
    expect(labels).toEqual([...labels].sort());
    const classes = tableOf(await index, 'classes');
    const named = (codes: unknown) => (codes as number[]).map((code) => labels[code]);
    const rows = column(tableOf(await index, 'access'), 'class') as number[];
    const byRow = (name: string) => rows.map((code) => column(classes, name)[code]);
    expect(named(byRow('org'))).toEqual(['acme', 'acme', 'globex']);
    expect(named(byRow('source'))).toEqual(['handbook', 'wiki', 'wiki']);
    expect((byRow('acl') as number[][]).map(named)).toEqual([[], ['everyone', 'role:b'], ['everyone']]);
  });

  it('has one class for all rows that the same callers may read, in the order of their labels', async () => {
    const access = (acl: string[], org = 'b') => ({ org, source: 's', acl });
    const nodes = [
      { id: '1', ...access(['y', 'x']) },
      { id: '2', ...access(['x']) },
      { id: '3', ...access(['x', 'y', 'x']) },
      { id: '4', ...access(['x'], 'a') },
      { id: '5', ...access([]) },
    ];
    const report = await built({ nodes });
    expect(column(tableOf(report, 'access'), 'class')).toEqual([3, 2, 3, 0, 1]);
    expect(column(tableOf(report, 'classes'), 'acl')).toEqual([[3], [], [3], [3, 4]]);
    expect(column(tableOf(report, 'labels'), 'label')).toEqual(['a', 'b', 's', 'x', 'y']);
  });

  it('lists edges by from, to and kind, self loops included, a link when no kind is named', async () => {
    const kinds = column(tableOf(await index, 'kinds'), 'kind') as string[];
    expect(kinds).toEqual(['calls', 'cites', 'link']);
    const edges = tableOf(await index, 'edges');
    expect(column(edges, 'from')).toEqual([0, 0, 1, 1]);
    expect(column(edges, 'to')).toEqual([0, 2, 0, 0]);
    expect((column(edges, 'kind') as number[]).map((code) => kinds[code])).toEqual([
      'cites',
      'link',
      'calls',
      'cites',
    ]);
    expect(column(edges, 'weight')).toEqual([1, 1, 1, 2]);
    expect(column(edges, 'provenance')).toEqual([null, null, null, 'parser']);
    expect(column(edges, 'confidence')).toEqual([null, null, null, 0.5]);
    expect(column(edges, 'fields')).toEqual([null, null, '{"note":"first"}', null]);
  });

  it('lists the neighbours of each node in both directions, self loops left out', async () => {
    const out = tableOf(await index, 'out');
    const into = tableOf(await index, 'in');
    expect(column(out, 'node')).toEqual([[2], [0, 0], []]);
    expect(column(out, 'edge')).toEqual([[1], [2, 3], []]);
    expect(column(out, 'weight')).toEqual([[1], [1, 2], []]);
    expect(column(into, 'node')).toEqual([[1, 1], [], [0]]);
    expect(column(into, 'edge')).toEqual([[2, 3], [], [1]]);
  });

  it('holds vectors as given, padded to 16 numbers, with their norm', async () => {
    const vectors = tableOf(await index, 'embeddings');
    expect(column(vectors, 'row')).toEqual([2]);
    expect(column(vectors, 'vector')).toEqual([[3, 4, ...new Array(14).fill(0)]]);
    expect(column(vectors, 'norm')).toEqual([Math.hypot(3, 4)]);
    expect((await index).manifest.embedding).toEqual({
      dimension: 2,
      width: 16,
      model: 'unit',
      models: ['unit'],
      vectors: 'f32',
    });
  });

  it('matches the sizes and checksums of the manifest, every file listed and no other', async () => {
    const { path, generation, manifest } = await index;
    const files = readdirSync(join(path, generation)).filter((name) => name !== 'manifest.json');
    expect(files.sort()).toEqual(
      Object.values(manifest.tables)
        .map(({ file }) => file)
        .sort(),
    );
    for (const { file, size, crc32: crc, sha256, rows } of Object.values(manifest.tables)) {
      const bytes = readFileSync(join(path, generation, file));
      expect([bytes.length, crc32(bytes), createHash('sha256').update(bytes).digest('hex')]).toEqual([
        size,
        crc,
        sha256,
      ]);
      const table = tableFromIPC(bytes);
      expect(table.batches).toHaveLength(1);
      expect(table.numRows).toBe(rows);
    }
    expect(JSON.parse(readFileSync(join(path, generation, 'manifest.json'), 'utf8'))).toEqual(manifest);
  });

  it('counts what the tables hold', async () => {
    expect((await index).manifest).toMatchObject({
      access: 'scoped',
      edges: true,
      counts: { nodes: 3, edges: 4, vectors: 1 },
    });
  });
});

const graph = fc
  .uniqueArray(fc.string({ unit: 'binary', minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 7 })
  .chain((ids) =>
    fc.record({
      ids: fc.constant(ids),
      edges: fc.array(
        fc.record({
          from: fc.constantFrom(...ids),
          to: fc.constantFrom(...ids),
          kind: fc.constantFrom('a', 'b'),
          weight: fc.constantFrom(0.5, 1, 2),
        }),
        { maxLength: 12 },
      ),
      shuffle: fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })).map((s) => [...s.take(40)]),
    }),
  );

property.prop([graph], { numRuns: 20, seed: 1, endOnFailure: true })(
  'is the same, bit for bit, whatever the order of nodes and edges',
  async ({ ids, edges, shuffle }) => {
    const nodes: Node[] = ids.map((id, i) => ({
      id,
      text: `text ${i} ${'word '.repeat(i)}`,
      embedding: [i, 1],
      embeddingModel: i % 2 === 0 ? 'even' : 'odd',
    }));
    const shuffled = <T>(list: readonly T[]): T[] =>
      list
        .map((value, i) => ({ value, key: shuffle[i % shuffle.length]! }))
        .sort((a, b) => a.key - b.key)
        .map(({ value }) => value);
    const sums = async (source: IndexSource) =>
      Object.entries((await built(source, { embeddingModel: 'even' })).manifest.tables).map(
        ([name, { sha256 }]) => [name, sha256],
      );
    expect(await sums({ nodes: shuffled(nodes), edges: shuffled(edges) })).toEqual(
      await sums({ nodes, edges }),
    );
  },
);
