import { type Column, table } from '../output/table.js';
import type { Candidate, Result, Via } from '../types.js';
import { scoreText } from './score-text.js';

const COLUMNS: readonly Column[] = [
  { title: 'rank', align: 'right' },
  { title: 'id' },
  { title: 'from' },
  { title: 'value', align: 'right' },
];

/** What each score is made of, one addend a line; a candidate that came along an edge names it. */
export function explainTable(result: Result): string {
  return table(
    COLUMNS,
    result.candidates.flatMap((candidate, i) => linesOf(candidate, i + 1)),
  );
}

function linesOf(candidate: Candidate, rank: number): string[][] {
  const addends = (candidate.explain ?? []).map(({ from, value }) => [from, scoreText(value)]);
  const edge = candidate.via === undefined ? [] : [[viaText(candidate.via), '']];
  const lines = [...addends, ...edge, ['score', scoreText(candidate.score)]];
  return lines.map((line, i) => (i === 0 ? [String(rank), candidate.id, ...line] : ['', '', ...line]));
}

function viaText({ from, edgeKind, direction }: Via): string {
  const kind = edgeKind === '' ? 'an edge' : edgeKind;
  return direction === 'out' ? `by ${kind} from ${from}` : `by ${kind} to ${from}`;
}
