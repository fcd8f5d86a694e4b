import { CorankError, type Place, quote } from '../errors.js';
import { readLines } from '../ingest/lines.js';

export interface RunEntry {
  id: string;
  score: number;
}

/** Query id -> what was returned for it, best first. Queries in file order. */
export type Run = Map<string, RunEntry[]>;

/**
 * Reads a run, gzipped or not: TREC (`qid Q0 docid rank score tag`) or corank's JSON lines (one result per
 * line). JSON lines are known by the ending `.jsonl` or by a first line that is a JSON object.
 * The run's own order counts, not the scores: in TREC the rank column ascending, file order where ranks are
 * equal; in JSON lines the order of `candidates`.
 */
export async function readRun(path: string, options: { signal?: AbortSignal } = {}): Promise<Run> {
  const run = new RunBuilder();
  let add: ((run: RunBuilder, text: string, place: Place) => void) | undefined;
  for await (const { text, line } of readLines(path, options)) {
    if (text.trim() === '') continue;
    add ??= /\.jsonl(\.gz)?$/i.test(path) || isJsonObject(text) ? addJsonLine : addTrecLine;
    add(run, text, { file: path, line });
  }
  return run.finish();
}

interface RankedEntries {
  entries: RunEntry[];
  ranks: number[];
  seen: Set<string>;
}

/** Collects the entries of each query and, at the end, puts them in the order of their ranks. */
class RunBuilder {
  readonly #queries = new Map<string, RankedEntries>();

  has(query: string): boolean {
    return this.#queries.has(query);
  }

  open(query: string): RankedEntries {
    const list = this.#queries.get(query) ?? { entries: [], ranks: [], seen: new Set() };
    this.#queries.set(query, list);
    return list;
  }

  add(query: string, rank: number, entry: RunEntry, place: Place): void {
    const list = this.open(query);
    if (list.seen.has(entry.id)) {
      throw malformed(`document ${quote(entry.id)} is listed twice for query ${quote(query)}`, place);
    }
    list.seen.add(entry.id);
    list.ranks.push(rank);
    list.entries.push(entry);
  }

  finish(): Run {
    const run: Run = new Map();
    for (const [query, { entries, ranks }] of this.#queries) run.set(query, inOrder(entries, ranks));
    return run;
  }
}

function inOrder(entries: RunEntry[], ranks: readonly number[]): RunEntry[] {
  if (ranks.every((rank, i) => i === 0 || ranks[i - 1]! <= rank)) return entries;
  const order = ranks.map((_, i) => i).sort((a, b) => ranks[a]! - ranks[b]!);
  return order.map((i) => entries[i]!);
}

function addTrecLine(run: RunBuilder, text: string, place: Place): void {
  // ASCII white space only: an id may hold a no-break space.
  const columns = text.match(/[^ \t\v\f]+/g) ?? [];
  if (columns.length !== 6) {
    throw malformed(
      `expected 6 columns (query Q0 document rank score tag) or one JSON result, got ${columns.length} columns`,
      place,
    );
  }
  const [query, , id, rank, score] = columns as [string, string, string, string, string, string];
  if (!/^[+-]?\d+$/.test(rank) || !Number.isSafeInteger(Number(rank))) {
    throw malformed(`rank must be an integer, got ${quote(rank)}`, place);
  }
  run.add(query, Number(rank), { id, score: decimal(score, place) }, place);
}

function decimal(text: string, place: Place): number {
  const value = Number(text);
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) || !Number.isFinite(value)) {
    throw malformed(`score must be a finite number, got ${quote(text)}`, place);
  }
  return value;
}

function isJsonObject(text: string): boolean {
  if (!text.trimStart().startsWith('{')) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function addJsonLine(run: RunBuilder, text: string, place: Place): void {
  const { id: query, candidates } = parseObject(text, place);
  if (typeof query !== 'string' || query === '') throw malformed('a result needs a string "id"', place);
  if (!Array.isArray(candidates)) throw malformed('a result needs a list "candidates"', place);
  if (run.has(query)) throw malformed(`query ${quote(query)} has a line already`, place);
  run.open(query);
  candidates.forEach((candidate, i) => {
    const { id, score } = (candidate ?? {}) as Record<string, unknown>;
    if (typeof id !== 'string' || id === '') {
      throw malformed(`candidate ${i + 1} of query ${quote(query)} needs a string "id"`, place);
    }
    if (typeof score !== 'number' || !Number.isFinite(score)) {
      throw malformed(`candidate ${quote(id)} of query ${quote(query)} needs a finite "score"`, place);
    }
    run.add(query, i + 1, { id, score }, place);
  });
}

function parseObject(text: string, place: Place): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new CorankError('INVALID_INPUT', `not JSON (${(cause as Error).message})`, { cause, place });
  }
  if (typeof value !== 'object' || value === null) throw malformed('expected a JSON object', place);
  return value as Record<string, unknown>;
}

function malformed(message: string, place: Place): CorankError {
  return new CorankError('INVALID_INPUT', message, { place });
}
