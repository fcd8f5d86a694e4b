import type { RunComparison } from '../evaluate/comparison.js';
import type { NamedEvaluation } from '../evaluate/evaluate.js';
import type { Candidate, Result, Stage, WhyNot } from '../types.js';
import { printable } from './printable.js';
import { type Column, table } from './table.js';

const LABEL_WIDTH = 60;

/** A result for people: rank, id, score, the rank in each channel, and what the candidate is. */
export function searchReport(result: Result): string {
  const channels = channelNames(result.candidates);
  const columns: Column[] = [
    { title: 'rank', align: 'right' },
    { title: 'id' },
    { title: 'score', align: 'right' },
    ...channels.map((title): Column => ({ title, align: 'right' })),
    { title: 'what' },
  ];
  const rows = result.candidates.map((candidate, i) => [
    String(i + 1),
    candidate.id,
    significant(candidate.score),
    ...channels.map((channel) => rankIn(candidate, channel)),
    label(candidate),
  ]);
  const body =
    rows.length === 0
      ? 'no candidates\n'
      : `${table(columns, rows)}scores of ${printable(result.retriever)} compare only within this result\n`;
  return body + result.skipped.map(skipLine).join('');
}

/** Why a node is among the candidates or not, and what each retriever made of it. */
export function whyNotReport({ id, message, stages }: WhyNot): string {
  const columns: Column[] = [
    { title: 'retriever' },
    { title: 'rank', align: 'right' },
    { title: 'score', align: 'right' },
    { title: 'returned', align: 'right' },
    { title: 'asked for', align: 'right' },
  ];
  const head = `${printable(id)}: ${printable(message)}\n`;
  return stages.length === 0 ? head : head + table(columns, stageRows(stages, ''));
}

/** Those that others asked are named after them: `fused > pagerank > bm25`. */
function stageRows(stages: readonly Stage[], askedBy: string): string[][] {
  return stages.flatMap(({ retriever, rank, score, returned, limit, unavailable, stages: inner }) => [
    [
      askedBy + retriever,
      rank === undefined ? '-' : String(rank),
      score === undefined ? (unavailable?.code ?? '-') : significant(score),
      String(returned),
      String(limit),
    ],
    ...stageRows(inner, `${askedBy}${retriever} > `),
  ]);
}

/** Runs against measures, 4 decimals, and below it what a reader of the means must know. */
export function evalReport(runs: readonly NamedEvaluation[]): string {
  const names = [...new Set(runs.flatMap(({ evaluation }) => Object.keys(evaluation.measures)))];
  const columns: Column[] = [
    { title: 'run' },
    ...names.map((title): Column => ({ title, align: 'right' })),
    { title: 'queries', align: 'right' },
  ];
  const rows = runs.map(({ name, evaluation: { measures, queries } }) => [
    name,
    ...names.map((measure) => measures[measure]?.toFixed(4) ?? '-'),
    String(queries),
  ]);
  return table(columns, rows) + runs.map(evalNotes).join('');
}

/** Each run against the first, a line a measure. */
export function compareReport(comparisons: readonly RunComparison[]): string {
  const columns: Column[] = [
    { title: `against ${printable(comparisons[0]!.baseline)}` },
    { title: 'measure' },
    ...['difference', 'from', 'to', 'p'].map((title): Column => ({ title, align: 'right' })),
  ];
  const rows = comparisons.flatMap(({ name, measures }) =>
    Object.entries(measures).map(([measure, { difference, interval, p }], i) => [
      i === 0 ? name : '',
      measure,
      ...[difference, ...interval].map((value) => (value > 0 ? '+' : '') + value.toFixed(4)),
      p.toFixed(4),
    ]),
  );
  return `${table(columns, rows)}95 % intervals: paired bootstrap; p: sign flips, each measure for itself\n`;
}

function evalNotes({ name, evaluation }: NamedEvaluation): string {
  const { missing, unjudged, withoutRelevant } = evaluation;
  const notes = [
    missing > 0 ? `judged but not in the run: ${missing}` : '',
    unjudged > 0 ? `in the run but not judged: ${unjudged}` : '',
    withoutRelevant > 0 ? `left out for want of a relevant document: ${withoutRelevant}` : '',
  ].filter((note) => note !== '');
  return notes.length === 0 ? '' : `${printable(name)}: ${notes.join('; ')}\n`;
}

function channelNames(candidates: readonly Candidate[]): string[] {
  return [...new Set(candidates.flatMap(({ ranks }) => Object.keys(ranks)))].sort();
}

function rankIn({ ranks }: Candidate, channel: string): string {
  const rank = Object.hasOwn(ranks, channel) ? ranks[channel] : undefined;
  return rank === undefined || rank < 1 ? '-' : String(rank);
}

/** Five significant digits: a share of rank of 1e-6 must not print as 0.0000. */
function significant(score: number): string {
  return score === 0 ? '0' : score.toPrecision(5);
}

/** What a person knows it by; of program text its lines and how it begins. */
function label({
  title,
  qualifiedName,
  name,
  heading,
  text,
  signature,
  startLine,
  endLine,
}: Candidate): string {
  if (signature !== undefined && startLine !== undefined)
    return firstWords(`${startLine}-${endLine ?? startLine}  ${signature}`);
  const whole = [title, qualifiedName, name, heading, text].find((one) => one !== undefined && one !== '');
  return firstWords(whole ?? '');
}

function firstWords(text: string): string {
  // A text may be long; what can be shown of it lies in its first few hundred units.
  const points = [...printable(text.slice(0, 8 * LABEL_WIDTH))];
  if (points.length <= LABEL_WIDTH) return points.join('');
  const cut = points.slice(0, LABEL_WIDTH).join('');
  const space = cut.lastIndexOf(' ');
  return `${space > LABEL_WIDTH / 2 ? cut.slice(0, space) : cut}…`;
}

function skipLine({ channel, message, count }: Result['skipped'][number]): string {
  const times = count === undefined ? '' : ` (${count})`;
  return `skipped ${printable(channel)}: ${printable(message)}${times}\n`;
}
