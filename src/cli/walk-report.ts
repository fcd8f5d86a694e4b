import { type Column, table } from '../output/table.js';
import { byScoreThenId } from '../rank/order.js';
import type { BareWalk } from '../retrieve/walk.js';
import { scoreText } from './score-text.js';
import { headed } from './stdout.js';

/** What `walk --json` prints. */
export interface WalkJson {
  nodes: { id: string; forward: number; reverse: number; score: number }[];
  iterations: BareWalk['iterations'];
  residual: BareWalk['residual'];
}

/** The best k nodes, those with a score of zero included. */
export function bestNodes({ ids, forward, reverse, iterations, residual }: BareWalk, k: number): WalkJson {
  const nodes = ids.map((id, i) => {
    const score = forward[i]! + reverse[i]!;
    return { id, forward: forward[i]!, reverse: reverse[i]!, score };
  });
  return { nodes: nodes.sort(byScoreThenId).slice(0, k), iterations, residual };
}

const COLUMNS: readonly Column[] = [
  { title: 'rank', align: 'right' },
  { title: 'id' },
  ...['score', 'forward', 'reverse'].map((title): Column => ({ title, align: 'right' })),
];

export function walkReport({ nodes, iterations, residual }: WalkJson): string {
  const rows = nodes.map(({ id, forward, reverse, score }, i) => [
    String(i + 1),
    id,
    ...[score, forward, reverse].map(scoreText),
  ]);
  return headed(table(COLUMNS, rows)) + endsReport({ iterations, residual });
}

/** A line for each walk that was made. */
export function endsReport({ iterations, residual }: Pick<BareWalk, 'iterations' | 'residual'>): string {
  return (['forward', 'reverse'] as const)
    .filter((way) => iterations[way] > 0)
    .map((way) => `${way}: ${iterations[way]} iterations, residual ${residual[way].toExponential(2)}\n`)
    .join('');
}
