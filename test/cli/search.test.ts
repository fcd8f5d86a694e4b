import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { coloursOn } from '../../src/cli/stdout.js';
import { corank, jsonl, temporaryFolder } from './corank.js';

const folder = temporaryFolder();
const open = join(folder, 'open');
const scoped = join(folder, 'scoped');
const ada = '{"org":"acme","grants":["all"]}';

beforeAll(async () => {
  const nodes = await jsonl(folder, 'nodes.jsonl', [
    { id: 'a', title: 'One\u001b[2J', text: 'cat', meta: { year: 1960, lang: 'en', free: true } },
    { id: 'b', text: 'cat dog', meta: { year: 1970, lang: 'de', free: false } },
    { id: 'c', text: 'dog dog', meta: { year: 1980 } },
  ]);
  const acl = await jsonl(folder, 'acl.jsonl', [
    { id: 'a', org: 'acme', source: 'wiki', acl: ['all'] },
    { id: 'b', org: 'acme', source: 'mail', acl: ['all'] },
    { id: 'c', org: 'other', source: 'wiki', acl: ['all'] },
  ]);
  const fields = ['year:int', 'lang:string', 'free:bool'].flatMap((field) => ['--field', field]);
  const args = ['index', nodes, '--analyzer', 'plain', '--quiet', ...fields];
  await corank([...args, '--out', open]);
  await corank([...args, '--acl', acl, '--out', scoped]);
});

afterEach(() => {
  vi.unstubAllEnvs();
});

async function ids(args: readonly string[]): Promise<string[]> {
  const { code, stdout } = await corank(['search', ...args, '--json']);
  expect(code).toBe(0);
  return JSON.parse(stdout).candidates.map((candidate: { id: string }) => candidate.id);
}

describe('search', () => {
  it('prints exactly one JSON value with BM25 scores as the formula has them', async () => {
    const plain = ['bm25.form=joined', 'bm25.pairs=0', 'bm25.k1=0.9', 'bm25.b=0.4'].flatMap((s) => [
      '--set',
      s,
    ]);
    const { code, stdout, stderr } = await corank([
      'search',
      open,
      'dog',
      '--json',
      '--retriever',
      'bm25',
      ...plain,
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const { candidates, retriever } = JSON.parse(stdout);
    expect(retriever).toBe('bm25');
    // N 3, df 2; lengths: a "One 2J cat" 3, b 2, c 2.
    const idf = Math.log(1 + (3 - 2 + 0.5) / (2 + 0.5));
    const score = (tf: number, length: number): number =>
      (idf * tf * 1.9) / (tf + 0.9 * (1 - 0.4 + (0.4 * length) / (7 / 3)));
    expect(candidates.map((one: { id: string }) => one.id)).toEqual(['c', 'b']);
    expect(candidates[0].score).toBeCloseTo(score(2, 2), 12);
    expect(candidates[1].score).toBeCloseTo(score(1, 2), 12);
  });

  it('prints a candidate a line with --jsonl', async () => {
    const { stdout } = await corank(['search', open, 'cat', '--jsonl', '-k', '1']);
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([{ text: 'cat', id: 'a' }]);
  });

  it('shows a table that no id or title can turn into commands, without percentages', async () => {
    const { stdout } = await corank(['search', open, 'cat', '--explain']);
    expect(stdout).toContain('One\\u{1b}[2J');
    expect(stdout).not.toContain('\u001b');
    expect(stdout).not.toContain('%');
    expect(stdout).toMatch(/^ *1 {2}a +bm25:cat +\d/m);
  });

  it('explains a score by contributions that add up to it', async () => {
    const { stdout } = await corank([
      'search',
      open,
      'cat dog',
      '--json',
      '--explain',
      '--retriever',
      'bm25',
    ]);
    for (const { score, explain } of JSON.parse(stdout).candidates) {
      const sum = explain.reduce((total: number, { value }: { value: number }) => total + value, 0);
      expect(Math.abs(sum - score)).toBeLessThan(1e-9);
    }
  });

  it('clamps k to 50 and says so', async () => {
    const { code, stdout } = await corank(['search', open, 'cat', '--json', '-k', '51']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).skipped).toMatchObject([{ code: 'k_clamped' }]);
  });

  it('filters by the declared type before ranking', async () => {
    expect(await ids([open, 'cat dog', '--filter', 'year>=1970', '--filter', 'year<1980'])).toEqual(['b']);
    expect(await ids([open, 'cat dog', '--filter', 'lang=en'])).toEqual(['a']);
    expect(await ids([open, 'cat dog', '--filter', 'free != true'])).toEqual(['b']);
    expect(await ids([open, 'cat dog', '--filter', 'lang in en,fr'])).toEqual(['a']);
    expect((await ids([open, 'cat dog', '--filter', 'lang in ["en",null]'])).sort()).toEqual(['a', 'c']);
    expect((await ids([open, 'cat dog', '--filter', 'lang IS NOT NULL'])).sort()).toEqual(['a', 'b']);
    expect(await ids([open, 'cat dog', '--filter', 'lang is null'])).toEqual(['c']);
    for (const [filter, message] of [
      ['colour=red', /"colour".*year \(int\), lang \(string\), free \(bool\)/],
      ['year=soon', /declared as int/],
      ['year', /no condition/],
      ['year in', /no condition/],
      ['year in 1970,soon', /"soon" is none/],
      ['year in [1970', /no list in JSON/],
      ['lang in [["en"]]', /a list holds strings, numbers, true, false and null/],
    ] as const) {
      const { code, stdout, stderr } = await corank(['search', open, 'cat', '--filter', filter]);
      expect({ filter, code, stdout }).toEqual({ filter, code: 2, stdout: '' });
      expect(stderr).toMatch(message);
    }
  });

  it('accepts a known setting that the retriever does not use, with one line on stderr', async () => {
    const args = ['search', open, 'cat', '--json', '--retriever', 'bm25', '--set', 'pagerank.damping=0.5'];
    const { code, stdout, stderr } = await corank(args);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).candidates).toHaveLength(2);
    expect(stderr).toBe('corank: --set pagerank.damping has no effect on the retriever bm25\n');
  });

  it('fails when the only channel cannot run', async () => {
    const { code, stdout, stderr } = await corank(['search', open, 'cat', '--json', '--retriever', 'dense']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^corank: /);
  });

  it('says in the result which channel was skipped', async () => {
    const { code, stdout } = await corank(['search', open, 'cat', '--json', '--retriever', 'hybrid']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).skipped).toMatchObject([{ channel: 'dense' }]);
  });
});

describe('who asks', () => {
  it('sees what the principal may read in the sources asked for', async () => {
    expect(await ids([scoped, 'cat dog', '--principal', ada, '--sources', 'wiki,mail'])).toEqual(['b', 'a']);
    expect(await ids([scoped, 'cat dog', '--principal', ada, '--sources', 'wiki'])).toEqual(['a']);
    const file = await jsonl(folder, 'ada.json', [JSON.parse(ada)]);
    expect(await ids([scoped, 'cat dog', '--principal', file, '--sources', 'mail'])).toEqual(['b']);
  });

  it('is denied with exit 4, and nothing on stdout', async () => {
    for (const args of [
      [scoped, 'cat'],
      [scoped, 'cat', '--principal', ada],
      [scoped, 'cat', '--principal', ada, '--sources', ''],
      [scoped, 'cat', '--sources', 'wiki'],
      [scoped, 'cat', '--principal', 'null', '--sources', 'wiki'],
      [scoped, 'cat', '--principal', '{"org":"acme","grants":[]}', '--sources', 'wiki'],
      [open, 'cat', '--principal', ada],
      [open, 'cat', '--sources', 'wiki'],
    ]) {
      const { code, stdout, stderr } = await corank(['search', ...args, '--json']);
      expect({ args, code, stdout }).toEqual({ args, code: 4, stdout: '' });
      expect(stderr).toMatch(/^corank: .*--(principal|sources)/);
    }
  });

  it('must be readable: wrong JSON is usage, a missing file bad data', async () => {
    const ask = (principal: string) =>
      corank(['search', scoped, 'cat', '--sources', 'wiki', '--principal', principal]);
    expect((await ask('{"org":')).code).toBe(2);
    expect((await ask(join(folder, 'nobody.json'))).code).toBe(3);
  });
});

describe('colours', () => {
  it('are for terminals only, whatever FORCE_COLOR and CI say', async () => {
    const { stdout } = await corank(['search', open, 'cat'], { env: { FORCE_COLOR: '1', CI: '1' } });
    expect(stdout).not.toContain('\u001b');
  });

  it('are off when NO_COLOR is set to anything', () => {
    vi.stubEnv('TERM', 'xterm');
    vi.stubEnv('NO_COLOR', '');
    expect(coloursOn({ isTTY: true })).toBe(true);
    expect(coloursOn({})).toBe(false);
    vi.stubEnv('NO_COLOR', '0');
    expect(coloursOn({ isTTY: true })).toBe(false);
  });
});

describe('search --why-not', () => {
  it('tells people below the result, and programs within it', async () => {
    const args = ['search', open, 'dog', '--retriever', 'bm25', '-k', '1', '--why-not'];
    const { stdout } = await corank([...args, 'b']);
    expect(stdout).toContain('\nb: bm25 has it at rank 2; k is 1\nretriever  rank');
    const { whyNot } = JSON.parse((await corank([...args, 'a', '--json'])).stdout);
    expect(whyNot).toEqual({
      id: 'a',
      outcome: 'lost',
      message: 'bm25 returned 2 nodes without it',
      stages: [{ retriever: 'bm25', limit: 200, returned: 2, stages: [] }],
    });
  });

  it('has one line for hidden and unknown nodes, and no table', async () => {
    const args = ['search', scoped, 'dog', '--principal', ada, '--sources', 'wiki,mail', '--why-not'];
    for (const id of ['c', 'nobody']) {
      const { stdout } = await corank([...args, id]);
      expect(stdout.split('\n\n')[1]).toBe(`${id}: this caller sees no node of this id in these sources\n`);
    }
  });

  it('does not go with lines of candidates', async () => {
    expect((await corank(['search', open, 'dog', '--jsonl', '--why-not', 'a'])).code).toBe(2);
  });
});

describe('search --set hybrid.fusion', () => {
  const args = ['search', open, 'dog', '--retriever', 'hybrid', '--json'];

  it.each(['flatness', 'rrf', 'stretchedRrf', 'relativeScore', 'dbsf', 'alphaBlend'])(
    'knows %s',
    async (name) => {
      const { code, stdout } = await corank([...args, '--explain', '--set', `hybrid.fusion=${name}`]);
      expect(code).toBe(0);
      expect(JSON.stringify(JSON.parse(stdout).candidates[0].explain)).toContain(':bm25"');
    },
  );

  it('is implied by a setting of one fusion, and refused for another', async () => {
    const { stdout } = await corank([...args, '--explain', '--set', 'alphaBlend.alpha=0.25']);
    expect(JSON.parse(stdout).candidates[0].explain).toEqual([{ from: 'alpha:bm25', value: 0.75 }]);
    const both = ['--set', 'hybrid.fusion=rrf', '--set', 'dbsf.weights.bm25=2'];
    const { code, stderr } = await corank([...args, ...both]);
    expect({ code, stderr }).toMatchObject({ code: 2 });
    expect(stderr).toContain('the fusion is rrf: dbsf.weights.bm25 cannot be set');
    expect((await corank([...args, '--set', 'hybrid.fusion=max'])).code).toBe(2);
  });
});
