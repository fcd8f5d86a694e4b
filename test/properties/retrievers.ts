import {
  alphaBlend,
  bm25,
  codeSearch,
  coverDensity,
  dbsf,
  defaultRetriever,
  dense,
  flatness,
  fused,
  type Graph,
  graphCompletion,
  type Hit,
  hybrid,
  pagerank,
  type RerankOptions,
  type Retriever,
  relativeScore,
  rerank,
  rrf,
  stretchedRrf,
} from '../../dist/index.js';
import { embeddingOf } from './corpora.js';

/** What a test knows of the corpus that retrievers of its own may want. */
export interface World {
  /** All ids of the corpus, hidden ones too, and some that do not exist. */
  ids: readonly string[];
  /** Those of them that the caller may read. */
  visible: readonly string[];
  dimension: number;
}

const embed = (dimension: number) => async (texts: readonly string[]) =>
  texts.map((text) => embeddingOf(text, dimension));

const brokenEmbed = async (): Promise<never> => {
  throw new Error('the model is away');
};

/** A signal that moves with anything that signals are told. */
const nosy: NonNullable<RerankOptions['signals']>[number] = {
  name: 'nosy',
  weight: 3,
  prepare(batch) {
    const plain = (_key: string, value: unknown) =>
      value instanceof Map || value instanceof Set ? [...value] : value;
    const told = JSON.stringify(batch, plain);
    let hash = 0;
    for (let i = 0; i < told.length; i++) hash = (Math.imul(hash, 31) + told.charCodeAt(i)) >>> 0;
    return ({ row }) => ((hash + row * 0x9e3779b9) >>> 0) / 2 ** 32;
  },
};

/** Every retriever of corank with options that change what it reads, each made anew by every call. */
export const OWN: Readonly<Record<string, (world: World) => Retriever>> = {
  bm25: () => bm25(),
  'bm25 without pairs': () => bm25({ pairs: 0 }),
  'bm25 joined': () => bm25({ form: 'joined' }),
  'bm25 joined without pairs': () => bm25({ form: 'joined', pairs: 0 }),
  'bm25 weighted': () =>
    bm25({ k1: 0.9, b: { text: 1, title: 0 }, weights: { title: 3, name: 0, stem: 0.5 }, pairs: 1.5 }),
  'bm25 without phrases': () => bm25({ phrases: false, b: 0, form: 'joined', weights: { heading: 2 } }),
  'cover density': () => coverDensity(),
  'dense cosine': ({ dimension }) => dense({ embed: embed(dimension) }),
  'dense dot': ({ dimension }) => dense({ metric: 'dot', embed: embed(dimension) }),
  'dense, another model': ({ dimension }) => dense({ embed: embed(dimension), model: 'm2' }),
  'dense without embedder': () => dense(),
  'dense, broken embedder': () => dense({ embed: brokenEmbed }),
  hybrid: ({ dimension }) => hybrid([bm25(), dense({ embed: embed(dimension) })]),
  'hybrid by rank': ({ dimension }) =>
    hybrid([bm25(), dense({ embed: embed(dimension) })], { fusion: rrf() }),
  'hybrid by stretched ranks': () =>
    hybrid([bm25(), dense()], { fusion: stretchedRrf({ weights: [3, 0.5] }) }),
  'fused by relative scores': () => hybrid([bm25(), dense(), pagerank()], { fusion: relativeScore() }),
  'fused by distribution': () => hybrid([pagerank(), bm25()], { fusion: dbsf({ weights: [0.7, 1] }) }),
  'hybrid by alpha': ({ dimension }) =>
    hybrid([bm25(), dense({ embed: embed(dimension) })], { fusion: alphaBlend({ alpha: 0.3 }) }),
  'hybrid, mostly vectors': () => hybrid([dense(), bm25({ pairs: 0 })], { fusion: flatness({ weight: 3 }) }),
  'hybrid weighted': () => hybrid([bm25({ form: 'joined' }), dense()], { k: 1, weights: [0.3, 2] }),
  'hybrid of system B': ({ dimension }) => hybrid([coverDensity(), dense({ embed: embed(dimension) })]),
  'hybrid of a broken half': () => hybrid([dense({ embed: brokenEmbed }), bm25()]),
  'pagerank mixed': () => pagerank(),
  'pagerank sum': () => pagerank({ walk: 'sum' }),
  'pagerank forward': () => pagerank({ walk: 'forward', kindWeights: { cites: 0, calls: 2.5, nowhere: 9 } }),
  'pagerank reverse': () => pagerank({ walk: 'reverse', edgeWeights: 'uniform', selfLoops: 'keep' }),
  'pagerank with options': () =>
    pagerank({
      seedCount: 2,
      seedPower: 1,
      reverseRatio: 0.9,
      damping: 0.85,
      maxIterations: 3,
      tolerance: 0,
      selfLoops: 'keep',
      kindWeights: { ['__proto__']: 0.25, cites: 2 },
    }),
  // Products of weights that are finite each and together: those of hidden edges need not be.
  'pagerank with heavy kinds': () =>
    pagerank({ kindWeights: { cites: 1e100, calls: 1e-100 }, reverseRatio: 1e100 }),
  'pagerank without reversals': () => pagerank({ reverseRatio: 0, seedPower: 0 }),
  'pagerank from dense': ({ dimension }) =>
    pagerank({ seeds: dense({ metric: 'dot', embed: embed(dimension) }), walk: 'sum', selfLoops: 'keep' }),
  fused: () => fused(),
  'fused of others': ({ dimension }) =>
    fused({ k: 10, weights: [1, 0.5, 0] }, [
      bm25({ pairs: 0 }),
      dense({ embed: embed(dimension) }),
      pagerank({ walk: 'reverse' }),
    ]),
  'graph completion': () => graphCompletion({ seeder: bm25() }),
  'graph completion of pagerank': () => graphCompletion({ seeder: pagerank({ seedCount: 1 }) }),
  'graph completion against the edges': () =>
    graphCompletion({ seeder: bm25({ pairs: 0 }), direction: 'in', maxSeedExpansion: 2 }),
  'graph completion both ways': () =>
    graphCompletion({ seeder: hybrid([bm25(), dense()]), direction: 'both', edgeKinds: ['cites', 'link'] }),
  'code search': () => codeSearch({ surface: 'all' }),
  'code search of files': () => codeSearch({ surface: 'files', symbols: 2, walk: 1 }),
  'code search of symbols': () => codeSearch({ container: 1, walk: 0 }),
  default: () => defaultRetriever(),
  'default of others': () =>
    defaultRetriever(bm25({ form: 'joined' }), pagerank({ walk: 'sum', seedCount: 3 })),
  rerank: () => rerank(),
  'rerank of all channels, in prose': ({ dimension }) =>
    rerank({
      retriever: hybrid([bm25(), dense({ embed: embed(dimension) }), pagerank()]),
      embed: embed(dimension),
      prose: true,
      home: { repo: 'r' },
      now: 1e12,
    }),
  'rerank of few, by class': () =>
    rerank({ retriever: bm25({ pairs: 0 }), blend: 'class', queryClass: 'symbol', pool: 3, signals: [nosy] }),
  'rerank by fields': ({ dimension }) =>
    rerank({ embed: embed(dimension), cosine: 'fields', queryClass: 'concept', signals: [nosy] }),
};

/** A retriever of the caller's own that writes down all that it was told about the graph. */
export interface Probe extends Retriever {
  readonly seen: unknown[];
}

/** Asks the graph about all ids and brings all of them, hidden and unknown ones too, with gaps and repeats. */
export function probe({ ids }: World): Probe {
  const seen: unknown[] = [];
  return {
    name: 'probe',
    seen,
    async retrieve({ graph, limit, text }) {
      seen.push({ limit, text, ...told(graph, ids) });
      const hits: (Hit | null | undefined)[] = ids.map((id, place) => ({
        id,
        score: 3 + degree(graph, id) - place / 64,
        explain: [{ from: 'probe', value: 3 + degree(graph, id) - place / 64 }],
        via: { from: ids[(place + 1) % ids.length]!, edgeKind: 'cites', direction: 'out' },
      }));
      hits.sort((a, b) => b!.score - a!.score);
      return [null, ...hits, undefined, ...hits.slice(0, 2)];
    },
  };
}

const degree = (graph: Graph, id: string): number =>
  (graph.outEdges([id]).get(id)?.length ?? 0) + (graph.inEdges([id]).get(id)?.length ?? 0);

function told(graph: Graph, ids: readonly string[]): Record<string, unknown> {
  return {
    out: [...graph.outEdges(ids)],
    in: [...graph.inEdges(ids)],
    nodes: [...graph.nodes(ids)],
    reversed: [...graph.nodes([...ids].reverse())],
    none: [...graph.outEdges([])],
  };
}

/** The caller's own retriever, alone and in every place where one of corank's can stand. */
export const PROBED: Readonly<Record<string, (probed: Probe) => Retriever>> = {
  probe: (probed) => probed,
  'hybrid of probe': (probed) => hybrid([probed, bm25()]),
  'pagerank from probe': (probed) => pagerank({ seeds: probed, seedCount: 4, walk: 'sum' }),
  'graph completion of probe': (probed) => graphCompletion({ seeder: probed }),
  'default of probe': (probed) => defaultRetriever(probed),
  'rerank of probe': (probed) =>
    rerank({
      retriever: probed,
      signals: [nosy],
      provider: ({ ids }) => {
        probed.seen.push(ids);
        return new Map(
          ids.map((id, i) => [id, { feedback: i / 50, coChange: new Map([['policy.md', 0.5]]) }]),
        );
      },
    }),
};
