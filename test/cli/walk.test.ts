import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { corank, DATA, jsonl, temporaryFolder } from './corank.js';

const folder = temporaryFolder();
const tiny = join(folder, 'tiny');
const odd = join(folder, 'odd');

interface Case {
  name: string;
  seeds: Record<string, number>;
  forward: { scores: Record<string, number> };
  reverse: { scores: Record<string, number> };
}
let cases: Case[] = [];

beforeAll(async () => {
  cases = JSON.parse(await readFile(join(DATA, 'reference/pagerank/tiny.json'), 'utf8')).cases;
  const edges = await readFile(join(DATA, 'graphs/tiny/edges.csv'), 'utf8');
  const ends = edges
    .trim()
    .split('\n')
    .slice(1)
    .flatMap((line) => line.split(',').slice(0, 2));
  const ids = new Set([...ends, ...cases.flatMap(({ seeds }) => Object.keys(seeds))]);
  const nodes = await jsonl(
    folder,
    'nodes.jsonl',
    [...ids].map((id) => ({ id })),
  );
  await corank(['index', nodes, '--edges', join(DATA, 'graphs/tiny/edges.csv'), '--out', tiny, '--quiet']);
  const named = await jsonl(
    folder,
    'odd.jsonl',
    ['a=2', 'x', 'y'].map((id) => ({ id })),
  );
  await writeFile(join(folder, 'odd.csv'), 'src,dst,kind,weight\nx,a=2,k,3\nx,y,l,1\n');
  await corank(['index', named, '--edges', join(folder, 'odd.csv'), '--out', odd, '--quiet']);
});

async function walk(index: string, ...args: string[]) {
  const { code, stdout } = await corank(['walk', index, '--json', ...args]);
  expect(code).toBe(0);
  return JSON.parse(stdout) as {
    nodes: { id: string; forward: number; reverse: number; score: number }[];
    iterations: { forward: number; reverse: number };
    residual: { forward: number; reverse: number };
  };
}

describe('walk', () => {
  it('agrees with the direct solve of the tiny graph within 1e-9, zeros included', async () => {
    expect(cases.length).toBeGreaterThan(0);
    for (const { seeds, forward, reverse } of cases) {
      const given = Object.entries(seeds).flatMap(([id, weight]) => ['--seed', `${id}=${weight}`]);
      const { nodes, residual } = await walk(tiny, ...given, '--self-loops', 'keep', '--tolerance', '1e-12');
      expect(nodes).toHaveLength(8);
      expect(Math.max(residual.forward, residual.reverse)).toBeLessThanOrEqual(1e-12);
      for (const node of nodes) {
        expect(Math.abs(node.forward - (forward.scores[node.id] ?? 0))).toBeLessThan(1e-9);
        expect(Math.abs(node.reverse - (reverse.scores[node.id] ?? 0))).toBeLessThan(1e-9);
        expect(node.score).toBe(node.forward + node.reverse);
      }
      const sorted = [...nodes].sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
      expect(nodes).toEqual(sorted);
    }
  });

  it('takes the last = before a number as a weight, and any other as part of the id', async () => {
    const one = await walk(odd, '--seed', 'a=2=1', '--direction', 'forward');
    expect(one.nodes[0]).toMatchObject({ id: 'a=2', forward: 1 });
    const refused = await corank(['walk', odd, '--seed', 'a=2']);
    expect(refused).toMatchObject({ code: 3, stdout: '' });
    expect(refused.stderr).toContain('"a"');
  });

  it('lets flags and settings decide how edges count', async () => {
    const forward = ['--seed', 'x', '--direction', 'forward', '--tolerance', '1e-13'];
    const share = async (...args: string[]) => {
      const { nodes } = await walk(odd, ...forward, ...args);
      return Object.fromEntries(nodes.map(({ id, forward: score }) => [id, score]));
    };
    // x restarts: s = 1 / (1 + d), and d s is shared among its edges by weight.
    const d = 0.5;
    const s = 1 / (1 + d);
    expect((await share('--damping', '0.5'))['a=2']).toBeCloseTo(d * s * 0.75, 9);
    const uniform = ['--set', 'pagerank.edgeWeights=uniform', '--set', 'pagerank.damping=0.9'];
    expect((await share('--damping', '0.5', ...uniform)).y).toBeCloseTo(d * s * 0.5, 9);
    expect((await share('--damping', '0.5', '--set', 'pagerank.kindWeights.k=0')).y).toBeCloseTo(d * s, 9);
  });

  it('cuts to k, walks one way only, and warns when it stopped early', async () => {
    const { nodes, iterations } = await walk(tiny, '--seed', 'a', '--direction', 'reverse', '-k', '2');
    expect(nodes).toHaveLength(2);
    expect(nodes.every(({ forward }) => forward === 0)).toBe(true);
    expect(iterations.forward).toBe(0);
    const early = await corank(['walk', tiny, '--seed', 'a', '--max-iterations', '1']);
    expect(early.code).toBe(0);
    expect(early.stderr).toMatch(/--max-iterations/);
    expect(early.stdout).toMatch(/^rank {2}id +score +forward +reverse\n/);
  });

  it('gives a hidden seed and an unknown one the same error', async () => {
    const nodes = await jsonl(folder, 'scoped.jsonl', [
      { id: 'seen', org: 'o', source: 's', acl: ['t'] },
      { id: 'hidden', org: 'o', source: 's', acl: [] },
    ]);
    await writeFile(join(folder, 'scoped.csv'), 'src,dst\nseen,hidden\n');
    const scoped = join(folder, 'scoped');
    await corank(['index', nodes, '--edges', join(folder, 'scoped.csv'), '--out', scoped, '--quiet']);
    const caller = ['--principal', '{"org":"o","grants":["t"]}', '--sources', 's'];
    const ask = (seed: string) => corank(['walk', scoped, '--seed', seed, ...caller]);
    const [hidden, unknown] = await Promise.all([ask('hidden'), ask('unheard')]);
    expect(hidden).toEqual({ ...unknown, stderr: unknown.stderr.replace('unheard', 'hidden') });
    expect(hidden.code).toBe(3);
    expect((await corank(['walk', scoped, '--seed', 'seen'])).code).toBe(4);
  });
});
