import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { corank, temporaryFolder } from './corank.js';

const folder = temporaryFolder();
const run = (...args: string[]) => corank(args, { cwd: folder });
const lines = (records: readonly object[]) => records.map((one) => `${JSON.stringify(one)}\n`).join('');

beforeAll(async () => {
  await writeFile(
    join(folder, 'nodes.jsonl'),
    lines([
      { id: 'a', name: 'Session', kind: 'type', path: 'a/session.go', text: 'session' },
      { id: 'b', name: 'urlSession', kind: 'method', path: 'b/url_test.go', text: 'session session' },
      { id: 'c', name: 'caller', kind: 'function', path: 'c/c.go', text: 'other' },
    ]),
  );
  await writeFile(join(folder, 'edges.csv'), 'src,dst,kind\nc,a,calls\n');
  await writeFile(
    join(folder, 'queries.jsonl'),
    lines([
      { _id: 'q1', text: 'Session' },
      { _id: 'q2', text: 'other' },
    ]),
  );
  await writeFile(join(folder, 'qrels.tsv'), 'query-id\tcorpus-id\tscore\nq1\ta\t1\nq2\tc\t1\n');
  const { code, stderr } = await run(
    'index',
    'nodes.jsonl',
    '--edges',
    'edges.csv',
    '--out',
    'x.corank',
    '--quiet',
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});

describe('--rerank', () => {
  it('puts the hits in order by signals, and explains them', async () => {
    const { code, stdout, stderr } = await run(
      'search',
      'x.corank',
      'Session',
      '--rerank',
      '--explain',
      '--json',
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const { retriever, candidates } = JSON.parse(stdout);
    expect(retriever).toBe('rerank');
    expect(candidates[0].id).toBe('a');
    const bias = candidates[0].explain.find(
      ({ from }: { from: string }) => from === 'rerank:definition_bias',
    );
    expect(bias).toEqual({ from: 'rerank:definition_bias', value: 0.6, raw: 1 });
    const churn = candidates[0].explain.find(({ from }: { from: string }) => from === 'rerank:churn');
    expect(churn).toEqual({ from: 'rerank:churn', value: 0, absent: expect.stringContaining('no churn') });
  });

  it('shows what is absent in the table', async () => {
    const { stdout } = await run('search', 'x.corank', 'Session', '--rerank', '--explain');
    expect(stdout).toMatch(/rerank:recency: no lastAuthored is known +absent$/m);
  });

  it('takes weights and parameters, and leaves signals out', async () => {
    const args = ['search', 'x.corank', 'Session', '--rerank', '--explain', '--json'];
    const set = [
      '--set',
      'rerank.weights.bm25=3',
      '--set',
      'rerank.blend=class',
      '--ablate',
      'definition_bias,fan_in',
    ];
    const { stdout } = await run(...args, ...set);
    const told = new Map(
      JSON.parse(stdout).candidates[0].explain.map(({ from, value }: { from: string; value: number }) => [
        from,
        value,
      ]),
    );
    expect(told.get('rerank:bm25')).toBeGreaterThan(3.5 * (61 / 62));
    expect([told.has('rerank:definition_bias'), told.has('rerank:fan_in')]).toEqual([false, false]);
  });

  it('ranks batches', async () => {
    const out = ['--queries', 'queries.jsonl', '--out', '-', '--rerank', '--quiet'];
    const { code, stdout } = await run('rank', 'x.corank', ...out);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^q1 Q0 a 1 \S+ rerank$/m);
  });

  it.each([
    [['--set', 'rerank.weights.bm52=1'], 'rerank.weights.SIGNAL'],
    [['--set', 'rerank.weights.bm25=-1'], 'rerank.weights.bm25'],
    [['--set', 'rerank.blend=some'], 'continuous, class'],
    [['--ablate', 'bm52'], 'bm52'],
  ])('with %j is wrong usage', async (args, said) => {
    const { code, stderr } = await run('search', 'x.corank', 'Session', '--rerank', ...args);
    expect(code).toBe(2);
    expect(stderr).toContain(said);
  });

  it('is asked for: what is set for it without it is said', async () => {
    const { code, stderr } = await run(
      ...['search', 'x.corank', 'Session', '--set', 'rerank.pool=3', '--ablate', 'bm25', '--json'],
    );
    expect(code).toBe(0);
    expect(stderr).toMatch(/rerank\.pool has no effect/);
    expect(stderr).toMatch(/--ablate has no effect without --rerank/);
  });
});

describe('eval --ablate', () => {
  const ask = (...args: string[]) =>
    run(
      'eval',
      '--qrels',
      'qrels.tsv',
      '--ablate',
      'x.corank',
      '--queries',
      'queries.jsonl',
      '--quiet',
      ...args,
    );

  it('leaves out each channel', async () => {
    const { code, stdout, stderr } = await ask('--measures', 'AP', '--json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const { runs, comparisons } = JSON.parse(stdout);
    expect(runs.map(({ name }: { name: string }) => name)).toEqual(['whole', '- bm25', '- pagerank']);
    expect(comparisons.map(({ baseline, name }: Record<string, string>) => [baseline, name])).toEqual([
      ['whole', '- bm25'],
      ['whole', '- pagerank'],
    ]);
    expect(comparisons[0].measures.AP).toMatchObject({
      queries: 2,
      difference: expect.any(Number),
      interval: [expect.any(Number), expect.any(Number)],
      p: expect.any(Number),
    });
  });

  it('leaves out each signal that counts, and rerank', async () => {
    const set = ['--set', 'rerank.weights.fan_out=0', '--set', 'rerank.weights.definition_bias=0'];
    const { stdout } = await ask('--retriever', 'bm25', '--rerank', ...set, '--measures', 'AP');
    const names = [...stdout.matchAll(/^(whole|- \S+) /gm)].map(([, name]) => name);
    expect(new Set(names).size).toBe(1 + 19 + 1);
    expect(names).toContain('- rerank:fan_in');
    expect(names).not.toContain('- rerank:fan_out');
    expect(stdout).toMatch(/^against whole +measure +difference +from +to +p$/m);
    // A signal whose input is absent changes nothing.
    expect(stdout).toMatch(/^- rerank:churn +AP +0\.0000 +0\.0000 +0\.0000 +1\.0000$/m);
  });

  it.each([
    [[], /missing required argument 'run'/],
    [['one.trec', '--ablate', 'x.corank', '--queries', 'queries.jsonl'], /give no runs/],
    [['--ablate', 'x.corank'], /--queries/],
    [['one.trec', '--queries', 'queries.jsonl'], /--ablate/],
  ])('eval %j is wrong usage', async (args, said) => {
    const { code, stderr } = await run('eval', '--qrels', 'qrels.tsv', ...args);
    expect(code).toBe(2);
    expect(stderr).toMatch(said);
  });
});

describe('eval of two runs', () => {
  it('compares them, in JSON and when asked to', async () => {
    await writeFile(join(folder, 'one.trec'), 'q1 Q0 a 1 1 t\nq2 Q0 x 1 1 t\n');
    await writeFile(join(folder, 'two.trec'), 'q1 Q0 a 1 1 t\nq2 Q0 c 1 1 t\n');
    const args = ['eval', '--qrels', 'qrels.tsv', 'one.trec', 'two.trec', '--measures', 'AP'];
    const { comparisons } = JSON.parse((await run(...args, '--json')).stdout);
    // Of two queries one differs, by 1: both signs are as far from 0.
    expect(comparisons).toEqual([
      {
        baseline: 'one.trec',
        name: 'two.trec',
        measures: { AP: { difference: 0.5, interval: [0, 1], p: 1, queries: 2 } },
      },
    ]);
    expect((await run(...args)).stdout).not.toContain('against');
    expect((await run(...args, '--compare')).stdout).toMatch(
      /^two\.trec +AP +\+0\.5000 +0\.0000 +\+1\.0000 +1\.0000$/m,
    );
  });
});
