import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { appears, corank, end, jsonl, npy, start, temporaryFolder } from './corank.js';

const folder = temporaryFolder();
const at = (name: string): string => join(folder, name);
const rank = (args: readonly string[], input?: string) =>
  corank(['rank', ...args], { cwd: folder, ...(input === undefined ? {} : { input }) });
const lines = (text: string): string[] => text.split('\n').slice(0, -1);
const ada = { org: 'acme', grants: ['all'] };

beforeAll(async () => {
  const nodes = [
    { id: 'a', text: 'cat' },
    { id: 'b', text: 'cat dog' },
    { id: 'c', text: 'dog dog' },
  ];
  await jsonl(folder, 'nodes.jsonl', nodes);
  await jsonl(folder, 'spaced.jsonl', [{ id: 'a b', text: 'cow' }, ...nodes]);
  await jsonl(
    folder,
    'acl.jsonl',
    nodes.map(({ id }) => ({ id, org: 'acme', source: 'wiki', acl: ['all'] })),
  );
  await writeFile(
    at('docs.npy'),
    npy([
      [1, 0],
      [1, 1],
      [0, 1],
    ]),
  );
  await jsonl(folder, 'queries.jsonl', [
    { _id: 'q1', text: 'cat' },
    { _id: 'q2', text: 'dog' },
    { _id: 'q3', text: 'unheard' },
  ]);
  await jsonl(
    folder,
    'many.jsonl',
    Array.from({ length: 5000 }, (_, i) => ({ _id: `q${i}`, text: 'cat dog' })),
  );
  const index = (...args: string[]) => corank(['index', ...args, '--quiet'], { cwd: folder });
  await index('nodes.jsonl', '--out', 'open', '--embeddings', 'docs.npy', '--embedding-model', 'hand');
  await index('nodes.jsonl', '--out', 'scoped', '--acl', 'acl.jsonl');
  await index('spaced.jsonl', '--out', 'spaced');
});

describe('rank', () => {
  it('writes a TREC run in query order: qid Q0 docid rank score tag', async () => {
    const { code, stdout, stderr } = await rank(['open', '--queries', 'queries.jsonl', '--out', 'run.trec']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toMatch(/3 queries ranked into run\.trec/);
    const rows = lines(await readFile(at('run.trec'), 'utf8')).map((line) => line.split(' '));
    expect(rows.map(([q, q0, id, place, , tag]) => [q, q0, id, place, tag])).toEqual([
      ['q1', 'Q0', 'a', '1', 'default'],
      ['q1', 'Q0', 'b', '2', 'default'],
      ['q2', 'Q0', 'c', '1', 'default'],
      ['q2', 'Q0', 'b', '2', 'default'],
    ]);
    expect(rows.every(([, , , , score]) => String(Number(score)) === score)).toBe(true);
  });

  it('takes the format from the ending, a tag, topics, and k', async () => {
    await writeFile(at('topics.tsv'), 't1\tdog\n');
    await rank(['open', '--queries', 'topics.tsv', '--out', 'run.txt', '--tag', 'mine', '-k', '1']);
    expect(await readFile(at('run.txt'), 'utf8')).toMatch(/^t1 Q0 c 1 [\d.]+ mine\n$/);
    await rank(['open', '--queries', 'queries.jsonl', '--out', 'run.jsonl']);
    const results = lines(await readFile(at('run.jsonl'), 'utf8')).map((line) => JSON.parse(line));
    expect(results.map(({ id, candidates }) => [id, candidates.length])).toEqual([
      ['q1', 2],
      ['q2', 2],
      ['q3', 0],
    ]);
    expect(results[0].candidates[0].text).toBe('cat');
    await rank(['open', '--queries', 'queries.jsonl', '--out', 'run.arrow']);
    expect((await readFile(at('run.arrow'))).subarray(0, 6).toString()).toBe('ARROW1');
  });

  it('gives the same bytes with any number of threads', async () => {
    for (const threads of ['0', '1', '2']) {
      await rank([
        'open',
        '--queries',
        'many.jsonl',
        '--out',
        `t${threads}`,
        '--threads',
        threads,
        '--quiet',
      ]);
    }
    const [none, one, two] = await Promise.all(['t0', 't1', 't2'].map((name) => readFile(at(name))));
    expect(one!.equals(none!) && two!.equals(none!)).toBe(true);
  });

  it('streams from standard input to standard output', async () => {
    const input = '{"_id":"s","text":"cat"}\n';
    const { code, stdout, stderr } = await rank(['open', '--queries', '-', '--out', '-', '--quiet'], input);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(lines(stdout)).toHaveLength(2);
  });

  it('says what it skipped, and in how many queries', async () => {
    const args = ['open', '--queries', 'queries.jsonl', '--out', 'skipped.trec', '--retriever', 'hybrid'];
    expect((await rank(args)).stderr).toMatch(/skipped dense in 3 queries/);
  });
});

describe('a query that fails', () => {
  it('is listed in RUN.errors.jsonl, exit 1, and the others are complete', async () => {
    await writeFile(
      at('bad.jsonl'),
      '{"_id":"q1","text":"cat"}\nno json\n{"_id":"q2"}\n{"_id":"q3","text":"dog"}\n',
    );
    const { code, stderr } = await rank(['open', '--queries', 'bad.jsonl', '--out', 'bad.trec']);
    expect(code).toBe(1);
    expect(stderr).toContain('corank: 2 of 4 queries failed; see bad.trec.errors.jsonl\n');
    const failures = lines(await readFile(at('bad.trec.errors.jsonl'), 'utf8')).map((line) =>
      JSON.parse(line),
    );
    expect(failures).toMatchObject([
      { line: 2, code: 'INVALID_INPUT' },
      { line: 3, code: 'INVALID_INPUT', id: 'q2' },
    ]);
    const queries = new Set(lines(await readFile(at('bad.trec'), 'utf8')).map((line) => line.split(' ')[0]));
    expect([...queries]).toEqual(['q1', 'q3']);
    await rank(['open', '--queries', 'queries.jsonl', '--out', 'bad.trec']);
    expect(existsSync(at('bad.trec.errors.jsonl'))).toBe(false);
  });

  it('is a line on stderr when the run goes to stdout, or goes where --errors says', async () => {
    const input = '{"_id":"q1","text":"cat"}\nno json\n';
    const shown = await rank(['open', '--queries', '-', '--out', '-', '--quiet'], input);
    expect(shown).toMatchObject({ code: 1 });
    expect(shown.stderr).toMatch(/^corank: .*:2: not valid JSON/);
    await rank(['open', '--queries', '-', '--out', '-', '--errors', 'named.jsonl'], input);
    expect(lines(await readFile(at('named.jsonl'), 'utf8'))).toHaveLength(1);
    await rank(['open', '--queries', 'queries.jsonl', '--out', '-', '--errors', 'named.jsonl']);
    expect(await readFile(at('named.jsonl'), 'utf8')).toBe('');
  });

  it('is one whose result the format cannot express', async () => {
    const input = '{"_id":"q1","text":"cow"}\n{"_id":"q2","text":"cat"}\n';
    const { code, stdout, stderr } = await rank(['spaced', '--queries', '-', '--out', '-'], input);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^q2 Q0 /);
    expect(stderr).toMatch(/"a b".*jsonl/);
  });

  it('is the command that fails when no query can be asked for its sake', async () => {
    for (const [args, exit] of [
      [['scoped'], 4],
      [['scoped', '--principal', JSON.stringify(ada)], 4],
      [['open', '--principal', JSON.stringify(ada)], 4],
      [['open', '--retriever', 'pagerank'], 3],
      [['open', '--retriever', 'dense'], 1],
    ] as const) {
      const { code } = await rank([...args, '--queries', 'queries.jsonl', '--out', 'denied.trec']);
      expect({ args, code }).toEqual({ args, code: exit });
    }
    expect((await readdir(folder)).filter((name) => name.includes('denied'))).toEqual([]);
  });
});

describe("a query's own principal and sources", () => {
  it('are used exactly, null and empty included; without the key the command speaks', async () => {
    await jsonl(folder, 'own.jsonl', [
      { _id: 'command', text: 'cat' },
      { _id: 'own', text: 'cat', principal: ada, sources: ['wiki'] },
      { _id: 'stranger', text: 'cat', principal: { org: 'acme', grants: ['none'] } },
      { _id: 'null', text: 'cat', principal: null },
      { _id: 'empty', text: 'cat', sources: [] },
      { _id: 'nosources', text: 'cat', sources: null },
    ]);
    const caller = ['--principal', JSON.stringify(ada), '--sources', 'wiki'];
    const { code } = await rank(['scoped', '--queries', 'own.jsonl', '--out', 'own.run.jsonl', ...caller]);
    expect(code).toBe(1);
    const results = lines(await readFile(at('own.run.jsonl'), 'utf8')).map((line) => JSON.parse(line));
    expect(results.map(({ id, candidates }) => [id, candidates.length])).toEqual([
      ['command', 2],
      ['own', 2],
      ['stranger', 0],
    ]);
    const failures = lines(await readFile(at('own.run.jsonl.errors.jsonl'), 'utf8')).map((line) =>
      JSON.parse(line),
    );
    expect(failures.map((failure) => [failure.id, failure.code])).toEqual([
      ['null', 'NO_PRINCIPAL'],
      ['empty', 'NO_SOURCES'],
      ['nosources', 'NO_SOURCES'],
    ]);
  });
});

describe('query embeddings', () => {
  const dense = ['open', '--queries', 'queries.jsonl', '--retriever', 'dense'];

  it('go row by row with the queries', async () => {
    await writeFile(
      at('three.npy'),
      npy([
        [1, 0],
        [0, 1],
        [1, 1],
      ]),
    );
    const { code } = await rank([
      ...dense,
      '--query-embeddings',
      'three.npy',
      '--out',
      'dense.trec',
      '-k',
      '1',
    ]);
    expect(code).toBe(0);
    const rows = lines(await readFile(at('dense.trec'), 'utf8')).map((line) => line.split(' '));
    expect(rows.map(([query, , id]) => [query, id])).toEqual([
      ['q1', 'a'],
      ['q2', 'c'],
      ['q3', 'b'],
    ]);
    expect(rows.map((row) => Number(row[4]).toFixed(6))).toEqual(['1.000000', '1.000000', '1.000000']);
  });

  it('too few, too many, too long or of another model are bad data, and no run is written', async () => {
    await writeFile(
      at('two.npy'),
      npy([
        [1, 0],
        [0, 1],
      ]),
    );
    await writeFile(
      at('four.npy'),
      npy([
        [1, 0],
        [0, 1],
        [1, 1],
        [1, 1],
      ]),
    );
    await writeFile(
      at('long.npy'),
      npy([
        [1, 0, 0],
        [0, 1, 0],
        [1, 1, 0],
      ]),
    );
    for (const [args, message] of [
      [['two.npy'], /two\.npy has 2 rows/],
      [['four.npy'], /four\.npy has 4 rows.*3 queries/],
      [['long.npy'], /3 numbers.*2/],
      [['three.npy', '--embedding-model', 'other'], /"other".*"hand"/],
    ] as const) {
      const { code, stderr } = await rank([...dense, '--out', 'wrong.trec', '--query-embeddings', ...args]);
      expect({ args, code }).toEqual({ args, code: 3 });
      expect(stderr).toMatch(message);
    }
    expect((await readdir(folder)).filter((name) => name.includes('wrong'))).toEqual([]);
  });

  it('are of no use to a retriever without vectors, which is said', async () => {
    const args = ['open', '--queries', 'queries.jsonl', '--out', '-', '--retriever', 'bm25'];
    const { code, stderr } = await rank([...args, '--query-embeddings', 'two.npy', '--quiet']);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: 'corank: --query-embeddings has no effect on the retriever bm25\n',
    });
  });
});

describe('a run', () => {
  const temporary = (name: string): boolean => name.startsWith('.whole.trec.');

  it('appears whole: the old one stays until the new one is complete', async () => {
    await writeFile(at('whole.trec'), 'old');
    const child = start(['rank', 'open', '--queries', '-', '--out', 'whole.trec'], { cwd: folder });
    const ended = end(child);
    child.stdin.write('{"_id":"q1","text":"cat"}\n');
    await appears(folder, temporary);
    expect(await readFile(at('whole.trec'), 'utf8')).toBe('old');
    child.stdin.end();
    expect((await ended).code).toBe(0);
    expect(await readFile(at('whole.trec'), 'utf8')).toMatch(/^q1 Q0 a 1 /);
    expect((await readdir(folder)).filter(temporary)).toEqual([]);
  });

  it('is given up on Ctrl-C: exit 130, no temporary file, the old one untouched', async () => {
    await writeFile(at('whole.trec'), 'old');
    const child = start(['rank', 'open', '--queries', '-', '--out', 'whole.trec'], { cwd: folder });
    const ended = end(child);
    child.stdin.write('{"_id":"q1","text":"cat"}\nbad\n');
    await appears(folder, temporary);
    child.kill('SIGINT');
    expect(await ended).toEqual({ code: 130, stdout: '', stderr: 'corank: interrupted\n' });
    expect(await readFile(at('whole.trec'), 'utf8')).toBe('old');
    expect((await readdir(folder)).filter((name) => name.includes('whole'))).toEqual(['whole.trec']);
  });

  it('ends quietly when its reader leaves', async () => {
    const child = start(['rank', 'open', '--queries', 'many.jsonl', '--out', '-'], { cwd: folder });
    let stderr = '';
    child.stderr.on('data', (text) => {
      stderr += text;
    });
    const code = new Promise((resolve) => child.on('exit', resolve));
    child.stdout.once('data', () => child.stdout.destroy());
    expect(await code).toBe(0);
    expect(stderr).toBe('');
  });

  it('is never one of the files that the command reads', async () => {
    const { code, stderr } = await rank(['open', '--queries', 'queries.jsonl', '--out', './queries.jsonl']);
    expect(code).toBe(2);
    expect(stderr).toContain('different files');
  });
});
