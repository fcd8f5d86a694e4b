import type { Scope } from '../access/scope.js';
import type { Cancelled, ScoreContext } from './context.js';
import { type Arrival, type LocalizeRequest, walkFromSeeds } from './localize-walk.js';

/** How one seed came to a row: its edges in order, none to the seed itself, and what it gave. */
export interface SeedWay {
  /** Place among the seeds. */
  seed: number;
  value: number;
  steps: { row: number; bit: number; direction: 'out' | 'in' }[];
}

/** For each of some rows the ways of all seeds that reach it, in the order of the seeds. They sum to its score. */
export function localizeWays(
  context: ScoreContext,
  scope: Scope,
  { rows, ...request }: LocalizeRequest & { rows: number[] },
  cancelled: Cancelled,
): SeedWay[][] {
  const ways = rows.map((): SeedWay[] => []);
  let arrivals = new Map<number, Arrival>();
  const done = (seed: number): void => {
    rows.forEach((row, i) => {
      const arrival = arrivals.get(row);
      if (arrival === undefined) return;
      const steps = [];
      for (let at = arrival; at.from >= 0; at = arrivals.get(at.from)!)
        steps.unshift({ row: at.row, bit: at.bit, direction: at.direction });
      ways[i]!.push({ seed, value: arrival.share, steps });
    });
    arrivals = new Map();
  };
  const arrive = (arrival: Arrival): void => void arrivals.set(arrival.row, arrival);
  walkFromSeeds(context, scope, request, cancelled, arrive, done);
  return ways;
}
