import { type Command, Option } from 'commander';
import { quote } from '../errors.js';
import { decimal } from '../ingest/number.js';
import { resultJson } from '../output/candidate-json.js';
import { searchReport } from '../output/report.js';
import { rankByQueryLimit } from '../rank/limit.js';
import { damping, nonNegative, positive, wholeNumber } from '../retrieve/options.js';
import { type WalkOptions, walkSettings } from '../retrieve/pagerank.js';
import type { BareWalk, BareWalkRequest } from '../retrieve/walk.js';
import type { EmbedOptions } from './embed-options.js';
import { asUsage, usage } from './exit-codes.js';
import { Notes } from './notes.js';
import { collect, number, whole } from './option-values.js';
import {
  type AskerOptions,
  addAskerOptions,
  addEmbedOptions,
  checkThreads,
  openEngine,
  openQuestion,
  queryEmbedder,
  warnUnused,
} from './query-options.js';
import { WALK_SETTINGS, walkOptions } from './retrievers.js';
import { addSeedsOption, type SeedsOptions, seedOptionsOf } from './seed-options.js';
import { parseSettings } from './settings.js';
import { headed, print, printJson } from './stdout.js';
import { bestNodes, endsReport, walkReport } from './walk-report.js';

interface WalkCommandOptions extends AskerOptions, EmbedOptions, SeedsOptions {
  seed?: readonly string[];
  query?: string;
  damping?: number;
  tolerance?: number;
  maxIterations?: number;
  selfLoops?: 'ignore' | 'keep';
  direction: NonNullable<BareWalkRequest['direction']>;
  k: number;
  json?: boolean;
}

export function addWalk(program: Command, signal: AbortSignal): void {
  const command = program
    .command('walk')
    .summary('personalised PageRank from given nodes, or from those that a text names')
    .description('Personalised PageRank from seeds, along the edges and against them.')
    .argument('<dir>', 'an index with edges')
    .option(
      '--seed <id[=weight]>',
      'where the walk restarts, weight 1 unless given; repeatable; the last = counts, and only before a number (this or --query is required)',
      collect,
    )
    .addOption(
      new Option('--query <text>', 'a text that names the seeds (this or --seed is required)').conflicts(
        'seed',
      ),
    )
    .option('--damping <d>', 'share of the mass that follows edges (default: 0.85)', number)
    .option('--tolerance <t>', 'stop once the scores change by no more in sum (default: 1e-9)', number)
    .option('--max-iterations <n>', 'stop after so many steps at the latest (default: 200)', whole)
    .addOption(
      new Option('--self-loops <what>', 'edges from a node to itself (default: ignore)').choices([
        'ignore',
        'keep',
      ]),
    )
    .addOption(
      new Option('--direction <which>', 'along the edges, against them, or both')
        .choices(['forward', 'reverse', 'both'])
        .default('both'),
    )
    .option('-k <n>', 'nodes to print, best first', whole, 20)
    .option('--json', 'one JSON value (default: a table)');
  addAskerOptions(addEmbedOptions(addSeedsOption(command))).action(
    (dir: string, options: WalkCommandOptions) =>
      options.query === undefined
        ? walk(dir, options, signal)
        : walkFrom(dir, options.query, options, signal),
  );
}

async function walk(dir: string, options: WalkCommandOptions, signal: AbortSignal): Promise<void> {
  const notes = new Notes(options);
  const { seed } = options;
  if (seed === undefined) throw usage('walk needs --seed ID or --query TEXT: where does it start?');
  const { settings, seeds } = asUsage(() => {
    wholeNumber('-k', options.k, 1, 2 ** 32 - 1);
    return { settings: settingsOf(options, notes), seeds: seed.map(seedOf) };
  });
  for (const name of ['seeds', 'embed', 'embeddingModel'] as const)
    if (options[name] !== undefined) notes.warn(`--${FLAGS[name]} has no effect without --query`);
  checkThreads(options.threads);
  const { asking, filters } = await openQuestion(dir, options);
  const { threads, direction, k } = options;
  await using engine = await openEngine(dir, threads);
  const walked = await engine.walk({ seeds, ...asking, filters, direction, ...settings }, { signal });
  const best = bestNodes(walked, k);
  await (options.json ? printJson(best) : print(walkReport(best)));
  warnUnfinished(walked, settings.tolerance, notes);
}

const FLAGS = { seeds: 'seeds', embed: 'embed', embeddingModel: 'embedding-model' } as const;

/** From the seeds that a text names: system C's ranking. */
async function walkFrom(
  dir: string,
  text: string,
  options: WalkCommandOptions,
  signal: AbortSignal,
): Promise<void> {
  const notes = new Notes(options);
  const { threads, k } = options;
  const settings = asUsage(() => {
    rankByQueryLimit(k);
    return settingsOf(options, notes);
  });
  if (options.direction !== 'both') throw usage('--query walks in both directions: leave --direction out');
  const embedder = queryEmbedder(options, notes);
  checkThreads(threads);
  const { manifest, asking, filters } = await openQuestion(dir, options);
  const seeds = seedOptionsOf(options, embedder(manifest));
  await using engine = await openEngine(dir, threads);
  const result = await engine.rankByQuery({ text, ...asking, filters, k, ...settings, ...seeds }, { signal });
  const { iterations, residual } = result;
  const json = () => ({ ...resultJson(result), seeds: result.seeds, iterations, residual });
  await (options.json ? printJson(json()) : print(headed(searchReport(result)) + endsReport(result)));
  warnUnfinished(result, settings.tolerance, notes);
}

/** Flags come before `--set pagerank.*`, which come before the defaults. All are checked here. */
function settingsOf(options: WalkCommandOptions, notes: Notes): WalkOptions & { tolerance: number } {
  const set = parseSettings(options.set ?? []);
  const general = walkOptions(set);
  const { kindWeights = {} } = general;
  walkSettings('pagerank', general, 0.85);
  const flags: WalkOptions = {
    ...(options.damping === undefined ? {} : { damping: damping('--damping', options.damping) }),
    ...(options.tolerance === undefined ? {} : { tolerance: nonNegative('--tolerance', options.tolerance) }),
    ...(options.maxIterations === undefined
      ? {}
      : { maxIterations: wholeNumber('--max-iterations', options.maxIterations, 1, 1_000_000) }),
    ...(options.selfLoops === undefined ? {} : { selfLoops: options.selfLoops }),
  };
  warnUnused(set, WALK_SETTINGS, 'walk', notes);
  return { ...walkSettings('walk', { ...general, ...flags }, 0.85), kindWeights };
}

/** `id=2`: the last = counts, and only before a number, so that ids may hold one. */
function seedOf(text: string): { id: string; weight: number } {
  const equals = text.lastIndexOf('=');
  const weight = equals > 0 ? decimal(text.slice(equals + 1)) : Number.NaN;
  if (Number.isNaN(weight)) return { id: text, weight: 1 };
  const id = text.slice(0, equals);
  return { id, weight: positive(`the weight of --seed ${quote(id)}`, weight) };
}

function warnUnfinished(
  { iterations, residual }: Pick<BareWalk, 'iterations' | 'residual'>,
  tolerance: number,
  notes: Notes,
): void {
  for (const way of ['forward', 'reverse'] as const) {
    if (residual[way] <= tolerance) continue;
    notes.warn(
      `the ${way} walk stopped after ${iterations[way]} iterations with a residual of ` +
        `${residual[way].toExponential(2)}, above the tolerance; give a larger --max-iterations`,
    );
  }
}
