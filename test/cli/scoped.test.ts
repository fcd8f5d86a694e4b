import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { corank, DATA, temporaryFolder } from './corank.js';

const folder = temporaryFolder();
const reference = join(DATA, 'reference/scoped/cacm');

interface Row {
  query: string;
  id: string;
  score: number;
}

function rows(run: string, tag: string): Row[] {
  return run
    .trim()
    .split('\n')
    .map((line) => line.split(' '))
    .filter((columns) => columns[5] === tag)
    .map(([query, , id, , score]) => ({ query: query!, id: id!, score: Number(score) }));
}

it('ranks for each principal as the reference did on nothing but its rows', async () => {
  const index = join(folder, 'cacm');
  const acl = ['--acl', join(reference, 'acl.jsonl')];
  await corank(['index', join(DATA, 'cacm'), ...acl, '--analyzer', 'plain', '--out', index, '--quiet']);
  const principals = JSON.parse(await readFile(join(reference, 'principals.json'), 'utf8'));
  const expected = gunzipSync(await readFile(join(reference, 'scoped.trec.gz'))).toString();
  const settings = ['form=joined', 'pairs=0', 'phrases=0', 'k1=0.9', 'b=0.4'].flatMap((s) => [
    '--set',
    `bm25.${s}`,
  ]);
  for (const { id, org, grants, sources } of principals) {
    const caller = ['--principal', JSON.stringify({ org, grants }), '--sources', sources.join(',')];
    const queries = ['--queries', join(DATA, 'cacm/queries.jsonl'), '--out', '-', '--tag', id, '-k', '20'];
    const asked = await corank(['rank', index, ...queries, ...caller, ...settings, '--retriever', 'bm25']);
    const wanted = rows(expected, id);
    if (sources.length === 0 || grants.length === 0) {
      expect({ id, code: asked.code, wanted }).toEqual({ id, code: 4, wanted: [] });
      continue;
    }
    const judged = new Set(wanted.map(({ query }) => query));
    const got = rows(asked.stdout, id).filter(({ query }) => judged.has(query));
    expect({ id, length: got.length }).toEqual({ id, length: wanted.length });
    for (const [i, { query, score }] of wanted.entries()) {
      expect(got[i]!.query).toBe(query);
      expect(Math.abs(got[i]!.score - score)).toBeLessThan(1e-9);
    }
  }
});
