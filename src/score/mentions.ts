import type { Scope } from '../access/scope.js';
import { perScope, type ScoreContext } from './context.js';
import { eachDerivedLink } from './derived-graph.js';

/** The mentions of one scope: passages whose texts have the titles of others. */
export interface Mentions {
  /** The passages that a passage mentions, or that mention it, ascending, with how often. */
  of(row: number, direction: 'out' | 'in'): { row: number; count: number }[];
}

/** Kept as long as consecutive questions share the scope; undefined in an index without derived links. */
export function mentionsIn(context: ScoreContext, scope: Scope): Mentions | undefined {
  if (context.index.directory.derived === undefined) return undefined;
  return perScope(context, scope, 'mentions', () => listed(context, scope));
}

function listed({ index }: ScoreContext, scope: Scope): Mentions {
  const from: number[] = [];
  const to: number[] = [];
  const counts: number[] = [];
  const weights = { mention: 1, reversal: 0, phrase: 0 };
  eachDerivedLink(index, scope, index.directory.derived!, weights, (a, b, count) => {
    from.push(a);
    to.push(b);
    counts.push(count);
  });
  const places = Uint32Array.from(to, (_, i) => i);
  const byTarget = places.slice().sort((a, b) => to[a]! - to[b]! || a - b);
  return {
    of(row, direction) {
      const [near, far, order] = direction === 'out' ? [from, to, places] : [to, from, byTarget];
      const found = [];
      for (let i = firstAt(order, near, row); i < order.length && near[order[i]!] === row; i++)
        found.push({ row: far[order[i]!]!, count: counts[order[i]!]! });
      return found;
    },
  };
}

/** The first place in `order` whose value is `row` or more. */
function firstAt(order: Uint32Array, values: readonly number[], row: number): number {
  let low = 0;
  let high = order.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[order[middle]!]! < row) low = middle + 1;
    else high = middle;
  }
  return low;
}
