import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tableFromIPC } from 'apache-arrow';
import { describe, expect, it } from 'vitest';
import { type BuildOptions, dense, type Node } from '../../dist/index.js';
import { verifyIndex } from '../../dist/memory/verify.js';
import { checksummed } from '../bad-input/damage.js';
import { built, column, openedAt, refusal, tableOf, temporaryFolder } from '../index/small-index.js';

// 127 is the largest of each row, so that whole numbers are kept as they are.
const NODES: Node[] = [
  { id: 'a', embedding: [127, -127, 3.25] },
  { id: 'b', embedding: [0, 254, 2] },
  { id: 'c' },
  { id: 'd', embedding: [0, 0, 0] },
];
type Form = NonNullable<BuildOptions['vectors']>;
const forms = { f32: make('f32'), int8: make('int8'), 'int8-only': make('int8-only') };

function make(vectors: Form) {
  return built({ nodes: NODES }, { embeddingModel: 'm', vectors });
}

/** A copy with some numbers of one table changed under right checksums; its path. */
async function changed(
  form: Form,
  table: string,
  name: string,
  edit: (values: Float32Array) => void,
): Promise<string> {
  const index = await forms[form];
  const path = join(temporaryFolder(), 'index');
  cpSync(index.path, path, { recursive: true });
  const file = join(path, index.generation, `${table}.arrow`);
  const bytes = Buffer.from(readFileSync(file));
  const data = tableFromIPC(bytes).getChild(name)!.data[0]!;
  // The values are a view of the bytes.
  edit((data.children[0] ?? data).values);
  writeFileSync(file, bytes);
  return checksummed(path);
}

describe('what an index keeps of vectors', () => {
  it('is said in the manifest, f32 unless asked for otherwise', async () => {
    for (const [form, index] of Object.entries(forms))
      expect((await index).manifest.embedding).toMatchObject({ dimension: 3, width: 16, vectors: form });
    const { manifest } = await built({ nodes: NODES }, { embeddingModel: 'm' });
    expect(manifest.embedding).toMatchObject({ vectors: 'f32' });
  });

  it('is a row of bytes per vector for int8, beside the numbers or instead of them', async () => {
    for (const form of ['int8', 'int8-only'] as const) {
      const table = tableOf(await forms[form], 'quantized');
      expect(table.schema.fields.map(({ name, type }) => `${name}: ${type}`)).toEqual([
        'scale: Float32',
        'residual: Float32',
        'value: FixedSizeList[16]<Int8>',
      ]);
      const zeros = new Array(13).fill(0);
      expect(column(table, 'value')).toEqual([
        [127, -127, 3, ...zeros],
        [0, 127, 1, ...zeros],
        [0, 0, 0, ...zeros],
      ]);
      expect(column(table, 'scale')).toEqual([1, 2, 0]);
      const [rest, ...none] = column(table, 'residual') as number[];
      expect(rest).toBeGreaterThanOrEqual(0.25);
      expect(rest).toBeLessThan(0.25 * (1 + 2 ** -20));
      expect(none).toEqual([0, 0]);
      const columns = tableOf(await forms[form], 'embeddings').schema.fields.map(({ name }) => name);
      expect(columns.includes('vector')).toBe(form === 'int8');
    }
    expect((await forms.f32).manifest.tables).not.toHaveProperty('quantized');
  });

  it('must have a known form', async () => {
    await refusal(make('f16' as Form), 'INVALID_INPUT', 'f32, int8 or int8-only', '"f16"');
  });

  it('may be nothing yet', async () => {
    for (const vectors of ['int8', 'int8-only'] as const) {
      const options = { dimension: 3, embeddingModel: 'm', vectors };
      const { path } = await built({ nodes: [{ id: 'a' }] }, options);
      expect(await verifyIndex(path)).toEqual([]);
      const asked = { text: 'x', principal: 'open', embedding: [1, 0, 0] };
      const engine = await openedAt(path);
      await refusal(engine.search(asked, { retriever: dense() }), 'EMBEDDINGS_UNAVAILABLE');
    }
  });
});

describe('int8 rows under right checksums', () => {
  it.each([
    ['scale', Number.NaN],
    ['scale', -1],
    ['scale', Number.POSITIVE_INFINITY],
    ['residual', Number.NaN],
    ['residual', -1],
  ])('are refused with a %s of %d', async (name, value) => {
    for (const form of ['int8', 'int8-only'] as const) {
      const path = await changed(form, 'quantized', name, (values) => values.fill(value, 1, 2));
      await refusal(openedAt(path), 'CORRUPT_INDEX', 'quantized', name);
    }
  });

  it('give the same answers with residuals that say nothing', async () => {
    const path = await changed('int8', 'quantized', 'residual', (values) => values.fill(Infinity));
    expect(await verifyIndex(path)).toEqual([]);
    const query = { text: 'x', principal: 'open', embedding: [1, 2, 3] };
    for (const metric of ['cosine', 'dot'] as const) {
      const answers = [];
      for (const at of [path, (await forms.f32).path]) {
        answers.push(await (await openedAt(at)).search(query, { retriever: dense({ metric }) }));
      }
      expect(answers[0]).toEqual(answers[1]);
      expect(answers[0]!.candidates).toHaveLength(3);
    }
  });

  it('are sound as they are built', async () => {
    for (const index of Object.values(forms)) expect(await verifyIndex((await index).path)).toEqual([]);
  });

  it.each<[Form, string, string, (values: Float32Array) => void, RegExp]>([
    ['int8', 'quantized', 'value', (values) => values.fill(-128, 0, 1), /row 0 holds -128/],
    ['int8-only', 'quantized', 'value', (values) => values.fill(-128, 0, 1), /row 0 holds -128/],
    ['int8', 'quantized', 'value', (values) => values.fill(1, 31, 32), /row 1 has numbers in its padding/],
    ['int8', 'quantized', 'value', (values) => values.fill(2, 2, 3), /residual of row 0 is too small/],
    ['int8', 'quantized', 'residual', (values) => values.fill(0.24, 0, 1), /residual of row 0 is too small/],
    ['int8', 'embeddings', 'vector', (values) => values.fill(250, 17, 18), /residual of row 1/],
    ['int8-only', 'quantized', 'value', (values) => values.fill(100, 17, 18), /residual of row 1/],
    ['int8-only', 'quantized', 'scale', (values) => values.fill(3, 1, 2), /residual of row 1/],
    ['int8-only', 'embeddings', 'norm', (values) => values.fill(1, 2, 3), /residual of row 2/],
  ])('of an index of %s: verify finds a changed %s %s', async (form, table, name, edit, problem) => {
    const found = await verifyIndex(await changed(form, table, name, edit));
    expect(found).toContainEqual({ table: 'quantized', problem: expect.stringMatching(problem) });
  });
});
