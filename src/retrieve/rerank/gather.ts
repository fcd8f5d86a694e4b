import { DEFAULT_EDGE_KIND } from '../../index/edge-table.js';
import type { RerankCandidate } from '../../rank/rerank/batch.js';
import { proximitySeeds } from '../../rank/rerank/graph.js';
import type { Skip } from '../../types.js';
import type { RowHit } from '../hits.js';
import type { RetrieveRequest } from '../retriever.js';
import { type Cosines, queryCosines } from './cosines.js';
import { fieldReader } from './fields.js';
import { folded, LinkReader, USES } from './links.js';
import type { RerankSettings } from './options.js';
import { provided } from './provider.js';

/** Channels whose ranks count as those of words and of vectors: the first that returned a candidate. */
const WORD_CHANNELS = ['bm25', 'cover_density'];
const VECTOR_CHANNELS = ['dense', 'hnsw'];

const FIELDS = ['kind', 'name', 'qualifiedName', 'path', 'documentId', 'signature'] as const;

/** The walk of `proximity` (spec A.5): 40 steps, restart .15; what is not among the first 4,096 is not reached. */
const WALK = {
  direction: 'forward',
  damping: 0.85,
  tolerance: 0,
  maxIterations: 40,
  ratio: 0,
  selfLoops: 'ignore',
  edgeWeights: 'stored',
} as const;
const REACHED = 4096;

export interface Gathered {
  candidates: RerankCandidate[];
  skipped: Skip[];
}

/**
 * What the signals need of some hits, read from columns, visible rows and visible edges, and asked of the provider.
 * Rows and communities are numbered anew, so that no number tells of hidden rows.
 */
export async function gather(
  request: RetrieveRequest,
  settings: RerankSettings,
  hits: readonly RowHit[],
  signal: AbortSignal | undefined,
): Promise<Gathered> {
  const { runtime, scope, text } = request;
  const rows = hits.map(({ row }) => row);
  const wanted = new Set(settings.signals.flatMap(({ signal, weight }) => (weight > 0 ? signal.name : [])));
  const hasEdges = runtime.index.directory.graph !== undefined;
  const ranked = hits.map((hit) => ({
    row: hit.row,
    textRank: rankIn(hit, WORD_CHANNELS),
    vectorRank: rankIn(hit, VECTOR_CHANNELS),
  }));
  const ids = hits.map(({ id }) => id);
  const [told, cosines, authorities, communities, near] = await Promise.all([
    provided(settings.provider, { text, ids }, signal),
    wanted.has('semantic_cosine') ? queryCosines(request, settings, rows, signal) : NO_COSINES,
    hasEdges && wanted.has('hits') ? runtime.pool.run('authorities', scope, { rows }, signal) : undefined,
    hasEdges && wanted.has('community')
      ? runtime.pool.run('communities', scope, { rows }, signal)
      : undefined,
    hasEdges && wanted.has('proximity') ? proximities(request, settings, ranked, signal) : undefined,
  ]);
  const places = new Map([...rows].sort((a, b) => a - b).map((row, place) => [row, place]));
  const labels = new Map<number, number>();
  const describe = describer(request, places);
  const candidates = hits.map((hit, i): RerankCandidate => {
    const { textRank, vectorRank } = ranked[i]!;
    const own: Partial<RerankCandidate> = { ...describe(hit.row), ...told.inputs.get(hit.id) };
    if (textRank !== undefined) own.textRank = textRank;
    if (vectorRank !== undefined) own.vectorRank = vectorRank;
    if (cosines.values[i] !== undefined) own.cosine = cosines.values[i];
    if (authorities !== undefined) {
      own.authority = authorities.authority[i]!;
      own.hub = authorities.hub[i]!;
    }
    if (communities !== undefined) own.community = numbered(labels, communities[i]!);
    if (near !== undefined) own.proximity = near.get(hit.row) ?? 0;
    return { id: hit.id, row: places.get(hit.row)!, rank: i + 1, score: hit.score, ...own };
  });
  return { candidates, skipped: [...told.skipped, ...cosines.skipped] };
}

const NO_COSINES: Cosines = { values: [], skipped: [] };

/** What columns and edges say of a row. */
function describer({ runtime, scope }: RetrieveRequest, places: ReadonlyMap<number, number>) {
  const columns = FIELDS.flatMap((name) => {
    const view = runtime.nodes.text(name);
    return view === undefined ? [] : [{ name, view }];
  });
  const fields = fieldReader(runtime.fields);
  const reader = runtime.edges === undefined ? undefined : new LinkReader(runtime, scope);
  return (row: number): Partial<RerankCandidate> => {
    const told: Partial<RerankCandidate> = fields(row);
    for (const { name, view } of columns) {
      const value = view.get(row);
      if (value !== undefined) told[name] = value;
    }
    if (reader === undefined) return told;
    const links = reader.links(row);
    const similar = links.similar.flatMap(({ row: other, similarity }) => {
      const place = places.get(other);
      return place === undefined ? [] : [{ row: place, similarity }];
    });
    told.links = { ...links, similar };
    const ties = told.path === undefined ? undefined : reader.coChange(row, told.path);
    if (ties !== undefined) told.coChange = ties;
    return told;
  };
}

/** A rank of 1 or more; ranks of a retriever of the caller's own may be anything. */
function rankIn({ ranks = {} }: RowHit, channels: readonly string[]): number | undefined {
  const found = channels.filter((channel) => Object.hasOwn(ranks, channel)).map((channel) => ranks[channel]!);
  return found.find((rank) => Number.isInteger(rank) && rank >= 1);
}

function numbered(labels: Map<number, number>, label: number): number {
  const known = labels.get(label) ?? labels.size;
  labels.set(label, known);
  return known;
}

/** Scores of a walk from the best candidates along calls, references and edges that name no kind; in prose along all. */
async function proximities(
  { runtime, scope }: RetrieveRequest,
  { prose }: RerankSettings,
  ranked: readonly { row: number; textRank: number | undefined; vectorRank: number | undefined }[],
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<number, number> | undefined> {
  const seeds = proximitySeeds(ranked)
    .map(({ row }) => ({ row, weight: 1 }))
    .sort((a, b) => a.row - b.row);
  if (seeds.length === 0) return undefined;
  const isWalked = (kind: string): boolean => prose || kind === DEFAULT_EDGE_KIND || USES.has(folded(kind));
  const { graph, derived } = runtime.index.directory;
  const settings = {
    ...WALK,
    kindWeights: graph!.kinds.map((kind) => (isWalked(kind) ? 1 : 0)),
    derived: derived === undefined ? undefined : { mentions: 1, phrase: 0 },
  };
  const { list } = await runtime.walks.ask(scope, settings, { seeds, limit: REACHED }, signal);
  // Where no edge is walked all seeds keep their equal share, which says nothing.
  if (list!.scores.every((score) => score === list!.scores[0])) return undefined;
  return new Map(Array.from(list!.rows, (row, i) => [row, list!.scores[i]!]));
}
