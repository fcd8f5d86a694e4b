import { CorankError } from '../errors.js';
import { MENTION_KIND } from '../score/neighbours.js';
import type { WalkSettings } from '../score/walk-request.js';
import type { Skip } from '../types.js';
import { bm25 } from './bm25.js';
import { ask, hitsOf } from './hits.js';
import { damping, factor, knownKeys, nonNegative, oneOf, wholeNumber } from './options.js';
import { checkRetriever, type Retriever } from './retriever.js';
import type { Runtime } from './runtime.js';
import { SEED_WEIGHT_KEYS, type SeedWeightOptions, seedWeightSettings, weighted } from './seeds/weights.js';
import { ChannelUnavailable } from './unavailable.js';
import { rankByWalk, type WalkKind } from './walk-sum.js';

export interface WalkOptions {
  /** Share of the mass that follows edges; the rest restarts at the seeds. 0 <= d < 1. */
  damping?: number;
  /** Stop once the scores change by no more than this in sum; default 1e-9. */
  tolerance?: number;
  /** Stop after so many steps at the latest; default 200. Not reaching the tolerance is no error. */
  maxIterations?: number;
  /** Another name of maxIterations, system C's: with `tolerance: 0` so many steps are taken. Give one of both. */
  iterations?: number;
  selfLoops?: 'ignore' | 'keep';
  /** `uniform` takes every edge as 1 whatever its stored weight. */
  edgeWeights?: 'stored' | 'uniform';
  /**
   * Factor per kind of edge; kinds not named count 1. A kind that no edge has is no error. Of links derived from
   * texts, `mentions` are those by title, `phrase` those by a shared name.
   */
  kindWeights?: Readonly<Record<string, number>>;
}

export interface PagerankOptions extends WalkOptions, SeedWeightOptions {
  /** Producer of the seeds; default bm25(). */
  seeds?: Retriever;
  /** `mixed` (default): one walk over edges and weaker reversals. `sum`: forward plus reverse walk. */
  walk?: WalkKind;
  /** Weight of a reversal in a mixed walk; default 0.3. */
  reverseRatio?: number;
}

export const WALK_KEYS = [
  'damping',
  'tolerance',
  'maxIterations',
  'iterations',
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
      const seeds = weighted(found.hits, settings.weights).sort((a, b) => a.row - b.row);
      if (seeds.length === 0) return { hits: [], skipped: [...found.skipped, noSeeds] };
      const { kind } = settings;
      const walk = {
        ...settings.walk,
        damping: options.damping ?? usualDamping(request.runtime, kind),
        kindWeights: kindWeights(request.runtime, options.kindWeights),
        derived: derivedWeights(request.runtime, options.kindWeights),
      };
      const asked = {
        kind,
        settings: walk,
        seeds: seeds.map(({ row, weight }) => ({ row, weight })),
        limit: request.limit,
        explain: request.explain,
      };
      const { list, explained } = await rankByWalk(request.runtime, request.scope, asked, signal);
      const hits = hitsOf(request, 'pagerank', list);
      if (explained !== undefined) for (const [i, hit] of hits.entries()) hit.explain = explained[i]!;
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
  weights: Required<SeedWeightOptions>;
  kind: WalkKind;
  walk: Omit<WalkSettings, 'direction' | 'kindWeights' | 'derived'>;
}

function checked(options: PagerankOptions): Settings {
  knownKeys('pagerank', options, [...WALK_KEYS, ...SEED_WEIGHT_KEYS, 'seeds', 'walk', 'reverseRatio']);
  if (options.seeds !== undefined) checkRetriever(options.seeds, 'pagerank.seeds');
  const kind = oneOf('pagerank.walk', options.walk ?? 'mixed', WALK_KINDS);
  return {
    seeds: options.seeds ?? bm25(),
    weights: seedWeightSettings('pagerank.', options),
    kind,
    walk: {
      ratio: factor('pagerank.reverseRatio', options.reverseRatio ?? 0.3),
      ...walkSettings('pagerank', options, 0.85),
    },
  };
}

/** The settings that every walk has, checked. */
export function walkSettings(prefix: string, options: WalkOptions, defaultDamping: number) {
  for (const [kind, weight] of Object.entries(options.kindWeights ?? {})) {
    factor(`${prefix}.kindWeights.${kind}`, weight);
  }
  const { iterations, maxIterations } = options;
  if (iterations !== undefined && maxIterations !== undefined) {
    const message = `${prefix}: iterations and maxIterations are one option; give one of them`;
    throw new CorankError('INVALID_INPUT', message);
  }
  const most = iterations === undefined ? 'maxIterations' : 'iterations';
  return {
    damping: damping(`${prefix}.damping`, options.damping ?? defaultDamping),
    tolerance: nonNegative(`${prefix}.tolerance`, options.tolerance ?? 1e-9),
    maxIterations: wholeNumber(`${prefix}.${most}`, options[most] ?? 200, 1, 1_000_000),
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
