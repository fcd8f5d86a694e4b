import { type Column, table } from '../output/table.js';
import type { Candidate, Path, Result, Via } from '../types.js';
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
  const addends = (candidate.explain ?? []).flatMap(({ from, value, absent, path }) => [
    [absent === undefined ? from : `${from}: ${absent}`, absent === undefined ? scoreText(value) : 'absent'],
    ...(path === undefined ? [] : [[pathText(path), '']]),
  ]);
  const edge = candidate.via === undefined ? [] : [[viaText(candidate.via), '']];
  const lines = [...addends, ...edge, ['score', scoreText(candidate.score)]];
  return lines.map((line, i) => (i === 0 ? [String(rank), candidate.id, ...line] : ['', '', ...line]));
}

/** `33 % from a, by mentions to b, against cites to c`. */
function pathText({ seed, share, steps }: Path): string {
  const along = steps.map(({ kind, direction, to }) => {
    const edge = kind === '' ? 'an edge' : kind;
    return `, ${direction === 'out' ? 'by' : 'against'} ${edge} to ${to}`;
  });
  return `  ${(100 * share).toFixed(0)} % from ${seed}${along.join('')}`;
}

function viaText({ from, edgeKind, direction }: Via): string {
  const kind = edgeKind === '' ? 'an edge' : edgeKind;
  return direction === 'out' ? `by ${kind} from ${from}` : `by ${kind} to ${from}`;
}
