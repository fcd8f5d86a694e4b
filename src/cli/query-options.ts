import { type Command, Option } from 'commander';
import { callerOf } from '../access/principal.js';
import type { Engine } from '../engine.js';
import { quote } from '../errors.js';
import type { Manifest } from '../index/schema.js';
import type { Embedder } from '../ingest/embedder.js';
import { DEFAULT_DEPTH, type Depth } from '../rank/limit.js';
import { CODE_SURFACES, type CodeSurface } from '../retrieve/code-search.js';
import { wholeNumber } from '../retrieve/options.js';
import type { Retriever } from '../retrieve/retriever.js';
import type { Filter } from '../types.js';
import { type Asking, askingOf, type CallerOptions } from './caller.js';
import { addServiceOptions, type EmbedOptions, embedderMaker } from './embed-options.js';
import { asUsage, usage } from './exit-codes.js';
import type { Notes } from './notes.js';
import { collect, commaList, depth, whole } from './option-values.js';
import { type NamedRetriever, RETRIEVERS, reranking } from './retrievers.js';
import { parseSettings, type Settings } from './settings.js';

/** Options of every command that asks an index on somebody's behalf. */
export interface AskerOptions extends CallerOptions {
  filter?: readonly string[];
  set?: readonly string[];
  threads?: number;
  quiet?: boolean;
}

export interface QueryOptions extends AskerOptions, EmbedOptions {
  retriever: string;
  seeds?: string;
  surface?: CodeSurface;
  depth: Depth;
  rerank?: boolean;
  ablate?: readonly string[];
  explain?: boolean;
}

export function addAskerOptions(command: Command): Command {
  return command
    .option(
      '--principal <file|json>',
      'who asks a scoped index: {"org": "...", "grants": ["..."]} (default: nobody)',
    )
    .option('--sources <a,b>', 'sources of a scoped index to ask (default: none)', commaList)
    .option(
      '--set <key=value>',
      'a parameter, such as bm25.k1=0.9; repeatable; a wrong key lists them all (default: none)',
      collect,
    )
    .option(
      '--filter <expr>',
      'only nodes with field=value (or != < <= > >=), "field in a,b", "field is null"; repeatable (default: all)',
      collect,
    )
    .option('--threads <n>', 'worker threads, 0 = this one (default: all)', whole)
    .option('--quiet', 'no progress and no notes on stderr (default: off)');
}

export function addQueryOptions(command: Command): Command {
  command
    .addOption(
      new Option('--retriever <name>', 'what ranks')
        .choices([...RETRIEVERS.keys()])
        .default(
          'default',
          'default: the best for the index; bm25, links where there are edges, code where it is code',
        ),
    )
    .addOption(
      new Option('--surface <what>', 'of an index of code (default: symbols)').choices(CODE_SURFACES),
    )
    .addOption(new Option('--seeds <strategy>', 'where walks start (default: bm25)').choices(['bm25']))
    .option(
      '--depth <n>',
      'what each channel is asked for, whatever k (3k: three times k)',
      depth,
      DEFAULT_DEPTH,
    )
    .option('--rerank', 'puts what was found in order by signals, --set rerank.… (default: off)');
  addEmbedOptions(command).option('--explain', 'what each score is made of (default: off)');
  return addAskerOptions(command);
}

/** Of the commands that answer: which signals to do without. */
export const addAblate = (command: Command): Command =>
  command.option('--ablate <a,b>', 'signals of --rerank to leave out (default: none)', commaList);

export function addEmbedOptions(command: Command): Command {
  return addServiceOptions(
    command
      .option(
        '--embed <name>',
        "makes the query's vector: use-lite, or the URL of a service (default: the index's own way)",
      )
      .option('--embedding-model <name>', "name of the model of query vectors (default: the index's)"),
  );
}

/** What makes the query's vector, once it is known what model the index has; undefined: the index's own way. */
export function queryEmbedder(
  options: EmbedOptions,
  notes: Notes,
): (manifest: Manifest) => Embedder | undefined {
  const embedder = embedderMaker(options, notes);
  if (options.embed !== undefined && embedder === undefined) {
    const own = options.embed.startsWith('lsa') ? '; an index with lsa embeds queries by itself' : '';
    throw usage(`--embed ${quote(options.embed)}: the known ones are use-lite and URLs${own}`);
  }
  return ({ embedding }) => {
    if (embedder !== undefined && embedding?.lsa !== undefined)
      throw usage('--embed: this index has a model of its own (lsa) and embeds queries by itself');
    return embedder?.(embedding?.model);
  };
}

/**
 * The retriever as asked for, once it is known what model the index has. What it has no use for is said, not
 * refused.
 */
export function retrieverOf(
  options: QueryOptions,
  notes: Notes,
): {
  retriever: (manifest: Manifest) => Retriever;
  named: NamedRetriever;
  settings: Settings;
  embedder: (manifest: Manifest) => Embedder | undefined;
} {
  const { retriever: name, rerank = false, ablate, surface } = options;
  const named = rerank ? reranking(RETRIEVERS.get(name)!, ablate) : RETRIEVERS.get(name)!;
  const shown = surface === undefined ? [] : [`codeSearch.surface=${surface}`];
  const settings = parseSettings([...(options.set ?? []), ...shown]);
  asUsage(() => named.make(settings));
  warnUnused(settings, named.uses, `the retriever ${name}${rerank ? ' and --rerank' : ''}`, notes);
  if (ablate !== undefined && !rerank) notes.warn('--ablate has no effect without --rerank');
  if (options.seeds !== undefined && !named.seeds) notes.warn(unused('--seeds', options.retriever));
  for (const [name, value] of [
    ['--embed', options.embed],
    ['--embedding-model', options.embeddingModel],
  ] as const)
    if (value !== undefined && !named.vectors) notes.warn(unused(name, options.retriever));
  const embedder = queryEmbedder(options, notes);
  const retriever = (manifest: Manifest) => {
    if (surface !== undefined && manifest.analyzer.name !== 'code')
      notes.warn('--surface has no effect: this is no index of code');
    return named.make(settings, embedder(manifest));
  };
  return { retriever, named, settings, embedder };
}

/** What is known but not looked at is accepted, with a line that says so. */
export function warnUnused(settings: Settings, uses: readonly string[], user: string, notes: Notes): void {
  for (const key of settings.keys()) {
    if (!uses.some((start) => key.startsWith(start))) notes.warn(`--set ${key} has no effect on ${user}`);
  }
}

export function unused(option: string, retriever: string): string {
  return `${option} has no effect on the retriever ${retriever}`;
}

export function checkThreads(threads: number | undefined): void {
  if (threads !== undefined) asUsage(() => wholeNumber('--threads', threads, 0, 256));
}

/** The engine and the tables are loaded when they are needed: help and wrong usage are answered at once. */
export async function openEngine(dir: string, threads: number | undefined): Promise<Engine> {
  const { Engine } = await import('../engine.js');
  return Engine.open(dir, threads === undefined ? {} : { threads });
}

/**
 * What the manifest decides: how to ask, and what filters mean. A caller who may ask nothing is refused here,
 * unless the queries may name their own.
 */
export async function openQuestion(
  dir: string,
  options: AskerOptions,
  { callerPerQuery = false } = {},
): Promise<{ manifest: Manifest; asking: Asking; filters: readonly Filter[] }> {
  const { currentGeneration } = await import('../index/generation.js');
  const { parseFilters } = await import('./filters.js');
  const { manifest } = await currentGeneration(dir);
  const asking = await askingOf(manifest.access, options);
  if (!callerPerQuery) await callerOf(manifest.access, asking);
  return { manifest, asking, filters: parseFilters(options.filter ?? [], manifest.fields) };
}
