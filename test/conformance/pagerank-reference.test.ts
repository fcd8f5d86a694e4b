import { beforeAll, describe, expect, it } from 'vitest';
import type { BareWalk, Edge, Engine } from '../../dist/index.js';
import { edgesOf, json, openIndex } from './collection.js';

interface Direction {
  sum_of_squares: number;
  positive: number;
  /** Every positive score (tiny, cacm), or the 200 highest (hep-th). */
  scores?: Record<string, number>;
  top?: Record<string, number>;
}

interface Case {
  name: string;
  seeds: Record<string, number>;
  forward: Direction;
  reverse: Direction;
  bidirectional_sum_top20: Record<string, number>;
}

const GRAPHS = [
  ['tiny', 'graphs/tiny/edges.csv'],
  ['cacm', 'cacm/edges.csv'],
  ['hep-th', 'graphs/hep-th/edges.csv.gz'],
] as const;

/** By score: an object puts keys that look like numbers in order of the numbers. */
const byScore = (scores: Record<string, number>): [string, number][] =>
  Object.entries(scores).sort((a, b) => b[1] - a[1]);

describe.each(GRAPHS)('%s', (graph, file) => {
  const golden: { nodes: number; edges: number; total_weight: number; cases: Case[] } = json(
    `reference/pagerank/${graph}.json`,
  );
  let engine: Engine;
  let edges: Edge[];
  const ids = new Set<string>();

  beforeAll(async () => {
    edges = await edgesOf(file);
    for (const { from, to } of edges) ids.add(from).add(to);
    for (const { seeds } of golden.cases) for (const id of Object.keys(seeds)) ids.add(id);
    engine = await openIndex({ nodes: [...ids].map((id) => ({ id })), edges });
  });

  it('has the nodes and edges of the reference', () => {
    expect(ids.size).toBe(golden.nodes);
    // It counts parallel edges (of different kinds, in cacm) once, with their weights added up.
    expect(new Set(edges.map(({ from, to }) => JSON.stringify([from, to]))).size).toBe(golden.edges);
    expect(edges.reduce((sum, { weight = 1 }) => sum + weight, 0)).toBe(golden.total_weight);
  });

  describe.each(golden.cases)('$name', ({ seeds, forward, reverse, bidirectional_sum_top20 }) => {
    let walk: BareWalk;
    const place = new Map<string, number>();

    beforeAll(async () => {
      walk = await engine.walk({
        seeds: Object.entries(seeds).map(([id, weight]) => ({ id, weight })),
        principal: 'open',
        damping: 0.85,
        selfLoops: 'keep',
        tolerance: 1e-12,
        maxIterations: 1000,
      });
      walk.ids.forEach((id, i) => {
        place.set(id, i);
      });
    });

    it.each([
      ['forward', forward],
      ['reverse', reverse],
    ] as const)('gives the scores of the %s walk within 1e-9', (direction, expected) => {
      const scores = walk[direction];
      const theirs = expected.scores ?? expected.top!;
      expect(Object.keys(theirs).length).toBe(Math.min(expected.positive, expected.scores ? Infinity : 200));
      for (const [id, score] of Object.entries(theirs)) {
        expect(Math.abs(scores[place.get(id)!]! - score), id).toBeLessThanOrEqual(1e-9);
      }
      expect(scores.filter((score) => score > 0)).toHaveLength(expected.positive);
      const squares = scores.reduce((sum, score) => sum + score * score, 0);
      expect(Math.abs(squares - expected.sum_of_squares)).toBeLessThanOrEqual(1e-9);
    });

    it('sums each walk to 1 and stops below the tolerance', () => {
      for (const direction of ['forward', 'reverse'] as const) {
        const mass = walk[direction].reduce((sum, score) => sum + score, 0);
        expect(Math.abs(mass - 1)).toBeLessThanOrEqual(1e-12);
        expect(walk.residual[direction]).toBeLessThanOrEqual(1e-12);
      }
    });

    it('gives the 20 highest sums of both walks, in their order', () => {
      const theirs = byScore(bidirectional_sum_top20);
      const ours = walk.ids
        .map((id, i) => ({ id, score: walk.forward[i]! + walk.reverse[i]! }))
        .sort((a, b) => b.score - a.score);
      expect(theirs.length).toBeGreaterThan(0);
      theirs.forEach(([id, score], i) => {
        expect(Math.abs(ours[i]!.score - score), id).toBeLessThanOrEqual(1e-9);
        const apart = [theirs[i - 1], theirs[i + 1]].every(
          (other) => other === undefined || Math.abs(other[1] - score) > 1e-9,
        );
        if (apart && i < 19) expect(ours[i]!.id).toBe(id);
      });
    });
  });
});
