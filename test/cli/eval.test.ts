import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { corank, temporaryFolder } from './corank.js';

const folder = temporaryFolder();
const evaluate = (...args: string[]) => corank(['eval', ...args], { cwd: folder });

beforeAll(async () => {
  await writeFile(join(folder, 'qrels.trec'), 'q1 0 a 1\nq1 0 b 1\nq2 0 a 1\n');
  await writeFile(join(folder, 'qrels.tsv'), 'query-id\tcorpus-id\tscore\nq1\ta\t1\nq1\tb\t1\nq2\ta\t1\n');
  // The order of the run counts, although its scores say otherwise.
  await writeFile(join(folder, 'one.trec'), 'q1 Q0 x 1 1 t\nq1 Q0 a 2 9 t\n');
  await writeFile(join(folder, 'two.trec'), 'q1 Q0 a 1 2 t\nq1 Q0 b 2 1 t\nq2 Q0 a 1 1 t\n');
});

describe('eval', () => {
  it('prints one JSON value: means over the judged queries, a missing one counts 0', async () => {
    const { code, stdout, stderr } = await evaluate(
      '--qrels',
      'qrels.trec',
      'one.trec',
      'two.trec',
      '--json',
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const { runs } = JSON.parse(stdout);
    const ndcg = 1 / Math.log2(3) / (1 + 1 / Math.log2(3));
    expect(runs[0].name).toBe('one.trec');
    expect(Object.keys(runs[0].measures)).toEqual(['nDCG@10', 'R@100', 'RR@10', 'AP', 'Success@5']);
    expect(runs[0].measures['nDCG@10']).toBeCloseTo(ndcg / 2, 12);
    expect(runs[0].measures).toMatchObject({ 'R@100': 1 / 4, 'RR@10': 1 / 4, AP: 1 / 8, 'Success@5': 1 / 2 });
    expect(runs[1].measures).toMatchObject({ 'nDCG@10': 1, AP: 1 });
    expect(runs[0].perQuery).toBeUndefined();
  });

  it('takes BEIR judgments, other measures, the queries of the run only, and every query', async () => {
    const args = [
      '--qrels',
      'qrels.tsv',
      'one.trec',
      '--measures',
      'P@1,RR',
      '--queries-in-run',
      '--per-query',
    ];
    const { stdout } = await evaluate(...args, '--json');
    expect(JSON.parse(stdout)).toEqual({
      runs: [
        { name: 'one.trec', measures: { 'P@1': 0, RR: 1 / 2 }, perQuery: { q1: { 'P@1': 0, RR: 1 / 2 } } },
      ],
    });
    const table = (await evaluate(...args)).stdout;
    expect(table).toMatch(/^run +query +P@1 +RR$/m);
    expect(table).toMatch(/^one\.trec +q1 +0\.0000 +0\.5000$/m);
  });

  it('shows a table of runs against measures', async () => {
    const { stdout } = await evaluate('--qrels', 'qrels.trec', 'one.trec', 'two.trec', '--measures', 'AP');
    expect(stdout.split('\n').slice(0, 3)).toEqual([
      'run           AP  queries',
      'one.trec  0.1250        2',
      'two.trec  1.0000        2',
    ]);
  });

  it('names the line of a run that is none, exit 3', async () => {
    await writeFile(join(folder, 'bad.trec'), 'q1 Q0 a 1 2 t\nq1 Q0 b\n');
    const { code, stdout, stderr } = await evaluate('--qrels', 'qrels.trec', 'bad.trec', '--json');
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toMatch(/^corank: bad\.trec:2: /);
  });

  it('reads a run from standard input', async () => {
    const { stdout } = await corank(['eval', '--qrels', 'qrels.trec', '-', '--measures', 'AP', '--json'], {
      cwd: folder,
      input: 'q1 Q0 a 1 2 t\n',
    });
    expect(JSON.parse(stdout).runs[0].measures.AP).toBe(1 / 4);
  });
});
