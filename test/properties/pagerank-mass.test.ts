import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type BareWalk,
  type BareWalkRequest,
  type Engine,
  pagerank,
  type Retriever,
} from '../../dist/index.js';
import { type Caller, type Corpus, KINDS, visiblePart } from './corpora.js';
import { temporaryFolder, withIndex } from './indexes.js';
import { patience, runs } from './runs.js';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => folder.remove());

const READER: Caller = { principal: { org: 'a', grants: ['a'] }, sources: ['s'] };
const settings = {
  analyzer: 'plain',
  fields: [],
  dimension: 1,
  embeddingModel: 'm1',
  vectors: 'f32',
  accessTable: false,
} as const;

const WEIGHTS = [1, 1, 2, 0.1, 1e-3, 7];
/** The ends of what an edge may weigh. */
const EXTREMES = [1e100, 1e100, 1e-100, 1e-100, 1e99, 1, 1e16];
/** The ends of what is finite and above 0: what a seed may weigh. */
const FINITE = [Number.MAX_VALUE, Number.MAX_VALUE, Number.MIN_VALUE, 1e308, 1e-308, 1e-320, 1, 1e16];

/** Few edges a node: many sinks, sources and lonely nodes; a quarter of the nodes is hidden. */
const graph = (weights: readonly number[]): fc.Arbitrary<Corpus> =>
  fc
    .tuple(
      fc.array(fc.nat(3), { minLength: 1, maxLength: 40, size: 'max' }),
      fc.array(
        fc.record(
          {
            from: fc.nat(39),
            to: fc.nat(39),
            kind: fc.constantFrom(...KINDS),
            weight: fc.constantFrom(...weights),
          },
          { requiredKeys: ['from', 'to', 'weight'] },
        ),
        { maxLength: 90, size: 'max' },
      ),
    )
    .map(([nodes, edges]) => ({
      settings: { ...settings, fields: [] },
      nodes: nodes.map((n, i) => ({
        id: `n${i}`,
        text: i % 2 === 0 ? 'night' : 'night shift',
        org: 'a',
        source: 's',
        acl: n === 0 ? ['b'] : ['a'],
      })),
      edges: edges.map((e) => ({ ...e, from: `n${e.from % nodes.length}`, to: `n${e.to % nodes.length}` })),
    }));

const walkOf = (
  seedWeights: readonly number[],
): fc.Arbitrary<Omit<BareWalkRequest, 'seeds'> & { places: Place[] }> =>
  fc.record(
    {
      places: fc.array(
        fc.record(
          { place: fc.nat(39), weight: fc.constantFrom(...seedWeights) },
          { requiredKeys: ['place'] },
        ),
        { minLength: 1, maxLength: 5 },
      ),
      direction: fc.constantFrom('forward', 'reverse', 'both'),
      damping: fc.constantFrom(0, 0.5, 0.85, 0.999),
      tolerance: fc.constantFrom(0, 1e-2, 1e-9),
      maxIterations: fc.constantFrom(1, 2, 50, 500),
      selfLoops: fc.constantFrom('ignore', 'keep'),
      edgeWeights: fc.constantFrom('stored', 'uniform'),
      kindWeights: fc.constantFrom<Record<string, number>>(
        { cites: 0 },
        { cites: 0, calls: 0, ['__proto__']: 0, constructor: 0 },
        { calls: 3.5, ['__proto__']: 0.1 },
        { cites: 1e100, calls: 1e-100 },
      ),
    },
    { requiredKeys: ['places'] },
  );

interface Place {
  place: number;
  weight?: number;
}

/** Sums without rounding errors of its own that matter at 1e-12: Neumaier. */
function exactSum(values: Iterable<number>): number {
  let sum = 0;
  let lost = 0;
  for (const value of values) {
    const next = sum + value;
    lost += Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum;
    sum = next;
  }
  return sum + lost;
}

function checkMass({ forward, reverse, ids }: BareWalk, direction: BareWalkRequest['direction']): void {
  for (const [name, scores] of Object.entries({ forward, reverse })) {
    const asked = direction === undefined || direction === 'both' || direction === name;
    expect(scores.length).toBe(ids.length);
    expect(
      scores.every((score) => Number.isFinite(score) && score >= 0),
      `${name}: ${scores}`,
    ).toBe(true);
    expect(Math.abs(exactSum(scores) - (asked ? 1 : 0)), `${name}: ${exactSum(scores)}`).toBeLessThanOrEqual(
      asked ? 1e-12 : 0,
    );
  }
}

async function checkWalk(
  engine: Engine,
  part: Corpus,
  { places, ...options }: Omit<BareWalkRequest, 'seeds'> & { places: Place[] },
): Promise<void> {
  const seeds = places.map(({ place, ...weight }) => ({
    id: part.nodes[place % part.nodes.length]!.id,
    ...weight,
  }));
  const walk = await engine.walk({ ...options, ...READER, seeds });
  expect([...walk.ids].sort()).toEqual(part.nodes.map(({ id }) => id).sort());
  checkMass(walk, options.direction);
}

describe('mass of walks', () => {
  it(
    'is 1 in every direction asked for and 0 in the other, whatever the graph and the options',
    async () => {
      const property = fc.asyncProperty(
        graph(WEIGHTS),
        fc.array(walkOf([1, 2, 0.1, 1e6]), { minLength: 8, maxLength: 8 }),
        async (whole, walks) => {
          const part = visiblePart(whole, READER);
          fc.pre(part.nodes.length > 0);
          await withIndex(folder.path, whole, async (engine) => {
            for (const walk of walks) await checkWalk(engine, part, walk);
          });
        },
      );
      await fc.assert(property, runs(100));
    },
    patience(),
  );

  it.for([
    ['edges', EXTREMES, [1, 2]],
    ['seeds', WEIGHTS, FINITE],
  ] as const)(
    'is 1 with weights of %s at the ends of what is allowed',
    { timeout: patience() },
    async ([_name, edgeWeights, seedWeights]) => {
      const property = fc.asyncProperty(
        graph(edgeWeights),
        fc.array(walkOf(seedWeights), { minLength: 1, maxLength: 4 }),
        async (whole, walks) => {
          const part = visiblePart(whole, READER);
          fc.pre(part.nodes.length > 0);
          await withIndex(folder.path, whole, async (engine) => {
            for (const walk of walks) await checkWalk(engine, part, walk);
          });
        },
      );
      await fc.assert(property, runs(60));
    },
  );

  it(
    'is 1 in the list of a pagerank retriever, 2 when it adds two walks',
    async () => {
      const kinds: [Retriever, number][] = [
        [pagerank(), 1],
        [pagerank({ reverseRatio: 0, selfLoops: 'keep' }), 1],
        [pagerank({ walk: 'forward', seedCount: 1 }), 1],
        [pagerank({ walk: 'reverse', maxIterations: 2 }), 1],
        [pagerank({ walk: 'sum' }), 2],
      ];
      const property = fc.asyncProperty(graph(WEIGHTS), async (whole) => {
        await withIndex(folder.path, whole, async (engine) => {
          for (const [retriever, mass] of kinds) {
            const { candidates } = await engine.search({ text: 'shift', ...READER, k: 50 }, { retriever });
            if (candidates.length === 0) continue;
            const sum = exactSum(candidates.map(({ score }) => score));
            expect(Math.abs(sum - mass), `${sum} against ${mass}`).toBeLessThanOrEqual(mass * 1e-12);
          }
        });
      });
      await fc.assert(property, runs(50));
    },
    patience(),
  );
});
