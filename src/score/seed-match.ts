import { type Boundaries, standsIn } from './boundaries.js';
import { seedTokens } from './seed-tokens.js';

/** How many of a query's tokens, repeats included, are a node's name, and stand in its qualified name. */
export interface Matches {
  names: number;
  qualifiedNames: number;
}

/** What of a node is looked at. */
export interface Named {
  name?: string | undefined;
  qualifiedName?: string | undefined;
}

/** Bytes of UTF-8 from which a token is sought in qualified names. */
export const LEAST_QUALIFIED_BYTES = 3;

/** Counts the matches of nodes with the tokens of one query (C.3). */
export function matcher(tokens: readonly string[], boundaries: Boundaries): (node: Named) => Matches {
  const times = new Map<string, number>();
  for (const token of tokens) times.set(token, (times.get(token) ?? 0) + 1);
  const sought = [...times].filter(([token]) => Buffer.byteLength(token) >= LEAST_QUALIFIED_BYTES);
  return ({ name, qualifiedName }) => ({
    names: name === undefined ? 0 : (times.get(name.toLowerCase()) ?? 0),
    qualifiedNames:
      qualifiedName === undefined
        ? 0
        : sought.reduce(
            (sum, [token, count]) => sum + (standsIn(qualifiedName, token, boundaries) ? count : 0),
            0,
          ),
  });
}

/** E (T + 1) + Q of T tokens: one name outweighs all qualified names. 1 for a node that matches by neither. */
export function scoreOf({ names, qualifiedNames }: Matches, tokens: number): number {
  return names * (tokens + 1) + qualifiedNames || 1;
}

/**
 * System C's SeedMatchScore (C.4), a whole number of at least 1: E (T + 1) + Q, where T counts the query's tokens,
 * E those that are the node's name and Q those that stand in its qualified name; 1 when none does, or without a node.
 */
export function seedMatchScore(
  node: Named | null | undefined,
  query: string,
  options: { boundaries?: Boundaries } = {},
): number {
  const tokens = seedTokens(query);
  return scoreOf(matcher(tokens, options.boundaries ?? 'identifier')(node ?? {}), tokens.length);
}
