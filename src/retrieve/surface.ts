import type { Scope } from '../access/scope.js';
import type { Manifest } from '../index/schema.js';
import { bitmapWords, isSet } from '../memory/bitmap.js';
import type { Runtime } from './runtime.js';

/**
 * What an answer may show. `code`: nodes that have a path and are no `Community` (C.6). `all`: every node. The others
 * conduct rank all the same.
 */
export type Surface = 'code' | 'all';

export const SURFACES: readonly Surface[] = ['code', 'all'];

/** `code` on an index that was declared to be one of code, by its analyzer; never guessed from its rows. */
export const usualSurface = ({ analyzer }: Manifest): Surface => (analyzer.name === 'code' ? 'code' : 'all');

/** The visible rows that may be shown, ascending. */
export function* surfacing({ index, nodes }: Runtime, scope: Scope, surface: Surface): Generator<number> {
  const visible = index.u32(scope.bitmapAt, bitmapWords(index.nodes));
  const shows = surface === 'all' ? () => true : showsCode(nodes);
  for (let row = 0; row < index.nodes; row++) if (isSet(visible, row) && shows(row)) yield row;
}

const COMMUNITY = Buffer.from('Community');

/** Whether a row has a path and is no community. */
export function showsCode(nodes: Runtime['nodes']): (row: number) => boolean {
  const [path, kind] = [nodes.text('path'), nodes.text('kind')];
  return (row) =>
    path !== undefined && path.end(row) > path.start(row) && kind?.equals(row, COMMUNITY) !== true;
}
