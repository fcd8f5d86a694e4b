import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ExtractionOptions, tableFromIPC } from '@uwdata/flechette';
import { describe, expect, it } from 'vitest';
import type { Edge, Node } from '../../dist/index.js';
import { built, column, tableOf } from './small-index.js';

/** Every table and every type of column, with missing values, empty lists and bytes beyond ASCII. */
const NODES: Node[] = [
  { id: 'b', title: 'Beta', text: 'the night shift', documentId: 'd', ordinal: 2, acl: ['x', 'y'] },
  { id: 'a', name: 'getUserName', text: 'late \u{1f600}', startLine: 3, meta: { year: 2001 }, acl: [] },
  { id: 'é', acl: ['y'], embedding: [3, 4], embeddingModel: 'm', meta: { lang: 'dé', draft: true } },
].map((node): Node => ({ ...node, org: 'acme', source: 'wiki' }) as Node);
const EDGES: Edge[] = [
  { from: 'b', to: 'a', kind: 'cites', weight: 0.1, provenance: 'parser', confidence: 0.5 },
  { from: 'a', to: 'a', fields: { note: 'é' } },
];
const index = built(
  { nodes: NODES, edges: EDGES },
  {
    fields: [
      { name: 'year', type: 'int' },
      { name: 'lang', type: 'string' },
      { name: 'draft', type: 'bool' },
    ],
  },
);

const files = async (): Promise<string[]> => {
  const { path, generation } = await index;
  const folder = join(path, generation);
  return readdirSync(folder)
    .filter((name) => name.endsWith('.arrow'))
    .map((name) => join(folder, name));
};

/** Bytes and lists as plain arrays. */
const plain = (value: unknown): unknown => {
  if (ArrayBuffer.isView(value)) return [...(value as Uint8Array)].map(plain);
  return Array.isArray(value) ? value.map(plain) : value;
};

describe('flechette', () => {
  it('reads every table, with the values that apache-arrow reads', async () => {
    const tables = await files();
    expect(tables.length).toBe(13);
    const options: ExtractionOptions = { useBigInt: false };
    for (const file of tables) {
      const other = tableFromIPC(readFileSync(file), options);
      const name = file.slice(file.lastIndexOf('/') + 1, -'.arrow'.length);
      const ours = tableOf(await index, name);
      expect([name, other.numRows, other.names]).toEqual([
        name,
        ours.numRows,
        ours.schema.fields.map((field) => field.name),
      ]);
      for (const field of other.names) {
        const values = Array.from(other.getChild(field)!, plain);
        expect([name, field, values]).toEqual([name, field, column(ours, field).map(plain)]);
      }
    }
  });
});

const PYTHON = process.env.CORANK_PYTHON ?? 'python3';
const hasPyarrow = spawnSync(PYTHON, ['-c', 'import pyarrow']).status === 0;

describe.skipIf(!hasPyarrow)('pyarrow', () => {
  it('opens every table and finds nothing wrong in a full validation', async () => {
    const program = `
import sys, pyarrow as pa, pyarrow.ipc as ipc
for path in sys.argv[1:]:
    table = ipc.open_file(pa.memory_map(path)).read_all()
    table.validate(full=True)
    print(table.num_rows)
`;
    const tables = await files();
    const { status, stdout, stderr } = spawnSync(PYTHON, ['-c', program, ...tables], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const rows = await Promise.all(
      tables.map(async (file) => tableOf(await index, file.slice(file.lastIndexOf('/') + 1, -6)).numRows),
    );
    expect(stdout.trim().split('\n').map(Number)).toEqual(rows);
  });
});
