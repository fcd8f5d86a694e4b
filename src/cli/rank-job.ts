import type { BatchResult } from '../batch.js';
import type { Engine, RankOptions } from '../engine.js';
import { CorankError } from '../errors.js';
import type { RunResult } from '../output/candidate-json.js';
import type { RunWriter } from '../output/run-writer.js';
import type { FailureLog } from './failure-log.js';
import type { Notes } from './notes.js';
import type { AskedQuery, QueryFeed } from './query-feed.js';
import { SkipCounts } from './skip-counts.js';

export interface JobReport {
  answered: number;
  skips: SkipCounts;
}

/**
 * Runs a batch: every answer to `writer`, every failure to `failures`, both in query order. A query that fails
 * does not stop it. When no query could be answered and all for one reason that lies in the command, that
 * reason is thrown: it is the command's error then.
 */
export async function runJob(
  engine: Engine,
  feed: QueryFeed,
  writer: RunWriter,
  failures: FailureLog,
  notes: Notes,
  options: RankOptions,
): Promise<JobReport> {
  const report: JobReport = { answered: 0, skips: new SkipCounts() };
  const shared = new SharedReason();
  const started = performance.now();
  for await (const result of engine.rank(feed.queries(), options)) {
    await addFailures();
    const asked = feed.next();
    const error = result.error ?? (await written(writer, result));
    if (error === undefined) {
      report.answered++;
      report.skips.add(result.skipped);
    } else await failures.add({ id: asked.id, line: asked.line, error });
    shared.add(asked, result.error);
    if (writer.ended) break;
    const seconds = (performance.now() - started) / 1000;
    notes.progress(`${report.answered} queries ranked, ${seconds.toFixed(0)} s`);
  }
  await addFailures();
  if (shared.error !== undefined) throw shared.error;
  return report;

  async function addFailures(): Promise<void> {
    for (const failure of feed.failures()) {
      shared.rule();
      await failures.add(failure);
    }
  }
}

/** What the run's format cannot express is that query's failure; a disk that is full is the job's. */
async function written(writer: RunWriter, result: BatchResult): Promise<CorankError | undefined> {
  try {
    await writer.write(result as RunResult);
    return undefined;
  } catch (error) {
    if (error instanceof CorankError) return error;
    throw error;
  }
}

/** The one error of all queries, as long as there is one and no query brought anything of its own. */
class SharedReason {
  error: CorankError | undefined;
  #ruledOut = false;

  add({ plain }: AskedQuery, error: CorankError | undefined): void {
    const same = this.error === undefined || this.error.code === error?.code;
    if (!plain || error === undefined || !same) this.rule();
    else if (!this.#ruledOut) this.error ??= error;
  }

  /** Rules a shared reason out. */
  rule(): void {
    this.#ruledOut = true;
    this.error = undefined;
  }
}
