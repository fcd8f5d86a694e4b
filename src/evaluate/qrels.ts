import { CorankError, type Place, quote } from '../errors.js';
import { readLines } from '../ingest/lines.js';

/** Query id -> document id -> relevance; above 0 is relevant. Queries and documents in file order. */
export type Qrels = Map<string, Map<string, number>>;

interface Judgment {
  query: string;
  document: string;
  relevance: number;
}

/**
 * Reads judgments, gzipped or not, in either of two forms: TREC (`qid iter docid rel`, separated by white
 * space) or BEIR (tab separated, known by its header `query-id corpus-id score`).
 * A judgment that stands there twice is one judgment; two different ones for the same pair are an error.
 */
export async function readQrels(path: string, options: { signal?: AbortSignal } = {}): Promise<Qrels> {
  const qrels: Qrels = new Map();
  let parse: ((text: string, place: Place) => Judgment) | undefined;
  for await (const { text, line } of readLines(path, options)) {
    if (text.trim() === '') continue;
    const header = parse === undefined && isBeirHeader(text);
    parse ??= header ? beirJudgment : trecJudgment;
    if (header) continue;
    const place = { file: path, line };
    add(qrels, parse(text, place), place);
  }
  if (qrels.size === 0) throw new CorankError('INVALID_INPUT', 'no judgments', { place: { file: path } });
  return qrels;
}

function isBeirHeader(text: string): boolean {
  return /^query-id\tcorpus-id\tscore\s*$/i.test(text);
}

function trecJudgment(text: string, place: Place): Judgment {
  // ASCII white space only: an id may hold a no-break space.
  const columns = text.match(/[^ \t\v\f]+/g) ?? [];
  if (columns.length !== 4) {
    throw malformed(`expected 4 columns (query iteration document relevance), got ${columns.length}`, place);
  }
  const [query, , document, relevance] = columns as [string, string, string, string];
  return { query, document, relevance: integer(relevance, place) };
}

function beirJudgment(text: string, place: Place): Judgment {
  const columns = text.split('\t');
  if (columns.length !== 3) {
    throw malformed(
      `expected 3 tab-separated columns (query-id corpus-id score), got ${columns.length}`,
      place,
    );
  }
  const [query, document, relevance] = columns as [string, string, string];
  if (query === '' || document === '') throw malformed('an id is empty', place);
  return { query, document, relevance: integer(relevance.trim(), place) };
}

function integer(text: string, place: Place): number {
  const value = Number(text);
  if (!/^[+-]?\d+$/.test(text) || !Number.isSafeInteger(value)) {
    throw malformed(`relevance must be an integer, got ${quote(text)}`, place);
  }
  return value + 0; // -0 becomes 0
}

function add(qrels: Qrels, { query, document, relevance }: Judgment, place: Place): void {
  const judged = qrels.get(query) ?? new Map<string, number>();
  qrels.set(query, judged);
  const before = judged.get(document);
  if (before !== undefined && before !== relevance) {
    throw malformed(
      `document ${quote(document)} of query ${quote(query)} is judged ${relevance} here and ${before} above`,
      place,
    );
  }
  judged.set(document, relevance);
}

function malformed(message: string, place: Place): CorankError {
  return new CorankError('INVALID_INPUT', message, { place });
}
