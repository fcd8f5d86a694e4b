import type { Command } from 'commander';
import { candidateJson, resultJson } from '../output/candidate-json.js';
import { type Column, table } from '../output/table.js';
import { localizeLimits } from '../rank/limit.js';
import type { LocalizedCandidate, LocalizeResult } from '../retrieve/localize.js';
import type { EmbedOptions } from './embed-options.js';
import { asUsage } from './exit-codes.js';
import { explainTable } from './explain-table.js';
import { Notes } from './notes.js';
import { commaList, whole } from './option-values.js';
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
import { scoreText } from './score-text.js';
import { addSeedsOption, type SeedsOptions, seedOptionsOf } from './seed-options.js';
import { parseSettings } from './settings.js';
import { headed, print, printJson } from './stdout.js';

interface LocalizeOptions extends AskerOptions, EmbedOptions, SeedsOptions {
  k: number;
  depth: number;
  kinds?: readonly string[];
  explain?: boolean;
  json?: boolean;
}

export function addLocalize(program: Command, signal: AbortSignal): void {
  const command = program
    .command('localize')
    .summary('where in a code graph an issue lies')
    .description('Finds the nodes that an issue names, and what lies within a few edges of them.')
    .argument('<dir>', 'an index with edges')
    .argument('<text>', 'the issue')
    .option('-k <n>', 'nodes, at most 50', whole, 10)
    .option('--depth <n>', 'edges from a named node, at most 5', whole, 3)
    .option(
      '--kinds <a,b>',
      'kinds of edges to follow (default: CALLS, DEFINES, DEFINES_METHOD, IMPORTS, CONTAINS, MEMBER_OF, USES_TYPE, IMPLEMENTS, OVERRIDE, and edges without a kind)',
      commaList,
    )
    .option('--explain', 'what each named node gave, and along which edges (default: off)')
    .option('--json', 'one JSON value (default: a table)');
  addAskerOptions(addEmbedOptions(addSeedsOption(command))).action(
    (dir: string, text: string, options: LocalizeOptions) => localize(dir, text, options, signal),
  );
}

async function localize(
  dir: string,
  text: string,
  options: LocalizeOptions,
  signal: AbortSignal,
): Promise<void> {
  const notes = new Notes(options);
  const { k, depth, kinds, threads, explain = false } = options;
  warnUnused(parseSettings(options.set ?? []), [], 'localize', notes);
  asUsage(() => localizeLimits(k, depth));
  const embedder = queryEmbedder(options, notes);
  checkThreads(threads);
  const { manifest, asking, filters } = await openQuestion(dir, options);
  const seeds = seedOptionsOf(options, embedder(manifest));
  await using engine = await openEngine(dir, threads);
  const asked = {
    text,
    ...asking,
    filters,
    k,
    depth,
    explain,
    ...(kinds === undefined ? {} : { kinds }),
    ...seeds,
  };
  const result = await engine.localize(asked, { signal });
  if (options.json) return printJson(localizeJson(result));
  await print(report(result) + (explain ? `\n${headed(explainTable(result))}` : ''));
}

/** As of `search --json`, each candidate with its distance and kinds, and the seeds. */
function localizeJson(result: LocalizeResult): Record<string, unknown> {
  const candidates = result.candidates.map((candidate) => ({
    ...candidateJson(candidate),
    distance: candidate.distance,
    kinds: candidate.kinds,
  }));
  return { ...resultJson(result), candidates, seeds: result.seeds };
}

const COLUMNS: readonly Column[] = [
  { title: 'rank', align: 'right' },
  { title: 'score', align: 'right' },
  { title: 'distance', align: 'right' },
  { title: 'id' },
  { title: 'what' },
  { title: 'where' },
];

function report({ candidates, skipped }: LocalizeResult): string {
  const rows = candidates.map((candidate, i) => [
    String(i + 1),
    scoreText(candidate.score),
    String(candidate.distance),
    candidate.id,
    candidate.qualifiedName ?? candidate.name ?? candidate.title ?? '',
    whereOf(candidate),
  ]);
  const lines = skipped.map(({ channel, message }) => `skipped ${channel}: ${message}\n`);
  return headed(table(COLUMNS, rows)) + lines.join('');
}

/** `path:line`, as editors take it. */
const whereOf = ({ path = '', startLine }: LocalizedCandidate): string =>
  startLine === undefined ? path : `${path}:${startLine}`;
