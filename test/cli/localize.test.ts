import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { corank, jsonl, temporaryFolder } from './corank.js';

const folder = temporaryFolder();
const code = join(folder, 'code');
const scoped = join(folder, 'scoped');

const symbol = (name: string, path: string) => ({ id: name, name, qualifiedName: name, path, startLine: 7 });

beforeAll(async () => {
  // The example of C.9.
  const nodes = [
    symbol('handler', 'h.go'),
    symbol('validator', 'v.go'),
    symbol('sanitizer', 's.go'),
    symbol('logger', 'l.go'),
  ];
  const edges = join(folder, 'edges.csv');
  await writeFile(
    edges,
    'src,dst,kind\nhandler,validator,CALLS\nvalidator,sanitizer,CALLS\nvalidator,logger,CO_CHANGE\n',
  );
  const file = await jsonl(folder, 'nodes.jsonl', nodes);
  await corank(['index', file, '--edges', edges, '--out', code, '--quiet']);
  const hidden = nodes.map((node, i) => ({ ...node, org: 'o', source: 's', acl: i === 0 ? [] : ['t'] }));
  const other = await jsonl(folder, 'scoped.jsonl', hidden);
  await corank(['index', other, '--edges', edges, '--out', scoped, '--quiet']);
});

async function json(...args: string[]) {
  const { code: exit, stdout } = await corank([...args, '--json']);
  expect(exit).toBe(0);
  return JSON.parse(stdout);
}

describe('localize', () => {
  it('prints what lies near the named nodes, as JSON and for people', async () => {
    const { candidates, seeds, skipped } = await json('localize', code, 'the Validator fails');
    const told = candidates.map((one: Record<string, unknown>) => [
      ...[one.id, one.score, one.distance, one.kinds],
    ]);
    // T = 2 ("validator", "fails"): 1 x 3 + 1 by name and qualified name, halved by every edge.
    expect(told).toEqual([
      ['validator', 4, 0, []],
      ['handler', 2, 1, ['CALLS']],
      ['sanitizer', 2, 1, ['CALLS']],
    ]);
    expect(seeds).toEqual([{ id: 'validator', score: 4, matched: ['name', 'qualifiedName'] }]);
    expect(skipped).toMatchObject([{ code: 'no_visible_vectors' }]);
    const { stdout } = await corank(['localize', code, 'validator', '--seeds', 'substring', '-k', '2']);
    expect(stdout).toBe(
      [
        'rank   score  distance  id         what       where',
        '   1  3.0000         0  validator  validator  v.go:7',
        '   2  1.5000         1  handler    handler    h.go:7',
        '',
      ].join('\n'),
    );
  });

  it('goes as far, and along such edges, as it is told', async () => {
    const ids = async (...args: string[]) =>
      (await json('localize', code, 'handler', ...args)).candidates.map(({ id }: { id: string }) => id);
    expect(await ids('--depth', '0')).toEqual(['handler']);
    expect(await ids('--depth', '1')).toEqual(['handler', 'validator']);
    expect(await ids('--kinds', 'CALLS,CO_CHANGE')).toEqual(['handler', 'validator', 'logger', 'sanitizer']);
  });

  it('says what it cannot do: blank text, no seeds, no vectors', async () => {
    expect(await corank(['localize', code, ' '])).toMatchObject({ code: 3, stdout: '' });
    const none = await corank(['localize', code, 'nothing of the sort']);
    expect(none).toMatchObject({ code: 1, stdout: '' });
    expect(none.stderr).toMatch(/no visible node/);
    const vectors = await corank(['localize', code, 'validator', '--seeds', 'embedding']);
    expect(vectors).toMatchObject({ code: 1, stdout: '' });
    expect(vectors.stderr).toMatch(/no seeds by vector/);
  });

  it('asks a scoped index for a caller, and gives a hidden name the words of an unknown one', async () => {
    expect(await corank(['localize', scoped, 'validator'])).toMatchObject({ code: 4, stdout: '' });
    const caller = ['--principal', '{"org":"o","grants":["t"]}', '--sources', 's'];
    const [hidden, unknown] = await Promise.all(
      ['handler', 'unheard-of'].map((text) => corank(['localize', scoped, text, ...caller])),
    );
    expect(hidden).toEqual(unknown);
    expect(hidden!.code).toBe(1);
    const seen = await json('localize', scoped, 'validator', ...caller);
    expect(seen.candidates.map(({ id }: { id: string }) => id)).toEqual(['validator', 'sanitizer']);
  });
});

describe('walk --query', () => {
  it('ranks from the nodes that a text names', async () => {
    const { candidates, seeds, iterations, residual } = await json('walk', code, '--query', 'validator');
    // From validator alone: 1 / (1 + d) stays there along edges to two ends, 1 / (1 + d) against the one from handler.
    const d = 0.85;
    expect(candidates[0].id).toBe('validator');
    expect(candidates[0].score).toBeCloseTo(2 / (1 + d), 8);
    expect(candidates[1]).toMatchObject({ id: 'handler' });
    expect(candidates[1].score).toBeCloseTo(d / (1 + d), 8);
    expect(candidates.slice(2).map(({ id }: { id: string }) => id)).toEqual(['logger', 'sanitizer']);
    expect(seeds).toHaveLength(1);
    expect(iterations.forward).toBeLessThanOrEqual(200);
    expect(residual.forward).toBeLessThanOrEqual(1e-9);
    const { stdout } = await corank(['walk', code, '--query', 'validator', '--seeds', 'bm25', '-k', '1']);
    expect(stdout).toMatch(/^rank {2}id +score/);
    expect(stdout).toMatch(/forward: \d+ iterations, residual/);
  });

  it('takes flags as the walk from given seeds does', async () => {
    const flags = ['--damping', '0', '--max-iterations', '5', '--seeds', 'substring'];
    const { candidates } = await json('walk', code, '--query', 'validator', ...flags);
    expect(candidates[0]).toMatchObject({ id: 'validator', score: 2 });
    const unused = await corank(['walk', code, '--seed', 'handler', '--seeds', 'substring']);
    expect(unused.code).toBe(0);
    expect(unused.stderr).toMatch(/--seeds has no effect without --query/);
  });
});
