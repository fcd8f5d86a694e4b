import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readQueries } from '../../src/ingest/queries.js';
import { collect, inputFolder, refusalOf, SHARED } from './files.js';

const files = inputFolder();

async function entries(name: string, content: string | Uint8Array) {
  return collect(readQueries(files.write(name, content)));
}

async function query(json: string) {
  const [entry] = await entries('one.jsonl', json);
  if (entry === undefined || 'error' in entry) throw entry?.error ?? new Error('no entry');
  return entry.query;
}

describe('readQueries', () => {
  it('reads BEIR queries and leaves their metadata aside', async () => {
    const path = files.write(
      'q.jsonl.gz',
      '{"_id":"1","text":"what","metadata":{"answer":["x"]}}\n\n{"id":"2","text":""}\n',
    );
    expect(await collect(readQueries(path))).toEqual([
      { query: { id: '1', text: 'what' }, place: { file: path, line: 1, id: '1' } },
      { query: { id: '2', text: '' }, place: { file: path, line: 3, id: '2' } },
    ]);
  });

  it('reads TREC topics, with tabs in the text', async () => {
    const found = await entries('t.tsv', '51\tairbus  subsidies\r\n52\ta\tb\n');
    expect(found.map((entry) => 'query' in entry && entry.query)).toEqual([
      { id: '51', text: 'airbus  subsidies' },
      { id: '52', text: 'a\tb' },
    ]);
  });

  it('reads every key of a query', async () => {
    const principal = { org: 'acme', grants: ['x'] };
    const filters = [{ field: 'year', op: '>=', value: 1990 }];
    const record = { id: 'q', text: 't', principal, sources: ['a'], filters, embeddingModel: 'm', k: 5 };
    expect(await query(JSON.stringify({ ...record, embedding: [1, 0.5] }))).toEqual({
      ...record,
      embedding: Float32Array.of(1, 0.5),
    });
  });

  it('keeps principal and sources exactly as they are present, and absent when absent', async () => {
    const empty = await query('{"id":"q","text":"t","principal":null,"sources":null}');
    expect(Object.entries(empty)).toEqual([
      ['id', 'q'],
      ['text', 't'],
      ['principal', null],
      ['sources', null],
    ]);
    expect((await query('{"id":"q","text":"t","sources":[]}')).sources).toEqual([]);
    expect((await query('{"id":"q","text":"t","principal":""}')).principal).toBe('');
    const absent = await query('{"id":"q","text":"t"}');
    expect(Object.hasOwn(absent, 'principal') || Object.hasOwn(absent, 'sources')).toBe(false);
  });

  it.each([
    ['text that is not JSON', '{"id":', undefined, /not valid JSON/],
    ['no id', '{"text":"t"}', undefined, /has no id/],
    ['no text', '{"id":"q"}', 'q', /"q": has no text/],
    [
      'an unknown key',
      '{"id":"q","text":"t","pricipal":1}',
      'q',
      /unknown key "pricipal".*principal, sources/,
    ],
    ['a lone surrogate', '{"id":"q","text":"\\ud800"}', 'q', /text holds a lone surrogate/],
    ['sources that are a string', '{"id":"q","text":"t","sources":"a"}', 'q', /sources must be a list/],
    ['a k of 0', '{"id":"q","text":"t","k":0}', 'q', /k must be a whole number above 0, got 0/],
    ['a fraction as k', '{"id":"q","text":"t","k":1.5}', 'q', /k must be a whole number above 0, got 1\.5/],
    [
      'a vector with a hole',
      '{"id":"q","text":"t","embedding":[null]}',
      'q',
      /embedding\[0\] must be a finite/,
    ],
    [
      'a filter without operator',
      '{"id":"q","text":"t","filters":[{"field":"f","value":1}]}',
      'q',
      /op must be one of/,
    ],
    [
      'a filter with a typo',
      '{"id":"q","text":"t","filters":[{"feld":"f"}]}',
      'q',
      /unknown filter key "feld"/,
    ],
  ])('gives an entry for %s and goes on', async (_, line, id, says) => {
    const found = await entries(
      'bad.jsonl',
      `{"id":"first","text":"t"}\n${line}\n{"id":"last","text":"t"}\n`,
    );
    expect(found.map((entry) => ('query' in entry ? entry.query.id : entry.line))).toEqual([
      'first',
      2,
      'last',
    ]);
    const failure = found[1]!;
    if (!('error' in failure)) throw new Error('expected a failure');
    expect(failure.id).toBe(id);
    expect(failure.error.code).toBe('INVALID_INPUT');
    expect(failure.error.message).toMatch(/bad\.jsonl:2: /);
    expect(failure.error.message).toMatch(says);
  });

  it('gives an entry for a repeated id, a topic without tab and a line that is not UTF-8, in line order', async () => {
    const twice = await entries('twice.jsonl', '{"id":"q","text":"a"}\n{"_id":"q","text":"b"}\n');
    expect(twice[1]).toMatchObject({
      line: 2,
      id: 'q',
      error: { message: expect.stringMatching(/stands on line 1 already/) },
    });
    const topics = await entries(
      'bad.tsv',
      Buffer.concat([
        Buffer.from('no tab\n1\tx\n'),
        Buffer.from([0xff, 0x0a]),
        Buffer.from('2\ty\n'),
        Buffer.from([0xff]),
      ]),
    );
    expect(topics.map((entry) => ('query' in entry ? entry.query.id : -entry.line))).toEqual([
      -1,
      '1',
      -3,
      '2',
      -5,
    ]);
  });

  it('throws for a file that cannot be read at all', async () => {
    await refusalOf(() => collect(readQueries(files.path('none.jsonl'))), [/none\.jsonl: .*no such file/]);
    await refusalOf(
      () => collect(readQueries(files.path('q.xml'))),
      [/queries are read from \.jsonl\[\.gz\] or \.tsv/],
    );
  });

  it.each([
    ['2wiki-164', 164],
    ['musique-100', 100],
    ['cacm', 64],
    ['scifact', 300],
    ['cranfield', 225],
    ['code-hono', 120],
  ])('reads all queries of %s without a failure', async (name, expected) => {
    const found = await collect(readQueries(join(SHARED, name, 'queries.jsonl')));
    expect(found.filter((entry) => 'query' in entry)).toHaveLength(expected);
    expect(found).toHaveLength(expected);
  });
});
