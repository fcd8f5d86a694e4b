import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { corank, jsonl, temporaryFolder } from './corank.js';

const folder = temporaryFolder();
const tree = join(folder, 'tree');
const out = join(folder, 'out');

beforeAll(async () => {
  mkdirSync(join(tree, 'src'), { recursive: true });
  mkdirSync(join(tree, 'docs'), { recursive: true });
  writeFileSync(
    join(tree, 'src', 'router.js'),
    '/** Finds a route. */\nexport function matchRoute(path) {\n  return table.get(path);\n}\nexport function lose() {}\n',
  );
  writeFileSync(
    join(tree, 'src', 'app.js'),
    "import { matchRoute } from './router.js';\nexport class App {\n  handle(p) { return matchRoute(p); }\n}\n",
  );
  writeFileSync(join(tree, 'docs', 'guide.md'), 'how a route is matched\n');
});

const ids = (stdout: string): string[] => JSON.parse(stdout).candidates.map(({ id }: { id: string }) => id);

describe('index of a folder of source code', () => {
  it('is detected, says what it found, and answers with symbols', async () => {
    const { code, stderr } = await corank(['index', tree, '--out', out]);
    expect(code).toBe(0);
    expect(stderr).toContain('as code');
    expect(stderr).toMatch(/symbols\s+4/);
    expect(stderr).toMatch(/calls\s+1 resolved, 0 inferred, 1 unresolved/);
    const found = await corank(['search', out, 'match a route', '--json']);
    expect(ids(found.stdout)[0]).toBe('src/router.js#matchRoute');
    const table = await corank(['search', out, 'match a route']);
    expect(table.stdout).toContain('2-4 function matchRoute(path)');
  });

  it('shows files, or both, on request', async () => {
    const files = await corank(['search', out, 'match a route', '--json', '--surface', 'files']);
    expect(ids(files.stdout).sort()).toEqual(['docs/guide.md', 'src/app.js', 'src/router.js']);
    const all = await corank(['search', out, 'match a route', '--json', '--surface', 'all']);
    expect(ids(all.stdout)).toEqual(expect.arrayContaining(['src/router.js', 'src/router.js#matchRoute']));
  });

  it('leaves out what it is told to, with a count', async () => {
    const args = [
      'index',
      tree,
      '--from',
      'code',
      '--out',
      join(folder, 'less'),
      '--exclude',
      'docs/',
      '--json',
    ];
    const { code: report } = JSON.parse((await corank(args)).stdout);
    expect(report).toMatchObject({ files: 2, symbols: 4, skipped: { excluded: 1 } });
  });

  it('takes access columns by patterns of paths, and refuses one that matches nothing', async () => {
    const rows = [
      { id: '*', org: 'o', source: 's', acl: ['all'] },
      { id: 'src/app.js', org: 'o', source: 's', acl: ['boss'] },
    ];
    const acl = await jsonl(folder, 'acl.jsonl', rows);
    const scoped = join(folder, 'scoped');
    expect((await corank(['index', tree, '--out', scoped, '--acl', acl])).code).toBe(0);
    const asked = [
      'search',
      scoped,
      'match a route',
      '--json',
      '--surface',
      'all',
      '--sources',
      's',
      '--principal',
    ];
    const seen = await corank([...asked, '{"org":"o","grants":["all"]}']);
    expect(ids(seen.stdout).some((id) => id.startsWith('src/app.js'))).toBe(false);
    const boss = await corank([...asked, '{"org":"o","grants":["boss"]}']);
    expect(ids(boss.stdout).every((id) => id.startsWith('src/app.js'))).toBe(true);
    const idle = await jsonl(folder, 'idle.jsonl', [...rows, { ...rows[0]!, id: 'nowhere/' }]);
    const refused = await corank(['index', tree, '--out', join(folder, 'x'), '--acl', idle]);
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain('nowhere/');
  });

  it('adds what git knows as fields, and says where there is no history', async () => {
    const none = await corank(['index', tree, '--out', join(folder, 'no-git'), '--git']);
    expect(none.code).toBe(3);
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
        cwd: tree,
        stdio: 'pipe',
      });
    git('init', '-q');
    git('add', 'src/router.js');
    git('commit', '-qm', 'one');
    git('add', '.');
    git('commit', '-qm', 'two');
    const withGit = join(folder, 'git');
    expect((await corank(['index', tree, '--out', withGit, '--git'])).code).toBe(0);
    const found = await corank(['search', withGit, 'match a route', '--json', '--filter', 'churn>=1']);
    const { meta } = JSON.parse(found.stdout).candidates[0];
    expect(meta).toMatchObject({ churn: 1, exported: true, changed: expect.any(Number) });
  });

  it('goes with nothing else', async () => {
    expect((await corank(['index', tree, tree, '--out', join(folder, 'y')])).code).toBe(2);
    const edges = ['index', tree, '--edges', 'e.csv', '--out', join(folder, 'y')];
    expect((await corank(edges)).code).toBe(2);
  });
});
