import type { Embedder } from '../ingest/embedder.js';
import { bm25 } from '../retrieve/bm25.js';
import type { Bm25Options } from '../retrieve/bm25-parameters.js';
import { type CodeSearchOptions, codeSearch } from '../retrieve/code-search.js';
import { coverDensity } from '../retrieve/cover-density.js';
import { defaultRetriever } from '../retrieve/default.js';
import { type DenseOptions, dense } from '../retrieve/dense.js';
import type { RrfOptions } from '../retrieve/fusion/rrf.js';
import { type GraphCompletionOptions, graphCompletion } from '../retrieve/graph-completion.js';
import { type HnswOptions, hnsw } from '../retrieve/hnsw.js';
import { fused, hybrid } from '../retrieve/hybrid.js';
import { positive } from '../retrieve/options.js';
import { type PagerankOptions, pagerank } from '../retrieve/pagerank.js';
import type { RerankOptions } from '../retrieve/rerank/options.js';
import { rerank } from '../retrieve/rerank/rerank.js';
import type { Retriever } from '../retrieve/retriever.js';
import { fusionOf, fusionSettings, weightsOf } from './fusions.js';
import { familyOf, type Settings, settingsOf } from './settings.js';

/** Beginnings of the settings that a bare walk looks at. */
export const WALK_SETTINGS: readonly string[] = ['damping', 'tolerance', 'maxIterations', 'selfLoops']
  .concat(['edgeWeights', 'kindWeights.'])
  .map((name) => `pagerank.${name}`);

/** A retriever that the command line has a name for. */
export interface NamedRetriever {
  make(settings: Settings, embedder?: Embedder): Retriever;
  /** The settings it looks at, by the beginning of their keys. */
  uses: readonly string[];
  /** Whether it ranks by vectors, so that query embeddings are of use. */
  vectors: boolean;
  /** Whether it takes seeds from another one. */
  seeds: boolean;
  /** What is left of it without one of its channels, by the channel's name. */
  without: Readonly<Record<string, NamedRetriever['make']>>;
}

const named = (
  make: NamedRetriever['make'],
  uses: readonly string[],
  { vectors = false, seeds = false, without = {} as NamedRetriever['without'] } = {},
): NamedRetriever => ({ make, uses, vectors, seeds, without });

export const RETRIEVERS: ReadonlyMap<string, NamedRetriever> = new Map([
  [
    'default',
    named(usual, ['bm25.', 'pagerank.', 'codeSearch.'], {
      seeds: true,
      without: { bm25: walk, pagerank: withoutWalk },
    }),
  ],
  ['bm25', named(words, ['bm25.'])],
  ['dense', named(vectors, ['dense.'], { vectors: true })],
  ['hnsw', named(neighbours, ['hnsw.'], { vectors: true })],
  [
    'hybrid',
    named(
      (s, e) => hybrid([words(s), vectors(s, e)], { fusion: fusionOf(s, ['bm25', 'dense']) }),
      ['bm25.', 'dense.', ...fusionSettings(['bm25', 'dense'])],
      { vectors: true, without: { bm25: vectors, dense: words } },
    ),
  ],
  ['pagerank', named(walk, ['bm25.', 'pagerank.'], { seeds: true })],
  [
    'fused',
    named(
      (s, e) => fused(rrfOptions(s, ['bm25', 'dense', 'pagerank']), [words(s), vectors(s, e), walk(s)]),
      ['bm25.', 'dense.', 'pagerank.', 'rrf.'],
      {
        vectors: true,
        seeds: true,
        without: {
          bm25: (s, e) => fused(rrfOptions(s, ['dense', 'pagerank']), [vectors(s, e), walk(s)]),
          dense: (s) => fused(rrfOptions(s, ['bm25', 'pagerank']), [words(s), walk(s)]),
          pagerank: (s, e) => fused(rrfOptions(s, ['bm25', 'dense']), [words(s), vectors(s, e)]),
        },
      },
    ),
  ],
  ['graph-completion', named(completion, ['bm25.', 'graphCompletion.'])],
  ['cover-density', named(() => coverDensity(), [])],
]);

function usual(settings: Settings): Retriever {
  const code = codeSearch(settingsOf(settings, 'codeSearch') as CodeSearchOptions);
  return defaultRetriever(words(settings), walk(settings), code);
}

/** The default's words alone: on an index of code those of `codeSearch`. */
function withoutWalk(settings: Settings): Retriever {
  const own = settingsOf(settings, 'codeSearch') as CodeSearchOptions;
  const [prose, code] = [words(settings), codeSearch({ ...own, walk: 0 })];
  return {
    name: 'default',
    retrieve: (request, options) =>
      (request.runtime.analyzer.name === 'code' ? code : prose).retrieve(request, options),
  };
}

function words(settings: Settings): Retriever {
  const { b, ...options } = settingsOf(settings, 'bm25');
  const fieldB = familyOf(settings, 'bm25.b.');
  const usual = b === undefined ? {} : { default: b };
  const perField = Object.keys(fieldB).length > 0 ? { ...usual, ...fieldB } : b;
  const weights = familyOf(settings, 'bm25.weights.');
  return bm25({ ...options, weights, ...(perField === undefined ? {} : { b: perField }) } as Bm25Options);
}

function vectors(settings: Settings, embedder?: Embedder): Retriever {
  const own = embedder === undefined ? {} : { embed: embedder.embed, model: embedder.model };
  return dense({ ...(settingsOf(settings, 'dense') as DenseOptions), ...own });
}

function neighbours(settings: Settings, embedder?: Embedder): Retriever {
  const own = embedder === undefined ? {} : { embed: embedder.embed, model: embedder.model };
  return hnsw({ ...(settingsOf(settings, 'hnsw') as HnswOptions), ...own });
}

function walk(settings: Settings): Retriever {
  return pagerank({ ...walkOptions(settings), seeds: words(settings) });
}

function completion(settings: Settings): Retriever {
  const options = settingsOf(settings, 'graphCompletion') as Omit<GraphCompletionOptions, 'seeder'>;
  return graphCompletion({ ...options, seeder: words(settings) });
}

/** A retriever of the command line with `rerank` over it, without the signals to leave out. */
export function reranking(
  { make, uses, seeds }: NamedRetriever,
  without: readonly string[] = [],
): NamedRetriever {
  return named(
    (settings, embedder) =>
      rerank({
        ...(settingsOf(settings, 'rerank') as RerankOptions),
        retriever: make(settings, embedder),
        weights: {
          ...familyOf(settings, 'rerank.weights.'),
          ...Object.fromEntries(without.map((name) => [name, 0])),
        },
        ...(embedder === undefined ? {} : { embed: embedder.embed, model: embedder.model }),
      }),
    [...uses, 'rerank.'],
    { vectors: true, seeds },
  );
}

/** The settings `pagerank.*`, for the bare walk too. */
export function walkOptions(settings: Settings): PagerankOptions {
  const kindWeights = familyOf(settings, 'pagerank.kindWeights.');
  return { ...(settingsOf(settings, 'pagerank') as PagerankOptions), kindWeights };
}

function rrfOptions(settings: Settings, channels: readonly string[]): RrfOptions {
  const { k = 60 } = settingsOf(settings, 'rrf');
  return { k: positive('rrf.k', k), weights: weightsOf(settings, 'rrf', channels) };
}
