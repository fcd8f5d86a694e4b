import { fc, it as property } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { type Candidate, type Edge, type Path, pagerank, type Retriever } from '../../dist/index.js';
import { opened, withEngine } from '../index/small-index.js';

const DAMPING = 0.5;
const RATIO = 0.5;
const id = (row: number) => `n${row}`;

const seeded = (seeds: readonly { row: number; score: number }[]): Retriever => ({
  name: 'given',
  retrieve: async () => seeds.map(({ row, score }) => ({ id: id(row), score })),
});

interface Way {
  text: string;
  value: number;
}

const textOf = ({ seed, steps }: Path) =>
  [seed, ...steps.map(({ kind, direction, to }) => `${direction} ${kind} ${to}`)].join(' > ');

/** Every way from the seeds of more than `least`, by walking them all. */
function waysTo(
  size: number,
  edges: readonly { from: number; to: number; kind: string; weight: number }[],
  restart: readonly number[],
  least: number,
): Map<number, Way[]> {
  const steps = Array.from({ length: size }, (): { to: number; text: string; weight: number }[] => []);
  for (const { from, to, kind, weight } of edges) {
    if (from === to) continue;
    steps[from]!.push({ to, text: ` > out ${kind} ${id(to)}`, weight });
    steps[to]!.push({ to: from, text: ` > in ${kind} ${id(from)}`, weight: weight * RATIO });
  }
  const out = steps.map((list) => list.reduce((sum, { weight }) => sum + weight, 0));
  // Mass on rows without a way out starts anew: found by iterating, as any walk does.
  let scores = [...restart];
  for (let i = 0; i < 200; i++) {
    const dangling = scores.reduce((sum, score, row) => sum + (out[row] === 0 ? score : 0), 0);
    const next = restart.map((share) => (1 - DAMPING + DAMPING * dangling) * share);
    steps.forEach((list, from) => {
      for (const { to, weight } of list) next[to]! += (DAMPING * scores[from]! * weight) / out[from]!;
    });
    scores = next;
  }
  const dangling = scores.reduce((sum, score, row) => sum + (out[row] === 0 ? score : 0), 0);
  const found = new Map<number, Way[]>();
  const walk = (row: number, value: number, text: string): void => {
    if (value < least) return;
    found.set(row, [...(found.get(row) ?? []), { text, value }]);
    for (const step of steps[row]!)
      walk(step.to, (value * DAMPING * step.weight) / out[row]!, text + step.text);
  };
  restart.forEach((share, row) => {
    if (share > 0) walk(row, (1 - DAMPING + DAMPING * dangling) * share, id(row));
  });
  for (const ways of found.values()) ways.sort((a, b) => b.value - a.value);
  return found;
}

const SIZE = 6;
const cases = fc.record({
  edges: fc.array(
    fc.record({
      from: fc.nat(SIZE - 1),
      to: fc.nat(SIZE - 1),
      kind: fc.constantFrom('cites', 'calls'),
      weight: fc.constantFrom(1, 2, 0.5),
    }),
    { maxLength: 9 },
  ),
  seeds: fc.uniqueArray(fc.record({ row: fc.nat(SIZE - 1), score: fc.constantFrom(1, 0.5) }), {
    minLength: 1,
    maxLength: 3,
    selector: ({ row }) => row,
  }),
});

property.prop([cases], { numRuns: 80, seed: 4, endOnFailure: true })(
  'the ways that are told are the strongest of all, with what they bring',
  ({ edges, seeds }) => {
    const nodes = Array.from({ length: SIZE }, (_, row) => ({ id: id(row) }));
    const stored = edges.map(({ from, to, ...rest }): Edge => ({ from: id(from), to: id(to), ...rest }));
    const mass = seeds.reduce((sum, { score }) => sum + score, 0);
    const restart = nodes.map((_, row) => (seeds.find((seed) => seed.row === row)?.score ?? 0) / mass);
    const least = 1e-4;
    const expected = waysTo(SIZE, edges, restart, least);
    const retriever = pagerank({
      ...{ seeds: seeded(seeds), seedPower: 1, damping: DAMPING, reverseRatio: RATIO },
      tolerance: 1e-15,
      maxIterations: 500,
    });
    return withEngine({ nodes, edges: stored }, {}, async (engine) => {
      const query = { text: 'x', principal: 'open' as const, k: 50 };
      const { candidates } = await engine.search(query, { retriever, explain: true });
      for (const { id: node, score, explain } of candidates) {
        const ways = expected.get(Number(node.slice(1))) ?? [];
        const told = explain!.filter(({ path }) => path !== undefined);
        told.forEach(({ value, path }, i) => {
          // As strong as the strongest that are left; which of equals is told does not matter.
          if (value < least * 2) return;
          expect(value).toBeCloseTo(ways[i]!.value, 9);
          // Parallel edges make ways of the same words.
          const same = ways.filter(({ text }) => text === textOf(path!));
          expect(Math.min(...same.map((way) => Math.abs(way.value - value)))).toBeLessThan(1e-9);
          expect(path!.share).toBeCloseTo(value / score, 9);
        });
        if (ways.length >= 3 && ways[2]!.value > 2 * least) expect(told).toHaveLength(3);
        expect(explain!.reduce((sum, { value }) => sum + value, 0)).toBeCloseTo(score, 12);
      }
    });
  },
);

describe('explanations of walks', () => {
  const nodes = ['a', 'b', 'c', 'd'].map((node) => ({ id: node, org: 'o', source: 's', acl: ['all'] }));
  const edges: Edge[] = [
    { from: 'a', to: 'b', kind: 'cites' },
    { from: 'b', to: 'c', kind: 'calls' },
    { from: 'a', to: 'hidden', kind: 'cites' },
    { from: 'hidden', to: 'c', kind: 'calls' },
  ];
  const hidden = { id: 'hidden', org: 'o', source: 's', acl: ['nobody'] };
  const query = { text: 'x', principal: { org: 'o', grants: ['all'] }, sources: ['s'] };
  const from = (seed: string): Retriever => ({
    name: 'one',
    retrieve: async () => [{ id: seed, score: 1 }],
  });
  const explained = async (walk: 'forward' | 'reverse' | 'sum', seed: string) => {
    const engine = await opened({ nodes: [...nodes, hidden], edges });
    const retriever = pagerank({ walk, seeds: from(seed) });
    const { candidates } = await engine.search(query, { retriever, explain: true });
    return (node: string) => (candidates.find(({ id: found }) => found === node) as Candidate).explain!;
  };

  it('name no hidden node, and give the share of the flow', async () => {
    const of = await explained('forward', 'a');
    const [way, ...others] = of('c');
    expect(way).toMatchObject({
      from: 'walk:forward',
      path: {
        seed: 'a',
        steps: [
          { kind: 'cites', direction: 'out', to: 'b' },
          { kind: 'calls', direction: 'out', to: 'c' },
        ],
      },
    });
    expect(way!.path!.share).toBeCloseTo(1, 9);
    expect(others.every(({ path }) => path === undefined)).toBe(true);
    expect(JSON.stringify(of('c'))).not.toContain('hidden');
  });

  it('say when an edge is walked against', async () => {
    const of = await explained('reverse', 'c');
    expect(of('a')[0]!.path!.steps).toEqual([
      { kind: 'calls', direction: 'in', to: 'b' },
      { kind: 'cites', direction: 'in', to: 'a' },
    ]);
  });

  it('of a sum tell both walks', async () => {
    const of = await explained('sum', 'b');
    expect(of('c')[0]).toMatchObject({ from: 'walk:forward' });
    expect(of('a')[0]).toMatchObject({ from: 'walk:reverse' });
    const told = of('b').filter(({ path }) => path !== undefined);
    expect(told.map(({ from: walk, path }) => [walk, path!.steps])).toEqual([
      ['walk:forward', []],
      ['walk:reverse', []],
    ]);
  });
});
