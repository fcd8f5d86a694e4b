import { placeOrder } from '../../rank/citation-order.js';
import type { Boundaries } from '../../score/boundaries.js';
import { type Matches, matcher, scoreOf } from '../../score/seed-match.js';
import { seedTokens } from '../../score/seed-tokens.js';
import type { RetrieveRequest } from '../retriever.js';
import type { Matched, SeedRow } from './seed.js';

/**
 * Every visible node that any token matches (C.3): more matching names first, then more matching qualified names,
 * then by place (path, lines, qualified name, kind, name, id).
 */
export async function lexicalSeeds(
  { runtime, scope, text }: RetrieveRequest,
  boundaries: Boundaries,
  signal: AbortSignal | undefined,
): Promise<SeedRow[]> {
  const tokens = seedTokens(text);
  if (tokens.length === 0) return [];
  const found = await runtime.pool.run('seeds', scope, { tokens, boundaries }, signal);
  const byPlace = placeOrder(runtime.nodes);
  return Array.from(found.rows, (row, i) => ({
    row,
    names: found.names[i]!,
    qualifiedNames: found.qualifiedNames[i]!,
  }))
    .sort((a, b) => b.names - a.names || b.qualifiedNames - a.qualifiedNames || byPlace(a.row, b.row))
    .map(({ row, ...matches }) => ({ row, id: runtime.nodes.id(row), ...scored(matches, tokens.length) }));
}

/** What the query's tokens match of rows that were found in another way. */
export function scorer(
  { runtime: { nodes }, text }: RetrieveRequest,
  boundaries: Boundaries,
): (row: number) => Pick<SeedRow, 'score' | 'matched'> {
  const tokens = seedTokens(text);
  const match = matcher(tokens, boundaries);
  return (row) => {
    const node = { name: nodes.text('name')?.get(row), qualifiedName: nodes.text('qualifiedName')?.get(row) };
    return scored(match(node), tokens.length);
  };
}

function scored(matches: Matches, tokens: number): Pick<SeedRow, 'score' | 'matched'> {
  const matched: Matched[] = [];
  if (matches.names > 0) matched.push('name');
  if (matches.qualifiedNames > 0) matched.push('qualifiedName');
  return { score: scoreOf(matches, tokens), matched };
}
