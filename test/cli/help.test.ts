import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { corank } from './corank.js';

const BUILT = ['index', 'search', 'rank', 'localize', 'walk', 'eval', 'inspect', 'verify'];

describe('help', () => {
  it('lists exactly the commands that are built, on stdout', async () => {
    const { code, stdout, stderr } = await corank(['--help']);
    const listed = stdout.slice(stdout.indexOf('Commands:'), stdout.indexOf('Examples:'));
    const names = [...listed.matchAll(/^ {2}([a-z]+)/gm)].map(([, name]) => name);
    expect({ code, stderr, names }).toEqual({ code: 0, stderr: '', names: [...BUILT, 'help'] });
  });

  it('gives every option of every command a default, or says that it is required', async () => {
    for (const command of BUILT) {
      const { code, stdout } = await corank(['help', command]);
      expect(code).toBe(0);
      const options = stdout
        .slice(stdout.indexOf('Options:'))
        .split(/\n(?= {2}-)/)
        .slice(1);
      const silent = options.filter((text) => !/default:|required|--help/.test(text));
      expect({ command, silent }).toEqual({ command, silent: [] });
    }
  });

  it('keeps quiet about what is not built', async () => {
    const texts = await Promise.all(BUILT.map(async (name) => (await corank([name, '--help'])).stdout));
    const absent = /--(budget|resume|gate)\b(?!-)/;
    expect(texts.join('').match(absent)).toBeNull();
    expect(texts.join('')).not.toMatch(/parquet/);
  });

  it('prints the version of the package', async () => {
    const text = await readFile(new URL('../../package.json', import.meta.url), 'utf8');
    const { code, stdout } = await corank(['--version']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${JSON.parse(text).version}\n` });
  });
});

describe('wrong usage', () => {
  const cases: [string, string[], RegExp][] = [
    ['no command', [], /Usage: corank/],
    ['an unknown command', ['frob'], /unknown command 'frob'[\s\S]*known commands: index, search, rank/],
    ['help for an unknown command', ['help', 'frob'], /unknown command 'frob'/],
    ['a command that is not built yet', ['update', 'x', 'y'], /unknown command 'update'/],
    ['an unknown option', ['search', 'x', 'y', '--frob'], /unknown option '--frob'[\s\S]*--retriever/],
    ['a missing argument', ['search', 'x'], /missing required argument 'query'/],
    ['one argument too many', ['inspect', 'x', 'y'], /too many arguments/],
    ['a missing option', ['rank', 'x', '--queries', 'q.jsonl'], /required option '--out <run>'/],
    [
      'an unknown retriever',
      ['search', 'x', 'y', '--retriever', 'annoy'],
      /default, bm25, dense, hnsw, hybrid/,
    ],
    ['seeds that are not built yet', ['search', 'x', 'y', '--seeds', 'hybrid'], /Allowed choices are bm25/],
    ['a k that is a fraction', ['search', 'x', 'y', '-k', '1.5'], /whole number/],
    ['a k that is no number', ['rank', 'x', '--queries', 'q', '--out', 'r', '-k', 'NaN'], /whole number/],
    ['a k above the depth', ['rank', 'x', '--queries', 'q', '--out', 'r', '-k', '201'], /--depth 201/],
    ['too many threads', ['search', 'x', 'y', '--threads', '257'], /--threads/],
    ['a setting without a value', ['search', 'x', 'y', '--set', 'bm25.k1'], /KEY=VALUE/],
    [
      'an unknown setting',
      ['search', 'x', 'y', '--set', 'bm25.k2=1'],
      /"bm25.k2"[\s\S]*bm25\.k1[\s\S]*rrf\.k/,
    ],
    ['an unknown field in a setting', ['search', 'x', 'y', '--set', 'bm25.b.foo=1'], /"bm25.b.foo"/],
    ['a setting that is no number', ['search', 'x', 'y', '--set', 'bm25.k1=much'], /must be a number/],
    [
      'a setting out of range',
      ['search', 'x', 'y', '--set', 'bm25.b=2'],
      /bm25\.b must be a number from 0 to 1/,
    ],
    ['a word that is none', ['search', 'x', 'y', '--set', 'bm25.form=both'], /fields, joined/],
    ['a walk from nowhere', ['walk', 'x'], /--seed ID or --query TEXT/],
    [
      'a walk from two things',
      ['walk', 'x', '--seed', 'a', '--query', 'b'],
      /--query.*--seed|--seed.*--query/,
    ],
    ['a walk one way from a text', ['walk', 'x', '--query', 'b', '--direction', 'forward'], /--direction/],
    [
      'an unknown strategy of seeds',
      ['localize', 'x', 'y', '--seeds', 'magic'],
      /substring, embedding, hybrid, bm25/,
    ],
    ['a depth that is a fraction', ['localize', 'x', 'y', '--depth', '1.5'], /whole number/],
    ['a damping of 1', ['walk', 'x', '--seed', 'a', '--damping', '1'], /--damping/],
    ['a seed of weight 0', ['walk', 'x', '--seed', 'a=0'], /weight of --seed/],
    ['an unknown measure', ['eval', '--qrels', 'q', 'r', '--measures', 'foo'], /nDCG/],
    [
      'vectors without their model',
      ['index', 'x', '--out', 'y', '--embeddings', 'e.npy'],
      /--embedding-model/,
    ],
    ['a field without a type', ['index', 'x', '--out', 'y', '--field', 'year'], /NAME:TYPE/],
    [
      'two outputs on stdout',
      ['rank', 'x', '--queries', 'q', '--out', '-', '--errors', '-'],
      /standard output/,
    ],
  ];

  it.each(cases)('%s is exit 2, said on stderr', async (_, args, message) => {
    const { code, stdout, stderr } = await corank(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  it('is told apart from data that cannot be read', async () => {
    for (const args of [
      ['search', '/nowhere/x', 'y'],
      ['inspect', '/nowhere/x'],
      ['verify', '/nowhere/x'],
      ['index', '/nowhere/x.jsonl', '--out', '/nowhere/y'],
      ['eval', '--qrels', '/nowhere/q', 'r'],
    ]) {
      const { code, stdout, stderr } = await corank(args);
      expect({ args, code, stdout }).toEqual({ args, code: 3, stdout: '' });
      expect(stderr).toMatch(/^corank: .*\/nowhere\//m);
    }
  });
});
