import { type ArrowColumns, columns } from './arrow-columns.js';
import type { Directory, ListAt } from './directory.js';
import type { LoadedTables } from './load.js';

/** The tables of derived links, checked: rows and places in range, lists and mentions in order, counts above 0. */
export function derivedAt(loaded: LoadedTables, nodes: number): NonNullable<Directory['derived']> {
  const phrases = columns(loaded, 'phrases');
  const titles = columns(loaded, 'titles');
  const mentions = columns(loaded, 'mentions');
  const from = mentions.numbers('from', Uint32Array);
  const title = mentions.numbers('title', Uint32Array);
  const count = mentions.numbers('count', Uint32Array);
  const nodesOf = titles.list('node', Uint32Array);
  let links = 0;
  for (let i = 0; i < mentions.rows; i++) {
    if (from[i]! >= nodes || (i > 0 && from[i]! < from[i - 1]!))
      throw mentions.fail('from', `value ${i} is out of order or range`);
    if (title[i]! >= titles.rows) throw mentions.fail('title', `value ${i} is out of range`);
    if (count[i] === 0) throw mentions.fail('count', `value ${i} is 0`);
    links += nodesOf.starts[title[i]! + 1]! - nodesOf.starts[title[i]!]!;
  }
  const directory = {
    links: loaded.manifest.derived!.links,
    phraseTexts: phrases.text('phrase'),
    phrases: ascending(phrases, 'node', nodes),
    titles: ascending(titles, 'node', nodes),
    mentions: {
      rows: mentions.rows,
      from: from.byteOffset,
      title: title.byteOffset,
      count: count.byteOffset,
      covers: ascending(mentions, 'covers', titles.rows),
    },
  };
  if (2 * (links + directory.phrases.length) !== directory.links)
    throw mentions.fail('title', 'does not have as many links as the manifest says');
  return directory;
}

/** A list column whose lists ascend, below `limit`. */
function ascending(table: ArrowColumns, name: string, limit: number): ListAt {
  const { starts, values } = table.list(name, Uint32Array);
  for (let row = 0; row + 1 < starts.length; row++) {
    for (let i = starts[row]!; i < starts[row + 1]!; i++) {
      if (values[i]! >= limit || (i > starts[row]! && values[i]! <= values[i - 1]!))
        throw table.fail(name, `value ${i} is out of order or range`);
    }
  }
  return { rows: table.rows, starts: starts.byteOffset, values: values.byteOffset, length: values.length };
}
