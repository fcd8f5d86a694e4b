import ignore, { type Ignore } from 'ignore';
import { quote } from '../../errors.js';
import type { AccessRow, Node } from '../../types.js';
import { refusal } from '../refusal.js';

/** An access row and where it came from. */
export interface PlacedPattern {
  value: AccessRow;
  place: { file?: string; line?: number };
}

/**
 * Gives the nodes of a source tree the access columns of the rows whose id names their path, as a pattern in the form of
 * .gitignore: `src/` is all below it, `*.sql` every such file. Of several that match the last decides. A node that
 * none names stays without, which the index builder refuses. Throws INVALID_INPUT for a pattern that no path matches.
 */
export async function assignAccess(
  nodes: readonly Node[],
  rows: AsyncIterable<PlacedPattern>,
): Promise<void> {
  const patterns: { matcher: Ignore; row: AccessRow; place: PlacedPattern['place']; used: boolean }[] = [];
  for await (const { value, place } of rows)
    patterns.push({ matcher: ignore().add(value.id), row: value, place, used: false });
  for (const node of nodes) {
    for (const pattern of patterns) {
      if (!pattern.matcher.ignores(node.path!)) continue;
      pattern.used = true;
      const { org, source, acl } = pattern.row;
      Object.assign(node, { org, source, acl });
    }
  }
  const idle = patterns.find(({ used }) => !used);
  if (idle === undefined) return;
  throw refusal(`no path of the tree matches ${quote(idle.row.id)}`, { ...idle.place, id: idle.row.id });
}
