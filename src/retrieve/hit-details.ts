import type { Hit } from './retriever.js';

/**
 * Removes from a hit what it may not say beside its id and score: ranks that are no whole numbers from 1, scores and
 * contributions that are not finite, a `via` whose seed this caller does not see. Whether there was any.
 */
export function dropBadDetails(hit: Hit, isVisible: (id: string) => boolean): boolean {
  const { ranks, scores, via, explain } = hit;
  const bad: boolean[] = [
    keep(hit, 'ranks', ranks, (rank) => Number.isSafeInteger(rank) && rank >= 1),
    keep(hit, 'scores', scores, Number.isFinite),
  ];
  if (via !== undefined && !isVia(via, isVisible)) {
    delete hit.via;
    bad.push(true);
  }
  if (explain !== undefined && !isExplained(explain)) {
    delete hit.explain;
    bad.push(true);
  }
  return bad.includes(true);
}

/** Keeps the entries that pass; none at all where there is no record. */
function keep(
  hit: Hit,
  field: 'ranks' | 'scores',
  numbers: unknown,
  passes: (value: number) => boolean,
): boolean {
  if (numbers === undefined) return false;
  if (typeof numbers !== 'object' || numbers === null) {
    delete hit[field];
    return true;
  }
  const entries = Object.entries(numbers);
  const kept = entries.filter(([, value]) => passes(value));
  if (kept.length < entries.length) hit[field] = Object.fromEntries(kept);
  return kept.length < entries.length;
}

const isVia = (via: unknown, isVisible: (id: string) => boolean): boolean => {
  const { from, edgeKind, direction } = Object(via);
  const isEdge = typeof edgeKind === 'string' && (direction === 'out' || direction === 'in');
  return isEdge && typeof from === 'string' && isVisible(from);
};

const isExplained = (explain: unknown): boolean =>
  Array.isArray(explain) &&
  explain.every((part) => typeof Object(part).from === 'string' && Number.isFinite(Object(part).value));
