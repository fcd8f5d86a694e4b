import type { Scope } from '../access/scope.js';
import { CorankError, quote } from '../errors.js';
import { bitmapWords, isSet } from '../memory/bitmap.js';
import type { Filter, Stage, WhyNot } from '../types.js';
import type { Runtime } from './runtime.js';
import type { Trace } from './trace.js';

/** Watches the node with this id; undefined when the scope has none. Throws INVALID_INPUT for what is no id. */
export function traceOf({ index, nodes }: Runtime, scope: Scope, id: unknown): Trace | undefined {
  if (typeof id !== 'string' || id === '')
    throw new CorankError('INVALID_INPUT', `whyNot is the id of a node, got ${quote(id)}`);
  const row = nodes.row(id);
  const visible = index.u32(scope.bitmapAt, bitmapWords(index.nodes));
  return row >= 0 && isSet(visible, row) ? { row, stages: [] } : undefined;
}

/** What the watched node's way says, once the answer of k candidates is made. */
export function whyNotOf(id: string, trace: Trace | undefined, k: number): WhyNot {
  if (trace === undefined) return notVisible(id);
  const { stages } = trace;
  const [last] = stages;
  if (last === undefined)
    return { id, outcome: 'lost', message: 'the query is blank: no retriever was asked', stages };
  const { rank, retriever } = last;
  if (rank === undefined) return { id, outcome: 'lost', message: told(last).join('; '), stages };
  if (rank <= k) return { id, outcome: 'found', message: `it is candidate ${rank}`, stages };
  return { id, outcome: 'cut', message: `${retriever} has it at rank ${rank}; k is ${k}`, stages };
}

const notVisible = (id: string): WhyNot => ({
  id,
  outcome: 'not_visible',
  message: 'this caller sees no node of this id in these sources',
  stages: [],
});

/**
 * For a node that the query's scope does not have: the filters that exclude it, when the caller sees it without.
 * `sees`: whether the scope of the same caller with these filters has the node.
 */
export async function whyFiltered(
  whyNot: WhyNot,
  filters: readonly Filter[],
  sees: (filters: readonly Filter[]) => Promise<boolean>,
): Promise<WhyNot> {
  if (!(await sees([]))) return whyNot;
  const against: string[] = [];
  for (const filter of filters) if (!(await sees([filter]))) against.push(filterText(filter));
  return { ...whyNot, outcome: 'filtered', message: `it does not pass ${against.join(', ')}` };
}

const filterText = ({ field, op, value }: Filter): string => `${field} ${op} ${JSON.stringify(value)}`;

/** What became of a node that a retriever did not return: with it, and with those that it asked. */
function told(stage: Stage): string[] {
  return [sentenceOf(stage), ...stage.stages.flatMap(told)];
}

function sentenceOf({ retriever, limit, returned, rank, unavailable }: Stage): string {
  if (unavailable !== undefined) return `${retriever} could not run (${unavailable.code})`;
  if (rank !== undefined) return `${retriever} has it at rank ${rank}`;
  if (returned < limit)
    return `${retriever} returned ${returned} ${returned === 1 ? 'node' : 'nodes'} without it`;
  return `${retriever} has it behind its first ${limit}, if at all`;
}
