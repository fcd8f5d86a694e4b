import type { Scope } from '../access/scope.js';
import { CorankError } from '../errors.js';
import { bestBy } from '../rank/best-by.js';
import { nameOrder } from '../rank/citation-order.js';
import { DEFAULT_DEPTH, rankByQueryLimit } from '../rank/limit.js';
import type { OneWalk } from '../score/walk-request.js';
import type { Candidate, Query, Result, Skip } from '../types.js';
import { candidateOf, resultOf } from './candidate.js';
import { knownKeys, oneOf } from './options.js';
import { kindWeights, requireEdges, WALK_KEYS, type WalkOptions, walkSettings } from './pagerank.js';
import { requestOf } from './request.js';
import type { Runtime } from './runtime.js';
import { ASKING_KEYS, requireText } from './seeds/match.js';
import { SEED_KEYS, type SeedOptions, seedSettings } from './seeds/options.js';
import { type Seed, type SeedList, type SeedRow, seedOf } from './seeds/seed.js';
import { seedsOf } from './seeds/seeds-of.js';
import { SURFACES, type Surface, surfacing, usualSurface } from './surface.js';
import { explainWalk } from './walk-explain.js';

export interface RankByQueryRequest extends Query, SeedOptions, WalkOptions {
  /** `score` (default): the walks restart at a seed in proportion to its score. `uniform`: at all alike. */
  restart?: 'score' | 'uniform';
  /** What may be shown; default `code` on an index of code, else `all`. */
  surface?: Surface;
  /** Adds what each walk gives. */
  explain?: boolean;
}

/** Candidates in the order of C.6, nodes that no walk reaches last, with 0. */
export interface RankByQueryResult extends Result {
  seeds: Seed[];
  /** Steps of each walk. */
  iterations: { forward: number; reverse: number };
  /** L1 change of the last step; above the tolerance when the walk was stopped before. */
  residual: { forward: number; reverse: number };
}

const NAME = 'rank_by_query';
const KEYS = [...ASKING_KEYS, 'k', ...SEED_KEYS, ...WALK_KEYS, 'restart', 'surface', 'explain'];

/**
 * System C's ranking: personalised PageRank from the query's seeds, along the edges plus against them (each sums to 1),
 * damping 0.85. k from 1 to 200, default 20. Ties: path, qualified name, kind, name, id. Throws INVALID_INPUT for blank
 * text and on an index without edges, NO_SEEDS when the query points at no visible node.
 */
export async function rankByQuery(
  runtime: Runtime,
  scope: Scope,
  alive: () => boolean,
  request: RankByQueryRequest,
  signal: AbortSignal | undefined,
): Promise<RankByQueryResult> {
  knownKeys('rankByQuery', request, KEYS);
  requireWords(request.text);
  const { k, skipped } = rankByQueryLimit(request.k);
  const settings = seedSettings(request);
  const walk = walkSettings('rankByQuery', request, 0.85);
  const restart = oneOf('restart', request.restart ?? 'score', ['score', 'uniform'] as const);
  const surface = oneOf('surface', request.surface ?? usualSurface(runtime.manifest), SURFACES);
  const explain = request.explain ?? false;
  requireEdges(runtime);
  const asked = requestOf(runtime, request, scope, alive, { limit: DEFAULT_DEPTH, explain: false });
  const found = requireSeeds(await seedsOf(asked, settings, signal));
  const shared = {
    ...walk,
    ratio: 0,
    derived: undefined,
    kindWeights: kindWeights(runtime, request.kindWeights),
  };
  const one: OneWalk = { seeds: restartAt(found.seeds, restart), limit: undefined };
  const walked = async (direction: 'forward' | 'reverse') => {
    const answer = await runtime.walks.ask(scope, { ...shared, direction }, one, signal);
    return { ...answer, scores: answer.scores! };
  };
  const [forward, reverse] = await Promise.all([walked('forward'), walked('reverse')]);
  const score = (row: number): number => forward.scores[row]! + reverse.scores[row]!;
  const byName = nameOrder(runtime.nodes);
  const order = (a: number, b: number): number => score(b) - score(a) || byName(a, b);
  const rows = bestBy(surfacing(runtime, scope, surface), k, order);
  const explained = explain
    ? (
        [
          ['forward', forward],
          ['reverse', reverse],
        ] as const
      ).map(([direction, { scores }]) =>
        explainWalk(runtime, scope, { settings: { ...shared, direction }, seeds: one.seeds, scores }, rows),
      )
    : [];
  const candidates = rows.map((row, i): Candidate => {
    const hit = {
      id: runtime.nodes.id(row),
      row,
      score: score(row),
      ranks: { [NAME]: i + 1 },
      scores: { [NAME]: score(row) },
      explain: explained.flatMap((part) => part[i]!),
    };
    return candidateOf(runtime, NAME, hit, { cite: true, explain });
  });
  return {
    ...resultOf(request, NAME, candidates, [...skipped, ...found.skipped]),
    seeds: found.seeds.map(seedOf),
    iterations: { forward: forward.iterations, reverse: reverse.iterations },
    residual: { forward: forward.residual, reverse: reverse.residual },
  };
}

/** Text that says something. */
export function requireWords(text: unknown): asserts text is string {
  requireText(text);
  if (text.trim() === '') throw new CorankError('INVALID_INPUT', 'the text is blank: say what is sought');
}

export function requireSeeds(found: SeedList): SeedList {
  if (found.seeds.length > 0) return found;
  const reasons = found.skipped.map(({ message }: Skip) => `; ${message}`).join('');
  throw new CorankError('NO_SEEDS', `the query points at no visible node${reasons}`);
}

function restartAt(seeds: readonly SeedRow[], restart: 'score' | 'uniform'): OneWalk['seeds'] {
  return seeds
    .map(({ row, score }) => ({ row, weight: restart === 'uniform' ? 1 : score }))
    .sort((a, b) => a.row - b.row);
}
