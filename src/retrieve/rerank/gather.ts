import type { RerankCandidate } from '../../rank/rerank/batch.js';
import { boundedWalk } from '../../rank/rerank/bounded-walk.js';
import { proximitySeeds } from '../../rank/rerank/graph.js';
import { isTestPath } from '../../rank/rerank/paths.js';
import type { Skip } from '../../types.js';
import type { RowHit } from '../hits.js';
import type { RetrieveRequest } from '../retriever.js';
import type { Runtime } from '../runtime.js';
import { type Cosines, queryCosines } from './cosines.js';
import { fieldTeller } from './fields.js';
import { isUse, LinkReader } from './links.js';
import type { RerankSettings } from './options.js';
import { provided } from './provider.js';

/** Channels whose ranks count as those of words and of vectors: the first that returned a candidate. */
const WORD_CHANNELS = ['bm25', 'cover_density'];
const VECTOR_CHANNELS = ['dense', 'hnsw'];

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
  const [told, cosines, authorities, communities] = await Promise.all([
    provided(settings.provider, { text, ids }, signal),
    wanted.has('semantic_cosine') ? queryCosines(request, settings, rows, signal) : NO_COSINES,
    hasEdges && wanted.has('hits') ? runtime.pool.run('authorities', scope, { rows }, signal) : undefined,
    hasEdges && wanted.has('community')
      ? runtime.pool.run('communities', scope, { rows }, signal)
      : undefined,
  ]);
  const reader = hasEdges ? new LinkReader(runtime, scope) : undefined;
  const near =
    reader !== undefined && wanted.has('proximity') ? proximities(reader, settings, ranked) : undefined;
  const places = new Map([...rows].sort((a, b) => a - b).map((row, place) => [row, place]));
  const labels = new Map<number, number>();
  const columns = columnsOf(runtime);
  const tellFields = fieldTeller(runtime.fields);
  const tests = new Map<string, boolean>();
  const isTest = (path: string | undefined): boolean => {
    if (path === undefined) return false;
    const known = tests.get(path) ?? isTestPath(path);
    tests.set(path, known);
    return known;
  };
  const candidates = hits.map(({ id, row, score }, i): RerankCandidate => {
    const path = columns.path?.get(row);
    // Whole at once: objects that grow are slow.
    const candidate: RerankCandidate = {
      id,
      row: places.get(row)!,
      rank: i + 1,
      score,
      textRank: ranked[i]!.textRank,
      vectorRank: ranked[i]!.vectorRank,
      cosine: cosines.values[i],
      kind: columns.kind?.get(row),
      name: columns.name?.get(row),
      qualifiedName: columns.qualifiedName?.get(row),
      path,
      isTest: isTest(path),
      documentId: columns.documentId?.get(row),
      signature: columns.signature?.get(row),
      links: reader?.links(row, places),
      coChange: path === undefined ? undefined : reader?.coChange(row, path),
      authority: authorities?.authority[i],
      hub: authorities?.hub[i],
      community: communities === undefined ? undefined : numbered(labels, communities[i]!),
      proximity: near === undefined ? undefined : (near.get(row) ?? 0),
      churn: undefined,
      authors: undefined,
      lastAuthored: undefined,
      repo: undefined,
      project: undefined,
      exported: undefined,
      feedback: undefined,
      frecency: undefined,
      combo: undefined,
    };
    tellFields(row, candidate);
    return told.inputs.size === 0 ? candidate : Object.assign(candidate, told.inputs.get(id));
  });
  return { candidates, skipped: [...told.skipped, ...cosines.skipped] };
}

const NO_COSINES: Cosines = { values: [], skipped: [] };

const columnsOf = ({ nodes }: Runtime) => ({
  kind: nodes.text('kind'),
  name: nodes.text('name'),
  qualifiedName: nodes.text('qualifiedName'),
  path: nodes.text('path'),
  documentId: nodes.text('documentId'),
  signature: nodes.text('signature'),
});

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

/** Shares of a walk from the best candidates along calls, references and edges that name no kind; in prose along all. */
function proximities(
  reader: LinkReader,
  { prose }: RerankSettings,
  ranked: readonly { row: number; textRank: number | undefined; vectorRank: number | undefined }[],
): ReadonlyMap<number, number> | undefined {
  const seeds = proximitySeeds(ranked).map(({ row }) => row);
  return boundedWalk(
    seeds.sort((a, b) => a - b),
    (row) => reader.steps(row, prose ? () => true : isUse),
  );
}
