import type { Scope } from '../../access/scope.js';
import { CorankError, quote } from '../../errors.js';
import { bitmapWords, isSet } from '../../memory/bitmap.js';
import { DEFAULT_DEPTH } from '../../rank/limit.js';
import { BOUNDARIES, type Boundaries } from '../../score/boundaries.js';
import { seedMatchScore } from '../../score/seed-match.js';
import type { Query, Skip } from '../../types.js';
import { knownKeys, oneOf } from '../options.js';
import { requestOf } from '../request.js';
import type { Runtime } from '../runtime.js';
import {
  SEED_KEYS,
  type SeedOptions,
  type SeedSettings,
  type SeedStrategy,
  seedSettings,
} from './options.js';
import { type Seed, seedOf } from './seed.js';
import { seedsOf } from './seeds-of.js';

export interface SeedRequest extends Omit<Query, 'k'>, SeedOptions {}

/** In the order of the strategy. Blank text has no seeds. */
export interface SeedsResult {
  /** The query's id, when it had one. */
  id?: string;
  seeds: Seed[];
  skipped: Skip[];
}

/** What of a request says who asks what. */
export const ASKING_KEYS = [
  ...['id', 'text', 'principal', 'sources', 'filters', 'embedding', 'embeddingModel'],
];

/** The seeds of a query; `strategy` when the question itself names it. */
export async function matchSeeds(
  runtime: Runtime,
  scope: Scope,
  alive: () => boolean,
  request: SeedRequest,
  signal: AbortSignal | undefined,
  strategy?: SeedStrategy,
): Promise<SeedsResult> {
  const keys = strategy === undefined ? SEED_KEYS : SEED_KEYS.filter((key) => key !== 'strategy');
  knownKeys('seeds', request, [...ASKING_KEYS, ...keys]);
  requireText(request.text);
  const settings: SeedSettings = seedSettings(strategy === undefined ? request : { ...request, strategy });
  const id = request.id === undefined ? {} : { id: request.id };
  if (request.text.trim() === '') return { ...id, seeds: [], skipped: [] };
  const asked = requestOf(runtime, request, scope, alive, { limit: DEFAULT_DEPTH, explain: false });
  const { seeds, skipped } = await seedsOf(asked, settings, signal);
  return { ...id, seeds: seeds.map(seedOf), skipped };
}

export function requireText(text: unknown): asserts text is string {
  if (typeof text !== 'string') throw new CorankError('INVALID_INPUT', 'a query needs a text, a string');
}

export interface SeedMatchRequest extends Omit<Query, 'k' | 'embedding' | 'embeddingModel'> {
  /** Id of the node. */
  node: string;
  boundaries?: Boundaries;
}

/** SeedMatchScore of one node: see seedMatchScore. 1 for a node that is hidden or unknown, which are one answer. */
export function seedMatchScoreOf({ nodes, index }: Runtime, scope: Scope, request: SeedMatchRequest): number {
  knownKeys('seedMatchScore', request, [
    ...['id', 'text', 'principal', 'sources', 'filters', 'node', 'boundaries'],
  ]);
  requireText(request.text);
  if (typeof request.node !== 'string')
    throw new CorankError('INVALID_INPUT', `node must be the id of a node, got ${quote(request.node)}`);
  const boundaries = oneOf('boundaries', request.boundaries ?? 'identifier', BOUNDARIES);
  const row = nodes.row(request.node);
  const visible = index.u32(scope.bitmapAt, bitmapWords(index.nodes));
  const node = row >= 0 && isSet(visible, row) ? nodes.citation(row) : undefined;
  return seedMatchScore(node, request.text, { boundaries });
}
