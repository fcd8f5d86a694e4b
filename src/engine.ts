import { setMaxListeners } from 'node:events';
import { availableParallelism } from 'node:os';
import type { GrantsFor } from './access/principal.js';
import type { Scope } from './access/scope.js';
import { ScopeCache } from './access/scope-cache.js';
import { answerAll, type BatchResult, type Stream } from './batch.js';
import { Coordinator } from './coordinator.js';
import { CorankError, quote } from './errors.js';
import { type Generation, withCurrent } from './index/generation.js';
import { analyzerNamed } from './ingest/analyzer.js';
import { compileKernels, instantiateKernels } from './kernels/load.js';
import { AccessView } from './memory/access-view.js';
import { AnnView } from './memory/ann-view.js';
import { directoryOf } from './memory/directory-of.js';
import { EdgeView } from './memory/edge-view.js';
import { FilterView } from './memory/filter-view.js';
import { type LoadedTables, loadTables } from './memory/load.js';
import { LsaView } from './memory/lsa-view.js';
import { NodeView } from './memory/node-view.js';
import { SharedIndex } from './memory/shared-index.js';
import { TextView } from './memory/text-view.js';
import { CallerPool, type Pool, WorkerPool } from './pool/pool.js';
import { batchLimits, type Depth, searchLimits } from './rank/limit.js';
import { Graphs } from './retrieve/ann-graphs.js';
import { defaultRetriever } from './retrieve/default.js';
import { type LocalizeRequest, type LocalizeResult, localize } from './retrieve/localize.js';
import { wholeNumber } from './retrieve/options.js';
import { type RankByQueryRequest, type RankByQueryResult, rankByQuery } from './retrieve/rank-by-query.js';
import type { Retriever } from './retrieve/retriever.js';
import type { Runtime } from './retrieve/runtime.js';
import {
  matchSeeds,
  type SeedMatchRequest,
  type SeedRequest,
  type SeedsResult,
  seedMatchScoreOf,
} from './retrieve/seeds/match.js';
import type { SeedStrategy } from './retrieve/seeds/options.js';
import { type BareWalk, type BareWalkRequest, bareWalk } from './retrieve/walk.js';
import { WalkQueue } from './retrieve/walk-queue.js';
import type { ScoreContext } from './score/context.js';
import type { Query, Result } from './types.js';

export interface EngineOptions {
  /** Worker threads; default: as many as the machine offers. 0: everything in the calling thread, same results. */
  threads?: number;
  /** Turns an opaque identity into { org, grants }; ready-made principals are then refused. */
  grantsFor?: GrantsFor;
}

export interface AskOptions {
  /** Default: the best that the index can do. */
  retriever?: Retriever;
  /** What each channel is asked for, whatever k; default 200. `3k`: three times k, as system B does it. */
  depth?: Depth;
  /** Adds the contributions that make up each score. */
  explain?: boolean;
  /** Whether candidates carry their node's fields (default) or only id, score and ranks. */
  cite?: boolean;
  signal?: AbortSignal;
}

export interface SearchOptions extends AskOptions {
  /** Id of a node: the result says what became of it, and which stage lost it. Hidden and unknown ones are alike. */
  whyNot?: string;
}

export interface CallOptions {
  signal?: AbortSignal;
}

export interface RankOptions extends AskOptions {
  /** Candidates a query, unless it says so itself; default 100. */
  k?: number;
}

/** An opened index. Every question needs a caller; see Query. */
export class Engine {
  private readonly runtime: Runtime;
  private readonly coordinator: Coordinator;
  private readonly usual: Retriever = defaultRetriever();
  private readonly running = new Set<Promise<unknown>>();
  private closing: Promise<void> | undefined;

  private constructor(runtime: Runtime, coordinator: Coordinator) {
    this.runtime = runtime;
    this.coordinator = coordinator;
  }

  /**
   * Loads the live generation of the index at `path` into one shared memory and starts the threads. Throws
   * INVALID_INPUT (no index there), CORRUPT_INDEX naming the damaged file, UNSUPPORTED_VERSION, INDEX_TOO_LARGE.
   */
  static async open(path: string, options: EngineOptions = {}): Promise<Engine> {
    if (typeof path !== 'string')
      throw new CorankError('INVALID_INPUT', `an index is named by its path, got ${quote(path)}`);
    const threads = wholeNumber('threads', options.threads ?? availableParallelism(), 0, 256);
    return withCurrent(path, (generation) => Engine.load(path, generation, threads, options.grantsFor));
  }

  private static load(
    path: string,
    generation: Generation,
    threads: number,
    grantsFor: GrantsFor | undefined,
  ): Engine {
    const analyzer = analyzerNamed(generation.manifest.analyzer.name);
    if (analyzer.fingerprint !== generation.manifest.analyzer.fingerprint) {
      throw new CorankError(
        'UNSUPPORTED_VERSION',
        `${path} was analysed by ${generation.manifest.analyzer.fingerprint}, this corank has ${analyzer.fingerprint}: build the index anew`,
      );
    }
    const loaded = loadTables(generation, threads + 1);
    const directory = directoryOf(loaded);
    const access = directory.access === 'scoped' ? new AccessView(loaded) : undefined;
    const filters = new FilterView(loaded);
    const nodes = new NodeView(loaded, access);
    const { manifest } = generation;
    const scopes = new ScopeCache(
      loaded.memory,
      loaded.layout.scopes,
      directory.nodes,
      access,
      filters,
      manifest,
    );
    const lsa = manifest.embedding?.lsa === undefined ? undefined : new LsaView(loaded);
    const ann = manifest.embedding?.ann && new Graphs(generation, new AnnView(loaded));
    // Threads last: whatever refuses the index before leaves none running.
    const { pool, context } = startPool(loaded, directory, threads);
    const runtime: Runtime = {
      manifest,
      analyzer,
      index: context.index,
      nodes,
      fields: filters,
      edges: manifest.edges ? new EdgeView(loaded) : undefined,
      terms: new TextView(loaded.memory, directory.terms),
      phrases: directory.derived && new TextView(loaded.memory, directory.derived.phraseTexts),
      lsa,
      ann,
      pool,
      walks: new WalkQueue(pool),
      context,
    };
    return new Engine(runtime, new Coordinator(runtime, scopes, grantsFor));
  }

  /** One query: `k` candidates (default 8, at most 50), best first, with everything that a citation needs. */
  async search(query: Query, options: SearchOptions = {}): Promise<Result> {
    this.refuseClosed();
    const limits = ({ k }: Query) => searchLimits(k, options.depth);
    const settings = { ...this.settings(options), limits, whyNot: options.whyNot };
    return this.tracked(this.coordinator.answer(query, settings));
  }

  /** Many queries: results in query order, read as fast as they are consumed. A failing query has `error` set. */
  rank(queries: Stream<Query>, options: RankOptions = {}): AsyncGenerator<BatchResult> {
    this.refuseClosed();
    const limits = ({ k }: Query) => batchLimits(k ?? options.k, options.depth);
    const settings = { ...this.settings(options), limits };
    const answer = async (query: Query): Promise<Result> => {
      this.refuseClosed();
      return this.tracked(this.coordinator.answer(query, settings));
    };
    const window = Math.max(1, this.runtime.pool.threads) * WINDOW;
    return answerAll(queries, answer, window, options.signal);
  }

  /** System C's ranking: seeds of the query, then walks from them in both directions. See RankByQueryRequest. */
  async rankByQuery(request: RankByQueryRequest, { signal }: CallOptions = {}): Promise<RankByQueryResult> {
    return this.within(request, (scope, alive) => rankByQuery(this.runtime, scope, alive, request, signal));
  }

  /** System C's localisation: what lies within a few edges of the query's seeds. See LocalizeRequest. */
  async localize(request: LocalizeRequest, { signal }: CallOptions = {}): Promise<LocalizeResult> {
    return this.within(request, (scope, alive) => localize(this.runtime, scope, alive, request, signal));
  }

  /** Seeds by the words of the query alone: names and qualified names. */
  async matchSeedNodes(request: Omit<SeedRequest, 'strategy'>, options: CallOptions = {}) {
    return this.seeds(request, options, 'substring');
  }

  /** Seeds by vector alone. Throws EMBEDDINGS_UNAVAILABLE, with its cause, when no vector can be had. */
  async matchSeedNodesByEmbedding(request: Omit<SeedRequest, 'strategy'>, options: CallOptions = {}) {
    return this.seeds(request, options, 'embedding');
  }

  /** Seeds by words and by vector; by words alone, with a reason in `skipped`, when no vector can be had. */
  async matchSeedNodesHybrid(request: Omit<SeedRequest, 'strategy'>, options: CallOptions = {}) {
    return this.seeds(request, options, 'hybrid');
  }

  /** Seeds by the strategy that the request names. */
  async matchSeedNodesByStrategy(request: SeedRequest, options: CallOptions = {}) {
    return this.seeds(request, options);
  }

  /** SeedMatchScore of the node with this id; 1 when the caller sees none. */
  async seedMatchScore(request: SeedMatchRequest): Promise<number> {
    return this.within(request, async (scope) => seedMatchScoreOf(this.runtime, scope, request));
  }

  /** The bare walk from given seeds over the visible graph; see BareWalkRequest. */
  async walk(request: BareWalkRequest, { signal }: CallOptions = {}): Promise<BareWalk> {
    return this.within(request, (scope) => bareWalk(this.runtime, scope, request, signal));
  }

  /** Waits for running queries and ends the threads. Later calls throw CLOSED. */
  async close(): Promise<void> {
    this.closing ??= Promise.allSettled(this.running).then(() => this.runtime.pool.close());
    await this.closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  private seeds(
    request: SeedRequest,
    { signal }: CallOptions,
    strategy?: SeedStrategy,
  ): Promise<SeedsResult> {
    return this.within(request, (scope, alive) =>
      matchSeeds(this.runtime, scope, alive, request, signal, strategy),
    );
  }

  /** A question in the scope of whoever asks it. */
  private async within<T>(
    request: Omit<Query, 'text'>,
    use: (scope: Scope, alive: () => boolean) => Promise<T>,
  ): Promise<T> {
    this.refuseClosed();
    return this.tracked(this.coordinator.within(request, use));
  }

  /** A question counts as running until it is answered, however many tasks it takes. */
  private tracked<T>(answer: Promise<T>): Promise<T> {
    this.running.add(answer);
    const over = (): void => void this.running.delete(answer);
    answer.then(over, over);
    return answer;
  }

  private settings(options: AskOptions) {
    if (options.signal !== undefined && !(options.signal instanceof AbortSignal)) {
      throw new CorankError('INVALID_INPUT', `signal must be an AbortSignal, got ${quote(options.signal)}`);
    }
    // One signal may serve thousands of tasks: that many listeners are no leak.
    if (options.signal !== undefined) setMaxListeners(0, options.signal);
    return {
      retriever: options.retriever ?? this.usual,
      explain: options.explain ?? false,
      cite: options.cite ?? true,
      signal: options.signal,
    };
  }

  private refuseClosed(): void {
    if (this.closing !== undefined) throw new CorankError('CLOSED', 'this engine is closed');
  }
}

/** Queries under way in a batch, for each thread: enough for walks to come in blocks of eight. */
const WINDOW = 16;

function startPool(
  loaded: LoadedTables,
  directory: ReturnType<typeof directoryOf>,
  threads: number,
): { pool: Pool; context: ScoreContext } {
  const { memory, layout } = loaded;
  const module = compileKernels();
  const context: ScoreContext = {
    index: SharedIndex.from(memory, directory),
    kernels: { exports: instantiateKernels(module, memory), memory },
    scratch: layout.scratch[threads]!,
    kept: new Map(),
  };
  if (threads === 0) return { pool: new CallerPool(context), context };
  const { cancelFlags, owners } = layout;
  const scratch = layout.scratch.slice(0, threads);
  return { pool: new WorkerPool({ module, memory, directory, cancelFlags, scratch, owners }), context };
}
