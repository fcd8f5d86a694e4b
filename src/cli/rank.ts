import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { CorankError } from '../errors.js';
import type { Manifest } from '../index/schema.js';
import { readNpy } from '../ingest/npy.js';
import type { RunFormat } from '../output/run-writer.js';
import { writableTag } from '../output/trec-run.js';
import { batchLimits } from '../rank/limit.js';
import { asUsage, Exit, FAILED, usage, usageOf } from './exit-codes.js';
import { FailureLog } from './failure-log.js';
import { Notes } from './notes.js';
import { whole } from './option-values.js';
import { QueryFeed } from './query-feed.js';
import {
  addAblate,
  addQueryOptions,
  checkThreads,
  openEngine,
  openQuestion,
  type QueryOptions,
  retrieverOf,
  unused,
} from './query-options.js';
import { type JobReport, runJob } from './rank-job.js';
import { RUN_FORMATS, runFormat } from './run-format.js';

interface RankOptions extends QueryOptions {
  queries: string;
  out: string;
  format?: RunFormat;
  queryEmbeddings?: string;
  tag?: string;
  errors?: string;
  k: number;
}

export function addRank(program: Command, signal: AbortSignal): void {
  const command = program
    .command('rank')
    .summary('the batch job: many queries, one run')
    .description(
      'Ranks for many queries and writes one run, which appears whole or not at all. A query that fails does not stop the job: it is listed in the errors file, and the exit code is 1.',
    )
    .argument('<dir>', 'an index, made by corank index')
    .requiredOption(
      '--queries <file>',
      'BEIR queries.jsonl (_id, text), TREC topics (.tsv: id, text), or - for stdin (required)',
    )
    .requiredOption('--out <run>', 'the run, replaced when it is there; - is stdout (required)')
    .addOption(new Option('--format <name>', "default: from the run's ending; trec").choices(RUN_FORMATS))
    .option(
      '--query-embeddings <file.npy>',
      'vectors, a row a query in their order (default: what the queries say)',
    )
    .option('--tag <name>', "the last column of a TREC run (default: the retriever's name)")
    .option(
      '--errors <file>',
      'failed queries, a JSON line each (default: RUN.errors.jsonl when there are any)',
    )
    .option('-k <n>', 'candidates a query, at most 10000', whole, 100);
  addAblate(addQueryOptions(command)).action((dir: string, options: RankOptions) =>
    rank(dir, options, signal),
  );
}

async function rank(dir: string, options: RankOptions, signal: AbortSignal): Promise<void> {
  const notes = new Notes(options);
  const { retriever, named } = retrieverOf(options, notes);
  const format = checkOptions(options, named.vectors, notes);
  const { manifest, asking, filters } = await openQuestion(dir, options, { callerPerQuery: true });
  const vectors = named.vectors ? await queryVectors(options.queryEmbeddings, manifest, signal) : undefined;
  const { threads, k, depth, explain = false, tag, embeddingModel } = options;
  await using engine = await openEngine(dir, threads);
  const feed = new QueryFeed(options.queries, { asking, filters, vectors, embeddingModel }, signal);
  const failures = new FailureLog(options.errors, options.out, options.queries, notes);
  if (options.errors !== undefined) await failures.open().catch(refuse);
  const { openRunWriter } = await import('../output/run-writer.js');
  const writer = await openRunWriter(options.out, format, tag === undefined ? {} : { tag }).catch(refuse);
  const started = performance.now();
  try {
    // Fields to cite would be read for every candidate and end in no column.
    const cite = format === 'jsonl';
    const report = await runJob(engine, feed, writer, failures, notes, {
      retriever: retriever(manifest),
      k,
      depth,
      explain,
      cite,
      signal,
    });
    signal.throwIfAborted();
    await failures.close();
    await writer.close();
    if (!writer.ended) say(report, failures, options.out, performance.now() - started, notes);
  } finally {
    // Without effect on what was closed.
    await failures.abort();
    await writer.abort();
    notes.clear();
  }

  async function refuse(error: unknown): Promise<never> {
    await failures.abort();
    throw usageOf(error);
  }
}

function checkOptions(options: RankOptions, vectors: boolean, notes: Notes): RunFormat {
  const { queries, out, errors, k, depth, tag, retriever } = options;
  const format = runFormat(out, options.format);
  asUsage(() => batchLimits(k, depth));
  checkThreads(options.threads);
  if (tag !== undefined && format === 'trec') asUsage(() => writableTag(tag));
  const places = [queries, out, ...(errors === undefined ? [] : [errors])];
  const files = places.filter((path) => path !== '-').map((path) => resolve(path));
  if (new Set(files).size < files.length)
    throw usage('--queries, --out and --errors must be different files');
  if (options.queryEmbeddings !== undefined && options.embed !== undefined)
    throw usage('--embed makes the vectors that --query-embeddings brings: give one of them');
  if (out === '-' && errors === '-') throw usage('--out and --errors cannot both go to standard output');
  if (tag !== undefined && format !== 'trec') notes.warn(`--tag has no effect on a run in ${format}`);
  if (options.explain && format !== 'jsonl') notes.warn(`--explain has no effect on a run in ${format}`);
  if (options.queryEmbeddings !== undefined && !vectors) notes.warn(unused('--query-embeddings', retriever));
  return format;
}

async function queryVectors(path: string | undefined, manifest: Manifest, signal: AbortSignal) {
  if (path === undefined) return undefined;
  const matrix = await readNpy(path, { signal });
  const { embedding } = manifest;
  if (embedding !== undefined && embedding.dimension !== matrix.columns) {
    throw new CorankError(
      'DIMENSION_MISMATCH',
      `the vectors of ${path} have ${matrix.columns} numbers, those of this index ${embedding.dimension}: use the same model`,
    );
  }
  return { ...matrix, path };
}

function say(report: JobReport, failures: FailureLog, out: string, milliseconds: number, notes: Notes): void {
  const { answered, skips } = report;
  const where = out === '-' ? '' : ` into ${out}`;
  notes.note(
    `${answered} ${answered === 1 ? 'query' : 'queries'} ranked${where} in ${(milliseconds / 1000).toFixed(1)} s`,
  );
  for (const line of skips.lines()) notes.warn(line);
  if (failures.count === 0) return;
  const total = answered + failures.count;
  const see = failures.path === undefined ? '' : `; see ${failures.path}`;
  throw new Exit(FAILED, `${failures.count} of ${total} queries failed${see}`);
}
