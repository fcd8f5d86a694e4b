import { setImmediate as nextTurn } from 'node:timers/promises';
import { compareIds } from '../index/id-order.js';
import type { Contribution, Skip, Via } from '../types.js';
import type { Graph, GraphEdge } from './graph.js';
import { ask, type RowHits } from './hits.js';
import { countOr, flag, knownKeys, oneOf, stringList } from './options.js';
import {
  checkRetriever,
  type Hit,
  type RetrieveOptions,
  type RetrieveRequest,
  type Retriever,
} from './retriever.js';

export interface GraphCompletionOptions {
  /** Producer of the seeds, required. */
  seeder: Retriever;
  /** Neighbours that one seed may add; default 8, which a number below 1 means too. */
  maxSeedExpansion?: number;
  /** Kinds of edges to follow; none: all. */
  edgeKinds?: readonly string[];
  /** Along the edges (default), against them, or both ways. */
  direction?: 'out' | 'in' | 'both';
  /** Three seeds, two expansions, and so on (default); false: all seeds first, as in the original. */
  interleave?: boolean;
  /** What a cancelled search gives: the signal's reason, thrown (default), or what there is by then, and says so. */
  onCancel?: 'throw' | 'partial';
}

const MAX_SEED_EXPANSION = 8;
/** The output takes so many seeds, then so many expansions, and so on. */
const SEEDS_PER_TURN = 3;
const EXPANSIONS_PER_TURN = 2;
/** The score of a place in the output: 1 / (60 + rank), as in reciprocal rank fusion. */
const RANK_CONSTANT = 60;
/** After so many milliseconds at one go, others have a turn, among them who may want to cancel. */
const AT_ONE_GO = 8;

/**
 * One hop along the edges of another retriever's hits (system A): every seed adds its heaviest neighbours that are
 * neither seeds nor added before, and says by which edge. Edges of other kinds and neighbours that are there already
 * do not count. Whatever the options, seeds keep their order, and expansions that of their seeds.
 */
export function graphCompletion(options: GraphCompletionOptions): Retriever {
  const settings = checked(options);
  const { seeder, interleave, onCancel } = settings;
  return {
    name: 'graph_completion',
    onCancel,
    async retrieve(request, { signal }) {
      const found = await seedsOf(seeder, request, { signal }, onCancel);
      const { expansions, done } = await expand(settings, request, found.hits, signal);
      const order = interleave ? inTurns(found.hits, expansions) : [...found.hits, ...expansions];
      const hits = order.slice(0, request.limit).map((hit, i) => placed(hit, i + 1, request.explain));
      const isCut = signal?.aborted && (done < found.hits.length || done === 0);
      const cut = isCut ? [cancelled(done, found.hits.length)] : [];
      return { hits, skipped: [...found.skipped, ...cut] };
    },
  };
}

type Settings = Required<GraphCompletionOptions>;

function checked(options: GraphCompletionOptions): Settings {
  const known = ['seeder', 'maxSeedExpansion', 'edgeKinds', 'direction', 'interleave', 'onCancel'];
  knownKeys('graphCompletion', options, known);
  checkRetriever(options.seeder, 'graphCompletion needs a seeder, the retriever whose hits it expands');
  const of = (name: string) => `graphCompletion.${name}`;
  return {
    seeder: options.seeder,
    maxSeedExpansion: countOr(of('maxSeedExpansion'), options.maxSeedExpansion, MAX_SEED_EXPANSION),
    edgeKinds: stringList(of('edgeKinds'), options.edgeKinds ?? []),
    direction: oneOf(of('direction'), options.direction ?? 'out', ['out', 'in', 'both']),
    interleave: flag(of('interleave'), options.interleave ?? true),
    onCancel: oneOf(of('onCancel'), options.onCancel ?? 'throw', ['throw', 'partial']),
  };
}

/** The seeder's hits; none when it is cancelled and what there is by then is wanted. */
async function seedsOf(
  seeder: Retriever,
  request: RetrieveRequest,
  { signal }: RetrieveOptions,
  onCancel: Settings['onCancel'],
): Promise<RowHits> {
  try {
    return await ask(seeder, request, { signal });
  } catch (cause) {
    if (onCancel === 'partial' && signal?.aborted) return { hits: [], skipped: [] };
    throw cause;
  }
}

/** The expansions of all seeds in their order, and how many seeds were expanded before a cancellation. */
async function expand(
  { maxSeedExpansion, edgeKinds, direction, onCancel }: Settings,
  { graph }: RetrieveRequest,
  seeds: readonly Hit[],
  signal: AbortSignal | undefined,
): Promise<{ expansions: Hit[]; done: number }> {
  const expansions: Hit[] = [];
  const edgesOf = signal?.aborted ? () => [] : edgesAt(graph, seeds, direction);
  const seen = new Set(seeds.map(({ id }) => id));
  let done = 0;
  let turn = performance.now();
  for (const seed of seeds) {
    if (performance.now() - turn > AT_ONE_GO) {
      await nextTurn();
      turn = performance.now();
    }
    if (onCancel === 'throw') signal?.throwIfAborted();
    if (signal?.aborted) break;
    let added = 0;
    for (const { id, kind, along } of edgesOf(seed.id)) {
      if (added === maxSeedExpansion) break;
      if (seen.has(id) || (edgeKinds.length > 0 && !edgeKinds.includes(kind))) continue;
      seen.add(id);
      added++;
      const via: Via = { from: seed.id, edgeKind: kind, direction: along };
      expansions.push({ id, score: 0, ranks: {}, scores: {}, via });
    }
    done++;
  }
  return { expansions, done };
}

type Neighbour = GraphEdge & { along: Via['direction'] };

/** One read of the graph a direction, for all seeds; then each seed's edges, heaviest first, then by id. */
function edgesAt(graph: Graph, seeds: readonly Hit[], direction: Settings['direction']) {
  const ids = seeds.map(({ id }) => id);
  const out = direction === 'in' ? undefined : graph.outEdges(ids);
  const back = direction === 'out' ? undefined : graph.inEdges(ids);
  return (id: string): Neighbour[] => {
    const outward = (out?.get(id) ?? []).map((edge): Neighbour => ({ ...edge, along: 'out' }));
    const inward = (back?.get(id) ?? []).map((edge): Neighbour => ({ ...edge, along: 'in' }));
    if (out === undefined || back === undefined) return [...outward, ...inward];
    // A stable order: of two edges to one node the heavier, of equal ones that along the edge comes first.
    return [...outward, ...inward].sort((a, b) => b.weight - a.weight || compareIds(a.id, b.id));
  };
}

function inTurns(seeds: readonly Hit[], expansions: readonly Hit[]): Hit[] {
  const out: Hit[] = [];
  for (let s = 0, e = 0; s < seeds.length || e < expansions.length; ) {
    out.push(...seeds.slice(s, s + SEEDS_PER_TURN), ...expansions.slice(e, e + EXPANSIONS_PER_TURN));
    s += SEEDS_PER_TURN;
    e += EXPANSIONS_PER_TURN;
  }
  return out;
}

function placed(hit: Hit, rank: number, explain: boolean): Hit {
  const score = 1 / (RANK_CONSTANT + rank);
  const { explain: _, ...rest } = hit;
  const contributions: Contribution[] = [{ from: 'graph_completion:rank', value: score }];
  return { ...rest, score, ...(explain ? { explain: contributions } : {}) };
}

const cancelled = (done: number, seeds: number): Skip => ({
  channel: 'graph_completion',
  code: 'cancelled',
  message:
    seeds === 0
      ? 'the search was cancelled before there was a seed'
      : `the search was cancelled when ${done} of ${seeds} seeds had been expanded`,
});
