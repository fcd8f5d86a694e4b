import { type Command, Option } from 'commander';
import { quote } from '../errors.js';
import { decimal } from '../ingest/number.js';
import { damping, nonNegative, positive, wholeNumber } from '../retrieve/options.js';
import { type WalkOptions, walkSettings } from '../retrieve/pagerank.js';
import type { BareWalk, BareWalkRequest } from '../retrieve/walk.js';
import { asUsage } from './exit-codes.js';
import { Notes } from './notes.js';
import { collect, number, whole } from './option-values.js';
import {
  type AskerOptions,
  addAskerOptions,
  checkThreads,
  openEngine,
  openQuestion,
  warnUnused,
} from './query-options.js';
import { WALK_SETTINGS, walkOptions } from './retrievers.js';
import { parseSettings } from './settings.js';
import { print, printJson } from './stdout.js';
import { bestNodes, walkReport } from './walk-report.js';

interface WalkCommandOptions extends AskerOptions {
  seed: readonly string[];
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
    .summary('personalised PageRank from given nodes')
    .description('Personalised PageRank from given seeds, along the edges and against them.')
    .argument('<dir>', 'an index with edges')
    .requiredOption(
      '--seed <id[=weight]>',
      'where the walk restarts, weight 1 unless given; repeatable; the last = counts, and only before a number (required)',
      collect,
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
  addAskerOptions(command).action((dir: string, options: WalkCommandOptions) => walk(dir, options, signal));
}

async function walk(dir: string, options: WalkCommandOptions, signal: AbortSignal): Promise<void> {
  const notes = new Notes(options);
  const { settings, seeds } = asUsage(() => {
    wholeNumber('-k', options.k, 1, 2 ** 32 - 1);
    return { settings: settingsOf(options, notes), seeds: options.seed.map(seedOf) };
  });
  checkThreads(options.threads);
  const { asking, filters } = await openQuestion(dir, options);
  const { threads, direction, k } = options;
  await using engine = await openEngine(dir, threads);
  const walked = await engine.walk({ seeds, ...asking, filters, direction, ...settings }, { signal });
  const best = bestNodes(walked, k);
  await (options.json ? printJson(best) : print(walkReport(best)));
  warnUnfinished(walked, settings.tolerance, notes);
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

function warnUnfinished({ iterations, residual }: BareWalk, tolerance: number, notes: Notes): void {
  for (const way of ['forward', 'reverse'] as const) {
    if (residual[way] <= tolerance) continue;
    notes.warn(
      `the ${way} walk stopped after ${iterations[way]} iterations with a residual of ` +
        `${residual[way].toExponential(2)}, above the tolerance; give a larger --max-iterations`,
    );
  }
}
