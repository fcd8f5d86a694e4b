import type { Command } from 'commander';
import { evaluate, type NamedEvaluation, toEvalJson } from '../evaluate/evaluate.js';
import type { Measure } from '../evaluate/measures/measure.js';
import { DEFAULT_MEASURES, parseMeasure } from '../evaluate/measures/parse.js';
import { readQrels } from '../evaluate/qrels.js';
import { readRun } from '../evaluate/run.js';
import { evalReport } from '../output/report.js';
import { table } from '../output/table.js';
import { asUsage, usage } from './exit-codes.js';
import { commaList } from './option-values.js';
import { headed, print, printJson } from './stdout.js';

interface EvalOptions {
  qrels: string;
  measures?: readonly string[];
  perQuery?: boolean;
  queriesInRun?: boolean;
  json?: boolean;
}

export function addEval(program: Command, signal: AbortSignal): void {
  const usual = DEFAULT_MEASURES.map(({ name }) => name).join(',');
  program
    .command('eval')
    .summary('measure runs against relevance judgments')
    .description(
      "Measures runs against judgments. A run's own order counts. Means are over the judged queries that have a relevant document; a query that the run lacks counts 0.",
    )
    .argument('<run...>', 'runs, TREC or corank JSON lines, gzipped or not')
    .requiredOption('--qrels <file>', 'judgments, TREC or BEIR form, gzipped or not (required)')
    .option(
      '--measures <a,b>',
      `nDCG@k, R@k, P@k, RR, AP, Success@k, Judged@k (default: ${usual})`,
      commaList,
    )
    .option('--per-query', 'every query as well (default: means only)')
    .option('--queries-in-run', 'means over the queries of the run only (default: all judged ones)')
    .option('--json', 'one JSON value (default: a table)')
    .option('--quiet', 'no progress and no notes on stderr (default: off)')
    .action((runs: string[], options: EvalOptions) => evalRuns(runs, options, signal));
}

async function evalRuns(runs: readonly string[], options: EvalOptions, signal: AbortSignal): Promise<void> {
  const measures = measuresOf(options.measures);
  if ([options.qrels, ...runs].filter((path) => path === '-').length > 1) {
    throw usage('standard input (-) can be read only once');
  }
  const qrels = await readQrels(options.qrels, { signal });
  const evaluations: NamedEvaluation[] = [];
  for (const name of runs) {
    const run = await readRun(name, { signal });
    const queriesInRun = options.queriesInRun === true;
    evaluations.push({ name, evaluation: evaluate(qrels, run, measures, { queriesInRun }) });
  }
  const perQuery = options.perQuery === true;
  if (options.json) return printJson(toEvalJson(evaluations, { perQuery }));
  const queries = perQuery ? `${headed(queryTable(evaluations, measures))}\n` : '';
  await print(queries + headed(evalReport(evaluations)));
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
