import type { Scope } from '../access/scope.js';
import { CorankError, quote } from '../errors.js';
import { DEFAULT_EDGE_KIND } from '../index/edge-table.js';
import { bestBy } from '../rank/best-by.js';
import { placeOrder } from '../rank/citation-order.js';
import { DEFAULT_DEPTH, localizeLimits } from '../rank/limit.js';
import type { Candidate, Contribution, Query, Result, Skip } from '../types.js';
import { candidateOf, resultOf } from './candidate.js';
import { knownKeys, oneOf } from './options.js';
import { requireEdges } from './pagerank.js';
import { requireSeeds, requireWords } from './rank-by-query.js';
import { requestOf } from './request.js';
import type { Runtime } from './runtime.js';
import { ASKING_KEYS } from './seeds/match.js';
import { SEED_KEYS, type SeedOptions, seedSettings } from './seeds/options.js';
import { type Seed, seedOf } from './seeds/seed.js';
import { seedsOf } from './seeds/seeds-of.js';
import { SURFACES, type Surface, showsCode, usualSurface } from './surface.js';

export interface LocalizeRequest extends Query, SeedOptions {
  /** Edges from a seed at most, 0 to 5; default 3. */
  depth?: number;
  /** Kinds of edges that are walked; default KINDS, in capitals or small letters, and edges that name no kind. */
  kinds?: readonly string[];
  /** What may be shown; default `code` on an index of code, else `all`. */
  surface?: Surface;
  /** Adds what each seed gave, and along which edges. */
  explain?: boolean;
}

export interface LocalizedCandidate extends Candidate {
  /** Edges to the nearest seed. */
  distance: number;
  /** Of the edges by which seeds came to it first, ascending; none for what only is a seed. */
  kinds: string[];
}

export interface LocalizeResult extends Result {
  candidates: LocalizedCandidate[];
  /** Those that were walked from: the first 20. */
  seeds: Seed[];
}

const NAME = 'localize';
const SEEDS = 20;
const KEYS = [...ASKING_KEYS, 'k', ...SEED_KEYS, 'depth', 'kinds', 'surface', 'explain'];

/** The kinds of edges that system C walks. */
const KINDS: ReadonlySet<string> = new Set([
  ...['CALLS', 'DEFINES', 'DEFINES_METHOD', 'IMPORTS', 'CONTAINS', 'MEMBER_OF', 'USES_TYPE', 'IMPLEMENTS'],
  'OVERRIDE',
]);

/**
 * System C's localisation of an issue (C.9): what lies within a few edges of the query's first 20 seeds. A seed gives
 * its score, halved with every edge; what several reach adds up. k from 1 to 50, default 10. Ties: distance, path,
 * lines, qualified name, kind, name, id. Throws INVALID_INPUT for blank text and on an index without edges, NO_SEEDS
 * when the query points at no visible node.
 */
export async function localize(
  runtime: Runtime,
  scope: Scope,
  alive: () => boolean,
  request: LocalizeRequest,
  signal: AbortSignal | undefined,
): Promise<LocalizeResult> {
  knownKeys(NAME, request, KEYS);
  requireWords(request.text);
  const { k, depth, skipped } = localizeLimits(request.k, request.depth);
  const settings = seedSettings(request);
  const surface = oneOf('surface', request.surface ?? usualSurface(runtime.manifest), SURFACES);
  const isWalked = walkedKinds(request.kinds);
  requireEdges(runtime);
  const all = runtime.index.directory.graph!.kinds;
  const kinds = [...all.keys()].filter((kind) => isWalked(all[kind]!));
  const asked = requestOf(runtime, request, scope, alive, { limit: DEFAULT_DEPTH, explain: false });
  const found = requireSeeds(await seedsOf(asked, settings, signal));
  const first = found.seeds.slice(0, SEEDS);
  const seeds = first.map(({ row, score }) => ({ row, weight: score }));
  const reached = await runtime.pool.run('localize', scope, { seeds, depth, kinds }, signal);

  const { rows, scores, distances, kindWords } = reached;
  const byPlace = placeOrder(runtime.nodes);
  const order = (a: number, b: number): number =>
    scores[b]! - scores[a]! || distances[a]! - distances[b]! || byPlace(rows[a]!, rows[b]!);
  const shows = surface === 'all' ? () => true : showsCode(runtime.nodes);
  const shown = [...rows.keys()].filter((place) => shows(rows[place]!));
  const cameBy = (place: number): string[] =>
    kinds
      .filter((_, bit) => (reached.kinds[place * kindWords + (bit >> 5)]! & (1 << (bit & 31))) !== 0)
      .map((kind) => all[kind]!);
  const places = bestBy(shown, k, order);
  const explain = request.explain ?? false;
  const asking = { seeds, depth, kinds, rows: places.map((place) => rows[place]!) };
  const ways = explain ? await runtime.pool.run('localizeWays', scope, asking, signal) : [];
  const contributions = (i: number): Contribution[] =>
    ways[i]!.map(({ seed, value, steps }) => {
      const id = runtime.nodes.id(seeds[seed]!.row);
      const named = steps.map(({ row, bit, direction }) => ({
        kind: all[kinds[bit]!]!,
        direction,
        to: runtime.nodes.id(row),
      }));
      const path = { seed: id, share: value / scores[places[i]!]!, steps: named };
      return { from: 'localize:seed', value, path };
    });
  const candidates = places.map((place, i): LocalizedCandidate => {
    const [row, score] = [rows[place]!, scores[place]!];
    const hit = {
      id: runtime.nodes.id(row),
      row,
      score,
      ranks: { [NAME]: i + 1 },
      scores: { [NAME]: score },
      ...(explain ? { explain: contributions(i) } : {}),
    };
    const candidate = candidateOf(runtime, NAME, hit, { cite: true, explain });
    return { ...candidate, distance: distances[place]!, kinds: cameBy(place) };
  });
  const capped = found.seeds.length > SEEDS ? [cappedAt(found.seeds.length - SEEDS)] : [];
  const result = resultOf(request, NAME, candidates, [...skipped, ...found.skipped, ...capped]);
  return { ...result, seeds: first.map(seedOf) };
}

function walkedKinds(asked: readonly string[] | undefined): (kind: string) => boolean {
  if (asked === undefined) return (kind) => kind === DEFAULT_EDGE_KIND || KINDS.has(kind.toUpperCase());
  if (!Array.isArray(asked) || asked.some((kind) => typeof kind !== 'string'))
    throw new CorankError('INVALID_INPUT', `kinds must be a list of kinds of edges, got ${quote(asked)}`);
  return (kind) => asked.includes(kind);
}

const cappedAt = (count: number): Skip => ({
  channel: NAME,
  code: 'seeds_capped',
  message: `only the first ${SEEDS} seeds are walked from; ${count} are left out`,
  count,
});
