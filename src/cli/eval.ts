import type { Command } from 'commander';
import { evaluate, type NamedEvaluation, toEvalJson } from '../evaluate/evaluate.js';
import type { Measure } from '../evaluate/measures/measure.js';
import { DEFAULT_MEASURES, parseMeasure } from '../evaluate/measures/parse.js';
import { readQrels } from '../evaluate/qrels.js';
import { readRun } from '../evaluate/run.js';
import { compareRuns } from '../evaluate/significance.js';
import { compareReport, evalReport } from '../output/report.js';
import { table } from '../output/table.js';
import { ablated } from './ablate.js';
import { asUsage, usage } from './exit-codes.js';
import { commaList, whole } from './option-values.js';
import { addQueryOptions, type QueryOptions } from './query-options.js';
import { headed, print, printJson } from './stdout.js';

interface EvalOptions extends Omit<QueryOptions, 'ablate'> {
  qrels: string;
  measures?: readonly string[];
  perQuery?: boolean;
  queriesInRun?: boolean;
  compare?: boolean;
  seed: number;
  ablate?: string;
  queries?: string;
  json?: boolean;
}

export function addEval(program: Command, signal: AbortSignal): void {
  const usual = DEFAULT_MEASURES.map(({ name }) => name).join(',');
  const command = program
    .command('eval')
    .summary('measure runs against relevance judgments, and compare them')
    .description(
      "Measures runs against judgments. A run's own order counts. Means are over the judged queries that have a relevant document; a query that the run lacks counts 0. With --ablate it asks an index instead of reading runs: the retriever as it is, then without each of its channels and signals.",
    )
    .argument('[run...]', 'runs, TREC or corank JSON lines, gzipped or not')
    .requiredOption('--qrels <file>', 'judgments, TREC or BEIR form, gzipped or not (required)')
    .option(
      '--measures <a,b>',
      `nDCG@k, R@k, P@k, RR, AP, Success@k, Judged@k (default: ${usual})`,
      commaList,
    )
    .option('--per-query', 'every query as well (default: means only)')
    .option('--queries-in-run', 'means over the queries of the run only (default: all judged ones)')
    .option(
      '--compare',
      'each run against the first: difference, 95 % interval, p (default: in JSON and with --ablate)',
    )
    .option('--seed <n>', 'of the draws of comparisons', whole, 1)
    .option(
      '--ablate <dir>',
      'an index to ask, with each part of the retriever left out (default: read runs)',
    )
    .option('--queries <file>', 'the queries of --ablate, BEIR or TREC topics (default: none)')
    .option('--json', 'one JSON value (default: a table)');
  addQueryOptions(command).action((runs: string[], options: EvalOptions) => evalRuns(runs, options, signal));
}

async function evalRuns(runs: readonly string[], options: EvalOptions, signal: AbortSignal): Promise<void> {
  const measures = measuresOf(options.measures);
  checkSources(runs, options);
  const qrels = await readQrels(options.qrels, { signal });
  const queriesInRun = options.queriesInRun === true;
  const judge = { qrels, measures, queriesInRun };
  const evaluations: NamedEvaluation[] =
    options.ablate === undefined ? [] : await ablated(options.ablate, options, judge, signal);
  for (const name of runs) {
    const run = await readRun(name, { signal });
    evaluations.push({ name, evaluation: evaluate(qrels, run, measures, { queriesInRun }) });
  }
  const compares = options.compare === true || options.ablate !== undefined;
  const names = measures.map(({ name }) => name);
  const comparisons = compares || options.json ? compareRuns(evaluations, names, { seed: options.seed }) : [];
  const perQuery = options.perQuery === true;
  if (options.json) return printJson(toEvalJson(evaluations, { perQuery, comparisons }));
  const queries = perQuery ? `${headed(queryTable(evaluations, measures))}\n` : '';
  const compared = comparisons.length > 0 ? `\n${headed(compareReport(comparisons))}` : '';
  await print(queries + headed(evalReport(evaluations)) + compared);
}

function checkSources(runs: readonly string[], { ablate, queries, qrels }: EvalOptions): void {
  if (runs.length === 0 && ablate === undefined) throw usage("missing required argument 'run'");
  if (runs.length > 0 && ablate !== undefined) throw usage('--ablate asks an index: give no runs with it');
  if ((ablate === undefined) !== (queries === undefined))
    throw usage('--ablate and --queries belong together');
  if ([qrels, ...runs, ...(queries === undefined ? [] : [queries])].filter((path) => path === '-').length > 1)
    throw usage('standard input (-) can be read only once');
}

function measuresOf(names: readonly string[] | undefined): readonly Measure[] {
  if (names === undefined) return DEFAULT_MEASURES;
  if (names.length === 0) throw usage('--measures names none; leave it out for the usual ones');
  return asUsage(() => names.map(parseMeasure));
}

function queryTable(runs: readonly NamedEvaluation[], measures: readonly Measure[]): string {
  const rows = runs.flatMap(({ name, evaluation: { perQuery } }) =>
    Object.entries(perQuery).map(([query, values]) => [
      name,
      query,
      ...measures.map((measure) => values[measure.name]!.toFixed(4)),
    ]),
  );
  const columns = measures.map(({ name }) => ({ title: name, align: 'right' as const }));
  return table([{ title: 'run' }, { title: 'query' }, ...columns], rows);
}
