import { type Command, Option } from 'commander';
import { candidateJson, resultJson } from '../output/candidate-json.js';
import { searchReport, whyNotReport } from '../output/report.js';
import { searchLimits } from '../rank/limit.js';
import type { Result } from '../types.js';
import { asUsage } from './exit-codes.js';
import { explainTable } from './explain-table.js';
import { Notes } from './notes.js';
import { whole } from './option-values.js';
import {
  addAblate,
  addQueryOptions,
  checkThreads,
  openEngine,
  openQuestion,
  type QueryOptions,
  retrieverOf,
} from './query-options.js';
import { headed, print, printJson } from './stdout.js';

interface SearchOptions extends QueryOptions {
  k: number;
  json?: boolean;
  jsonl?: boolean;
  whyNot?: string;
}

export function addSearch(program: Command, signal: AbortSignal): void {
  const command = program
    .command('search')
    .summary('ask one query: a table for people, JSON for programs')
    .description('Asks an index one query and prints the best candidates.')
    .argument('<dir>', 'an index, made by corank index')
    .argument('<query>', 'the text; words in double quotes must stand side by side')
    .option('-k <n>', 'candidates, at most 50', whole, 8)
    .addOption(new Option('--json', 'one JSON value (default: a table)').conflicts('jsonl'))
    .addOption(new Option('--jsonl', 'one JSON line a candidate (default: a table)').conflicts('json'));
  command.addOption(
    new Option('--why-not <id>', 'say which stage lost this node (default: of none)').conflicts('jsonl'),
  );
  addAblate(addQueryOptions(command)).action((dir: string, text: string, options: SearchOptions) =>
    search(dir, text, options, signal),
  );
}

async function search(dir: string, text: string, options: SearchOptions, signal: AbortSignal): Promise<void> {
  const notes = new Notes(options);
  const { retriever } = retrieverOf(options, notes);
  asUsage(() => searchLimits(options.k, options.depth));
  checkThreads(options.threads);
  const { manifest, asking, filters } = await openQuestion(dir, options);
  const { threads, depth, k, explain = false, whyNot } = options;
  await using engine = await openEngine(dir, threads);
  const query = { text, ...asking, filters, k };
  const asked = { retriever: retriever(manifest), depth, explain, signal };
  const result = await engine.search(query, whyNot === undefined ? asked : { ...asked, whyNot });
  await show(result, options, notes);
}

async function show(result: Result, options: SearchOptions, notes: Notes): Promise<void> {
  if (options.json) return printJson(resultJson(result));
  if (options.jsonl) {
    for (const { channel, message } of result.skipped) notes.warn(`skipped ${channel}: ${message}`);
    const lines = result.candidates.map((candidate) => `${JSON.stringify(candidateJson(candidate))}\n`);
    return print(lines.join(''));
  }
  const explained = options.explain && result.candidates.length > 0;
  const { whyNot } = result;
  await print(
    headed(searchReport(result)) +
      (explained ? `\n${headed(explainTable(result))}` : '') +
      (whyNot === undefined ? '' : `\n${whyNotReport(whyNot)}`),
  );
}
