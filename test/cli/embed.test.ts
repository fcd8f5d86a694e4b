import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { good, json, type LocalService, serving } from '../retrieve/embed/local-service.js';
import { corank, jsonl, temporaryFolder } from './corank.js';

const folder = temporaryFolder();
const KEY = 'sk-secret-4711';
const env = { CORANK_TEST_KEY: KEY };

/** Vectors that turn with the length of a text. */
const angle = (text: string) => [Math.cos(text.length), Math.sin(text.length)];

let service: LocalService;
let nodes: string;
const indexed = (name: string) => join(folder, name);

beforeAll(async () => {
  nodes = await jsonl(folder, 'nodes.jsonl', [
    { id: 'one', text: 'a' },
    { id: 'two', text: 'ab' },
    { id: 'three', text: 'abc' },
  ]);
  service = await serving((response, { body }) =>
    json(response, { data: body.input.map((text, index) => ({ index, embedding: angle(text) })) }),
  );
});

const index = (name: string, ...more: string[]) =>
  corank(['index', nodes, '--out', indexed(name), '--quiet', ...more], { env });

describe('--embed URL', () => {
  it('embeds nodes and queries, with the key and the kind, and stores neither key nor URL', async () => {
    const how = ['--embed', service.url, '--embed-key-env', 'CORANK_TEST_KEY', '--embed-input-type'];
    const built = await index('http', ...how, '--embedding-model', 'turn');
    expect(built).toMatchObject({ code: 0, stdout: '', stderr: '' });
    const asked = ['search', indexed('http'), 'xy', '--retriever', 'dense', '--json', ...how];
    const { code, stdout, stderr } = await corank(asked, { env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const { candidates } = JSON.parse(stdout);
    expect(candidates[0].id).toBe('two');
    expect(candidates[0].score).toBeCloseTo(1, 6);
    expect(
      service.asked.map(({ headers, body }) => [headers.authorization, body.model, body.input_type]),
    ).toEqual([
      [`Bearer ${KEY}`, 'turn', 'document'],
      [`Bearer ${KEY}`, 'turn', 'query'],
    ]);
    const [generation] = (await readdir(indexed('http'))).filter((name) => name.startsWith('gen-'));
    for (const file of await readdir(join(indexed('http'), generation!))) {
      const bytes = await readFile(join(indexed('http'), generation!, file), 'latin1');
      expect({ file, key: bytes.includes(KEY), url: bytes.includes(service.url.slice(7)) }).toEqual({
        file,
        key: false,
        url: false,
      });
    }
  });

  it('ranks a file of queries, http: before the URL allowed', async () => {
    const queries = await jsonl(folder, 'q.jsonl', [
      { _id: 'q1', text: 'xyz' },
      { _id: 'q2', text: 'x' },
    ]);
    const run = join(folder, 'run.trec');
    const args = [
      'rank',
      indexed('http'),
      '--queries',
      queries,
      '--out',
      run,
      '--retriever',
      'dense',
      '-k',
      '1',
    ];
    const { code, stderr } = await corank([...args, '--embed', `http:${service.url}`, '--quiet'], { env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const lines = (await readFile(run, 'utf8')).trimEnd().split('\n');
    expect(lines.map((line) => line.split(' ').slice(0, 3))).toEqual([
      ['q1', 'Q0', 'three'],
      ['q2', 'Q0', 'one'],
    ]);
  });

  it('says why when the service fails, never with the key', async () => {
    const cross = await serving((response) => response.writeHead(401).end(`no such key: ${KEY}`));
    const how = ['--embed', cross.url, '--embed-key-env', 'CORANK_TEST_KEY'];
    const built = await index('never', ...how, '--embedding-model', 'turn');
    expect(built.code).toBe(1);
    expect(built.stderr).toMatch(/"one" to "three" cannot be made.*answered 401: it does not take the key/);
    const alone = await corank(['search', indexed('http'), 'x', '--retriever', 'dense', ...how], { env });
    expect(alone.code).toBe(1);
    expect(alone.stderr).toMatch(/it does not take the key/);
    const both = await corank(['search', indexed('http'), 'ab', '--retriever', 'hybrid', '--jsonl', ...how], {
      env,
    });
    expect(both.code).toBe(0);
    expect(both.stderr).toMatch(/skipped dense: the vector half did not run: .*it does not take the key/);
    for (const { stdout, stderr } of [built, alone, both]) expect(stdout + stderr).not.toContain(KEY);
  });

  it('a model that the index has no vectors of finds none', async () => {
    const how = ['--embed', service.url, '--embedding-model', 'other', '--retriever', 'dense'];
    const { code, stderr } = await corank(['search', indexed('http'), 'x', ...how], { env });
    expect(code).toBe(1);
    expect(stderr).toMatch(/none of the query's model/);
  });
});

describe('wrong use of --embed is exit 2', () => {
  it.each([
    ['a name that is none', ['--embed', 'frob'], /"frob".*lsa, lsa:DIM, use-lite and URLs/],
    ['a URL without a model', ['--embed', 'http://127.0.0.1:9'], /--embedding-model/],
    ['a URL that is none', ['--embed', 'http://', '--embedding-model', 'm'], /URL/],
    [
      'a variable that is not set',
      ['--embed', 'http://127.0.0.1:9', '--embedding-model', 'm', '--embed-key-env', 'CORANK_NOT_SET'],
      /"CORANK_NOT_SET"/,
    ],
  ])('%s, for index', async (_, more, message) => {
    const { code, stderr } = await index('refused', ...more);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });

  it('the own model of an index is not to be replaced', async () => {
    const other = await jsonl(folder, 'words.jsonl', [
      { id: 'a', text: 'night shift' },
      { id: 'b', text: 'night work' },
      { id: 'c', text: 'shift work day' },
    ]);
    expect(
      (await corank(['index', other, '--out', indexed('own'), '--embed', 'lsa:2', '--quiet'])).code,
    ).toBe(0);
    for (const [how, message] of [
      ['lsa', /embeds queries by itself/],
      ['use-lite', /embeds queries by itself/],
      ['frob', /use-lite and URLs/],
    ] as const) {
      const { code, stderr } = await corank([
        'search',
        indexed('own'),
        'x',
        '--retriever',
        'dense',
        '--embed',
        how,
      ]);
      expect({ how, code }).toEqual({ how, code: 2 });
      expect(stderr).toMatch(message);
    }
  });

  it('says what has no effect', async () => {
    const silent = await serving(good);
    const how = ['--embed', silent.url, '--embed-key-env', 'CORANK_TEST_KEY', '--retriever', 'bm25'];
    const { code, stderr } = await corank(['search', indexed('http'), 'ab', ...how], { env });
    expect(code).toBe(0);
    expect(stderr).toMatch(/--embed has no effect on the retriever bm25/);
    expect(silent.asked).toEqual([]);
  });
});
