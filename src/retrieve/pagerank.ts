import { MENTION_KIND } from '../score/neighbours.js';
import type { Seed, WalkSettings } from '../score/walk-request.js';
import type { Skip } from '../types.js';
import { bm25 } from './bm25.js';
import { ask, hitsOf, type RowHit } from './hits.js';
import { damping, factor, knownKeys, nonNegative, oneOf, wholeNumber } from './options.js';
import { checkRetriever, type Retriever } from './retriever.js';
import type { Runtime } from './runtime.js';
import { ChannelUnavailable } from './unavailable.js';
import { rankByWalk, type WalkKind } from './walk-sum.js';

export interface WalkOptions {
  /** Share of the mass that follows edges; the rest restarts at the seeds. 0 <= d < 1. */
  damping?: number;
  /** Stop once the scores change by no more than this in sum; default 1e-9. */
  tolerance?: number;
  /** Stop after so many steps at the latest; default 200. Not reaching the tolerance is no error. */
  maxIterations?: number;
  selfLoops?: 'ignore' | 'keep';
  /** `uniform` takes every edge as 1 whatever its stored weight. */
  edgeWeights?: 'stored' | 'uniform';
  /**
   * Factor per kind of edge; kinds not named count 1. A kind that no edge has is no error. Of links derived from
   * texts, `mentions` are those by title, `phrase` those by a shared name.
   */
  kindWeights?: Readonly<Record<string, number>>;
}

export interface PagerankOptions extends WalkOptions {
  /** Producer of the seeds; default bm25(). */
  seeds?: Retriever;
  /** How many of its first hits are seeds; default 10. */
  seedCount?: number;
  /** Restart weight is score ^ power; default 3: seeds far behind the first get little. */
  seedPower?: number;
  /** `mixed` (default): one walk over edges and weaker reversals. `sum`: forward plus reverse walk. */
  walk?: WalkKind;
  /** Weight of a reversal in a mixed walk; default 0.5. */
  reverseRatio?: number;
}

export const WALK_KEYS = [
  'damping',
  'tolerance',
  'maxIterations',
  'selfLoops',
  'edgeWeights',
  'kindWeights',
] as const;

export const WALK_KINDS = ['mixed', 'sum', 'forward', 'reverse'] as const;

/**
 * Personalised PageRank on the visible subgraph, restarting at the first hits of another retriever. Default
 * damping 0.7 with `mixed` (QUALITY section 3; 0.8 where links were derived), 0.85 otherwise (system C). Links derived
 * from the texts are walked too; phrases pass mass on and are never found. Without seeds: an empty list and
 * `no_seeds`; on an index without edges: INVALID_INPUT.
 */
export function pagerank(options: PagerankOptions = {}): Retriever {
  const settings = checked(options);
  return {
    name: 'pagerank',
    async retrieve(request, { signal }) {
      requireEdges(request.runtime);
      const found = await ask(settings.seeds, request, { signal });
      const seeds = seedsOf(found.hits, settings.seedCount, settings.seedPower);
      if (seeds.length === 0) return { hits: [], skipped: [...found.skipped, noSeeds] };
      const { kind } = settings;
      const walk = {
        ...settings.walk,
        damping: options.damping ?? usualDamping(request.runtime, kind),
        kindWeights: kindWeights(request.runtime, options.kindWeights),
        derived: derivedWeights(request.runtime, options.kindWeights),
      };
      const asked = { kind, settings: walk, seeds, limit: request.limit };
      const { list } = await rankByWalk(request.runtime, request.scope, asked, signal);
      const hits = hitsOf(request, 'pagerank', list);
      if (request.explain) for (const hit of hits) hit.explain = [{ from: `walk:${kind}`, value: hit.score }];
      return { hits, skipped: found.skipped };
    },
  };
}

const noSeeds: Skip = {
  channel: 'pagerank',
  code: 'no_seeds',
  message: 'the walk did not start: the query found no seed among the visible rows',
};

interface Settings {
  seeds: Retriever;
  seedCount: number;
  seedPower: number;
  kind: WalkKind;
  walk: Omit<WalkSettings, 'direction' | 'kindWeights' | 'derived'>;
}

function checked(options: PagerankOptions): Settings {
  knownKeys('pagerank', options, [...WALK_KEYS, 'seeds', 'seedCount', 'seedPower', 'walk', 'reverseRatio']);
  if (options.seeds !== undefined) checkRetriever(options.seeds, 'pagerank.seeds');
  const kind = oneOf('pagerank.walk', options.walk ?? 'mixed', WALK_KINDS);
  return {
    seeds: options.seeds ?? bm25(),
    seedCount: wholeNumber('pagerank.seedCount', options.seedCount ?? 10, 1, 200),
    seedPower: nonNegative('pagerank.seedPower', options.seedPower ?? 3),
    kind,
    walk: {
      ratio: factor('pagerank.reverseRatio', options.reverseRatio ?? 0.5),
      ...walkSettings('pagerank', options, 0.85),
    },
  };
}

/** The settings that every walk has, checked. */
export function walkSettings(prefix: string, options: WalkOptions, defaultDamping: number) {
  for (const [kind, weight] of Object.entries(options.kindWeights ?? {})) {
    factor(`${prefix}.kindWeights.${kind}`, weight);
  }
  return {
    damping: damping(`${prefix}.damping`, options.damping ?? defaultDamping),
    tolerance: nonNegative(`${prefix}.tolerance`, options.tolerance ?? 1e-9),
    maxIterations: wholeNumber(`${prefix}.maxIterations`, options.maxIterations ?? 200, 1, 1_000_000),
    selfLoops: oneOf(`${prefix}.selfLoops`, options.selfLoops ?? 'ignore', ['ignore', 'keep'] as const),
    edgeWeights: oneOf(`${prefix}.edgeWeights`, options.edgeWeights ?? 'stored', [
      'stored',
      'uniform',
    ] as const),
  };
}

/** Phrases spread mass widely, so a walk over them goes further (QUALITY section 3). */
function usualDamping({ index }: Runtime, kind: WalkKind): number {
  if (kind !== 'mixed') return 0.85;
  return index.directory.derived === undefined ? 0.7 : 0.8;
}

function derivedWeights({ index }: Runtime, weights: WalkOptions['kindWeights']): WalkSettings['derived'] {
  if (index.directory.derived === undefined) return undefined;
  const named = new Map(Object.entries(weights ?? {}));
  return { mentions: named.get(MENTION_KIND) ?? 1, phrase: named.get('phrase') ?? 1 };
}

/** Factors in the order of the index's kinds; undefined when all are 1. */
export function kindWeights(runtime: Runtime, weights: WalkOptions['kindWeights']): number[] | undefined {
  if (weights === undefined) return undefined;
  const named = new Map(Object.entries(weights));
  return runtime.index.directory.graph!.kinds.map((kind) => named.get(kind) ?? 1);
}

/** Throws when the index was built without an edge table: a declared setting, not a matter of rows. */
export function requireEdges(runtime: Runtime): void {
  if (runtime.index.directory.graph !== undefined) return;
  const message = 'this index was built without edges: give --edges (edges) when building it';
  throw new ChannelUnavailable({ channel: 'pagerank', code: 'no_edges', message }, message);
}

/**
 * The first hits with a positive score as seeds, ascending by row. Scores are taken relative to the best, so
 * that powers neither overflow nor vanish together.
 */
export function seedsOf(hits: readonly RowHit[], count: number, power: number): Seed[] {
  const first = hits.slice(0, count).filter((hit) => hit.score > 0);
  const best = first.reduce((most, hit) => Math.max(most, hit.score), 0);
  return first
    .map((hit) => ({ row: hit.row, weight: positivePower(hit.score / best, power) }))
    .filter((seed) => seed.weight > 0)
    .sort((a, b) => a.row - b.row);
}

/** x ^ power for 0 < x <= 1. Whole powers by multiplication: Math.pow may differ in its last bit between engines. */
function positivePower(x: number, power: number): number {
  if (!Number.isInteger(power) || power > 64) return x ** power;
  let product = 1;
  for (let i = 0; i < power; i++) product *= x;
  return product;
}
