import { byScoreThenRow } from '../../rank/order.js';
import type { ChannelList, FusedPart, FusedRow } from './fusion.js';

/**
 * Every row of the lists with the sum of what it has in each, channels added in their order; best first, ties by row.
 * `values` holds a number for each hit of each list; `name` stands before the channel's in explanations.
 */
export function sumOfParts(
  name: string,
  lists: readonly ChannelList[],
  values: readonly (readonly number[])[],
): FusedRow[] {
  const byRow = new Map<number, FusedPart[]>();
  lists.forEach(({ name: channelName, hits }, channel) => {
    hits.forEach(({ row }, i) => {
      const parts = byRow.get(row) ?? [];
      parts.push({ from: `${name}:${channelName}`, value: values[channel]![i]!, channel });
      byRow.set(row, parts);
    });
  });
  return [...byRow]
    .map(([row, parts]) => ({
      row,
      score: parts.reduce((sum, { value }) => sum + value, 0),
      parts: () => parts,
    }))
    .sort(byScoreThenRow);
}
