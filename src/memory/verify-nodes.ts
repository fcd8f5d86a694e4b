import type { TableName } from '../index/schema.js';
import { AccessView } from './access-view.js';
import { columns } from './arrow-columns.js';
import type { Report } from './finding.js';
import type { LoadedTables } from './load.js';
import { TextView } from './text-view.js';

/** Ids, labels and kinds ascend by their bytes; tables of nodes have a row per node; tags ascend. */
export function verifyNodes(loaded: LoadedTables, report: Report): void {
  const { manifest } = loaded;
  const nodes = manifest.counts.nodes;
  for (const table of ['nodes', 'filters', 'access', 'lengths', 'out', 'in'] as const) {
    const batch = loaded.tables.get(table);
    if (batch !== undefined && batch.numRows !== nodes)
      report(table, `has ${batch.numRows} rows for ${nodes} nodes`);
  }
  ascending(loaded, 'nodes', 'id', report);
  if (loaded.tables.has('labels')) ascending(loaded, 'labels', 'label', report);
  if (loaded.tables.has('lsa')) ascending(loaded, 'lsa', 'term', report);
  if (loaded.tables.has('kinds')) ascending(loaded, 'kinds', 'kind', report);
  if (manifest.access === 'scoped') verifyTags(new AccessView(loaded), report);
  verifyMeta(loaded, nodes, report);
}

function ascending(loaded: LoadedTables, table: TableName, column: string, report: Report): void {
  const text = new TextView(loaded.memory, columns(loaded, table).text(column));
  for (let row = 0; row < text.rows; row++) {
    const value = text.get(row) ?? '';
    if (value === '') report(table, `row ${row} has no ${column}`);
    else if (row > 0 && text.compare(row - 1, Buffer.from(value)) >= 0) {
      report(table, `${column} ${JSON.stringify(value)} in row ${row} is out of order`);
    }
  }
}

function verifyTags({ org, tagStarts, tags }: AccessView, report: Report): void {
  for (let code = 0; code < org.length; code++) {
    for (let t = tagStarts[code]! + 1; t < tagStarts[code + 1]!; t++) {
      if (tags[t]! <= tags[t - 1]!) report('classes', `the tags of class ${code} are out of order`);
    }
  }
}

function verifyMeta(loaded: LoadedTables, nodes: number, report: Report): void {
  const table = columns(loaded, 'nodes');
  if (!table.has('meta')) return;
  const meta = new TextView(loaded.memory, table.text('meta'));
  for (let row = 0; row < nodes; row++) {
    const text = meta.get(row);
    if (text === undefined) continue;
    try {
      const value: unknown = JSON.parse(text);
      if (typeof value !== 'object' || value === null) report('nodes', `meta of row ${row} is no object`);
    } catch {
      report('nodes', `meta of row ${row} is not JSON`);
    }
  }
}
