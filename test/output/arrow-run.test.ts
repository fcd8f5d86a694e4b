import { fc, test } from '@fast-check/vitest';
import { type Table, tableFromIPC } from 'apache-arrow';
import { describe, expect, it } from 'vitest';
import { ArrowRunWriter } from '../../src/output/arrow-run.js';
import type { RunResult } from '../../src/output/candidate-json.js';
import { anyResults, candidate, result } from './results.js';

async function bytesOf(results: readonly RunResult[]): Promise<Uint8Array[]> {
  const chunks: Uint8Array[] = [];
  const writer = new ArrowRunWriter(async (chunk) => void chunks.push(chunk.slice()));
  for (const one of results) await writer.add(one);
  await writer.finish();
  return chunks;
}

const read = async (results: readonly RunResult[]) => tableFromIPC(Buffer.concat(await bytesOf(results)));

const rowsOf = (table: Table) => table.toArray().map((row) => row.toJSON());

const expectedRows = (results: readonly RunResult[]) =>
  results.flatMap(({ id: query, candidates }) =>
    candidates.map(({ id, score, retriever }, i) => ({ query, id, rank: i + 1, score, retriever })),
  );

describe('ArrowRunWriter', () => {
  it('has the columns query, id, rank, score and retriever, none of them a dictionary or nullable', async () => {
    const { schema } = await read([result('q', [candidate('a', 1)])]);
    expect(schema.fields.map(({ name, type, nullable }) => `${name} ${type} ${nullable}`)).toEqual([
      'query Utf8 false',
      'id Utf8 false',
      'rank Uint32 false',
      'score Float64 false',
      'retriever Utf8 false',
    ]);
  });

  it('is an Arrow file, magic at both ends', async () => {
    const bytes = Buffer.concat(await bytesOf([result('q', [candidate('a', 1)])]));
    expect(bytes.subarray(0, 6).toString()).toBe('ARROW1');
    expect(bytes.subarray(-6).toString()).toBe('ARROW1');
  });

  it('writes a run without rows as the schema alone', async () => {
    for (const results of [[], [result('q', [])]]) {
      const table = await read(results);
      expect([table.numRows, table.numCols]).toEqual([0, 5]);
    }
  });

  test.prop([anyResults(fc.string({ unit: 'binary', minLength: 1 }))])(
    'reads back bit for bit',
    async (results) => {
      expect(rowsOf(await read(results))).toEqual(expectedRows(results));
    },
  );

  it('writes bounded batches as it goes, the same bytes every time', async () => {
    const results = Array.from({ length: 50 }, (_, q) =>
      result(
        `q${q}`,
        Array.from({ length: 1000 }, (_, d) => candidate(`d${d}`, 1 / (d + 1), { retriever: 'é' })),
      ),
    );
    const chunks = await bytesOf(results);
    expect(chunks).toHaveLength(Math.ceil(50_000 / 16_384) + 1);
    const table = tableFromIPC(Buffer.concat(chunks));
    expect(table.batches.map(({ numRows }) => numRows)).toEqual([
      16_384,
      16_384,
      16_384,
      50_000 - 3 * 16_384,
    ]);
    expect(rowsOf(table)).toEqual(expectedRows(results));
    expect(Buffer.concat(await bytesOf(results)).equals(Buffer.concat(chunks))).toBe(true);
  });

  it('ends a batch early when its ids are long', async () => {
    const long = 'x'.repeat(1 << 20);
    const results = Array.from({ length: 9 }, (_, i) => result(`q${i}`, [candidate(long, 1)]));
    expect((await read(results)).batches.map(({ numRows }) => numRows)).toEqual([4, 4, 1]);
  });

  it('takes nothing of a result that it refuses', async () => {
    const chunks: Uint8Array[] = [];
    const writer = new ArrowRunWriter(async (chunk) => void chunks.push(chunk));
    await expect(writer.add(result('q', [candidate('a', 1), candidate('b', Number.NaN)]))).rejects.toThrow(
      'a score of "b" is not finite',
    );
    await expect(writer.add(result('q', [candidate('a', 1), candidate('\ud800', 1)]))).rejects.toThrow(
      'lone surrogate',
    );
    await writer.finish();
    expect(tableFromIPC(Buffer.concat(chunks)).numRows).toBe(0);
  });
});
