import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readBeirCorpus } from '../../src/ingest/beir.js';
import type { Dropped } from '../../src/ingest/node.js';
import { detectSource, readSource } from '../../src/ingest/sources.js';
import { collect, count, inputFolder, refusalOf, SHARED } from './files.js';

const files = inputFolder();
const folder = (name: string) => {
  mkdirSync(files.path(name), { recursive: true });
  return files.path(name);
};

describe('detectSource', () => {
  it('knows folders by their corpus and files by their ending', async () => {
    const dir = folder('beir');
    const corpus = files.write('beir/corpus.jsonl.gz', '{"_id":"a"}\n');
    expect(await detectSource(dir)).toEqual({ kind: 'beir', file: corpus });
    const csv = files.write('n.CSV.gz', '');
    expect(await detectSource(csv)).toEqual({ kind: 'csv', file: csv });
    const jsonl = files.write('n.jsonl', '');
    expect(await detectSource(jsonl)).toEqual({ kind: 'jsonl', file: jsonl });
  });

  it('refuses what it does not know, saying what is accepted', async () => {
    await refusalOf(
      () => detectSource(files.write('n.txt', '')),
      [/n\.txt: is of no known kind; .*BEIR folder.*\.csv/],
    );
    await refusalOf(() => detectSource(folder('bare')), [/bare: has no corpus\.jsonl/]);
    await refusalOf(() => detectSource(files.path('none')), [/none: .*no such file or folder/]);
  });
});

describe('readBeirCorpus', () => {
  it('refuses a folder with both forms of the corpus', async () => {
    const dir = folder('both');
    files.write('both/corpus.jsonl', '{"_id":"a"}\n');
    files.write('both/corpus.jsonl.gz', '{"_id":"a"}\n');
    await refusalOf(
      () => collect(readBeirCorpus(dir)),
      [/both: has both corpus\.jsonl and corpus\.jsonl\.gz/],
    );
  });

  it.each([
    ['2wiki-164', 7005],
    ['musique-100', 1890],
    ['cacm', 3204],
    ['scifact', 5183],
    ['cranfield', 1400],
  ])('reads all documents of %s', async (name, documents) => {
    const ids = new Set((await collect(readBeirCorpus(join(SHARED, name)))).map((node) => node.id));
    expect(ids.size).toBe(documents);
  });
});

describe('readSource', () => {
  it('gives nodes with their places, passing over blank lines', async () => {
    const path = files.write('s.jsonl', '{"id":"a"}\n\n  \n{"id":"b"}');
    expect(await collect(readSource(path))).toEqual([
      { node: { id: 'a' }, place: { file: path, line: 1, id: 'a' } },
      { node: { id: 'b' }, place: { file: path, line: 4, id: 'b' } },
    ]);
  });

  it('gives the nodes before a bad line, then names the line', async () => {
    const path = files.write('bad.jsonl', '{"id":"a"}\n{"id":\n');
    const seen: string[] = [];
    const read = async () => {
      for await (const { node } of readSource(path)) seen.push(node.id);
    };
    await refusalOf(read, [/bad\.jsonl:2: not valid JSON/]);
    expect(seen).toEqual(['a']);
  });

  it('believes the kind it is given', async () => {
    const path = files.write('export.txt', 'id,title\na,x\n');
    expect((await collect(readSource(path, 'csv'))).map(({ node }) => node.title)).toEqual(['x']);
    await refusalOf(() => collect(readSource(path, 'parquet' as 'csv')), [/"parquet" is no kind of source/]);
  });

  it('counts what it leaves out', async () => {
    const dropped: Dropped = { nested: 0 };
    const path = files.write('d.jsonl', '{"id":"a","metadata":{"x":[1]}}\n{"id":"b","metadata":{"x":{}}}\n');
    await collect(readSource(path, undefined, { dropped }));
    expect(dropped).toEqual({ nested: 2, first: { place: { file: path, line: 1, id: 'a' }, name: 'x' } });
  });

  it('reads all packages of debian-bookworm', async () => {
    expect(await count(readSource(join(SHARED, 'graphs/debian-bookworm/nodes.jsonl.gz')))).toBe(63_436);
  });

  it("rejects with the signal's reason", async () => {
    const path = files.write('a.jsonl', '{"id":"a"}\n');
    await expect(collect(readSource(path, 'jsonl', { signal: AbortSignal.abort('why') }))).rejects.toBe(
      'why',
    );
  });
});
