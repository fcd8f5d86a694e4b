import type { Scope } from '../access/scope.js';
import { CorankError, quote } from '../errors.js';
import { bitmapWords, isSet } from '../memory/bitmap.js';
import type { Query } from '../types.js';
import { knownKeys, oneOf, positive } from './options.js';
import { kindWeights, requireEdges, WALK_KEYS, type WalkOptions, walkSettings } from './pagerank.js';
import type { Runtime } from './runtime.js';

export interface BareWalkRequest
  extends Omit<Query, 'text' | 'k' | 'embedding' | 'embeddingModel'>,
    WalkOptions {
  /** Where the walk restarts; weights (default 1, above 0) are divided by their sum, repeats add up. */
  seeds: readonly { id: string; weight?: number }[];
  /** Default `both`. */
  direction?: 'forward' | 'reverse' | 'both';
}

/** Scores of the visible nodes by place in `ids`; each walk sums to 1. A direction not asked for is all 0. */
export interface BareWalk {
  ids: string[];
  forward: Float64Array;
  reverse: Float64Array;
  iterations: { forward: number; reverse: number };
  /** L1 change of the last step; above the tolerance when maxIterations came first. */
  residual: { forward: number; reverse: number };
}

const REQUEST_KEYS = ['id', 'principal', 'sources', 'filters', 'seeds', 'direction', ...WALK_KEYS];

/**
 * Personalised PageRank from given seeds, along the edges and against them. Damping 0.85 by default. Throws
 * NO_SEEDS when none are given, INVALID_INPUT for a seed that is not visible: unknown and hidden are one answer.
 */
export async function bareWalk(
  runtime: Runtime,
  scope: Scope,
  request: BareWalkRequest,
  signal: AbortSignal | undefined,
): Promise<BareWalk> {
  knownKeys('walk', request, REQUEST_KEYS);
  const direction = oneOf('direction', request.direction ?? 'both', ['forward', 'reverse', 'both'] as const);
  const settings = walkSettings('walk', request, 0.85);
  requireEdges(runtime);
  const visible = runtime.index.u32(scope.bitmapAt, bitmapWords(runtime.index.nodes));
  const walk = { ...settings, ratio: 0, kindWeights: kindWeights(runtime, request.kindWeights) };
  const one = { seeds: seedRows(runtime, visible, request.seeds), limit: undefined };
  const rows: number[] = [];
  for (let row = 0; row < runtime.index.nodes; row++) if (isSet(visible, row)) rows.push(row);
  const walked = async (way: 'forward' | 'reverse') => {
    if (direction !== 'both' && direction !== way)
      return { scores: new Float64Array(rows.length), iterations: 0, residual: 0 };
    const answer = await runtime.walks.ask(scope, { ...walk, direction: way }, one, signal);
    return { ...answer, scores: Float64Array.from(rows, (row) => answer.scores![row]!) };
  };
  const [forward, reverse] = await Promise.all([walked('forward'), walked('reverse')]);
  return {
    ids: rows.map((row) => runtime.nodes.id(row)),
    forward: forward.scores,
    reverse: reverse.scores,
    iterations: { forward: forward.iterations, reverse: reverse.iterations },
    residual: { forward: forward.residual, reverse: reverse.residual },
  };
}

function seedRows(
  runtime: Runtime,
  visible: Uint32Array,
  seeds: BareWalkRequest['seeds'],
): { row: number; weight: number }[] {
  if (!Array.isArray(seeds))
    throw new CorankError('INVALID_INPUT', `seeds must be a list, got ${quote(seeds)}`);
  if (seeds.length === 0) throw new CorankError('NO_SEEDS', 'a walk needs at least one seed');
  const placed = seeds.map((seed: unknown) => {
    const { id, weight = 1 } = (seed ?? {}) as { id?: unknown; weight?: unknown };
    const row = typeof id === 'string' ? runtime.nodes.row(id) : -1;
    if (row < 0 || !isSet(visible, row)) {
      throw new CorankError('INVALID_INPUT', `seed ${quote(id)} is no node that this caller can see`);
    }
    return { row, weight: positive(`weight of seed ${quote(id)}`, weight) };
  });
  // Relative to the heaviest, so that repeats cannot overflow.
  const heaviest = placed.reduce((most, seed) => Math.max(most, seed.weight), 0);
  const weights = new Map<number, number>();
  for (const { row, weight } of placed) weights.set(row, (weights.get(row) ?? 0) + weight / heaviest);
  return [...weights]
    .map(([row, weight]) => ({ row, weight }))
    .filter((seed) => seed.weight > 0)
    .sort((a, b) => a.row - b.row);
}
