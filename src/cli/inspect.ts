import type { Command } from 'commander';
import type { Generation } from '../index/generation.js';
import type { LsaOrigin } from '../index/schema.js';
import { type Column, table } from '../output/table.js';
import { graphsText } from './graphs-text.js';
import { headed, listing, print, printJson } from './stdout.js';

export function addInspect(program: Command): void {
  program
    .command('inspect')
    .summary('say what an index holds')
    .description(
      'Says what an index holds, the whole of it, from its manifest. Use verify to check the tables.',
    )
    .argument('<dir>', 'an index')
    .option('--json', 'one JSON value (default: tables)')
    .option('--quiet', 'no progress and no notes on stderr (default: off)')
    .action(async (dir: string, options: { json?: boolean }) => {
      const { currentGeneration } = await import('../index/generation.js');
      const summary = summaryOf(await currentGeneration(dir));
      await (options.json ? printJson(summary) : print(report(summary)));
    });
}

function summaryOf({ name, manifest }: Generation) {
  const { version, access, analyzer, counts, fields, scored, embedding, edges } = manifest;
  const graphs = (embedding?.ann?.graphs ?? []).map(({ file, rows, size, recall }) => ({
    file,
    rows,
    bytes: size,
    recall,
  }));
  const tables = Object.entries(manifest.tables).map(([table, { file, rows, size }]) => ({
    name: table,
    file,
    rows,
    bytes: size,
  }));
  return {
    generation: name,
    version,
    access,
    analyzer,
    counts,
    edges,
    embedding: embedding ?? null,
    fields,
    scored,
    tables,
    ...(embedding?.ann === undefined ? {} : { graphs }),
    bytes: [...tables, ...graphs].reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

const origin = ({ rows, org, tag }: LsaOrigin): string =>
  org === undefined ? `${rows} nodes` : `${rows} nodes of ${org} with the tag ${tag}`;

const COLUMNS: readonly Column[] = [
  { title: 'table' },
  { title: 'rows', align: 'right' },
  { title: 'bytes', align: 'right' },
];

function report(summary: ReturnType<typeof summaryOf>): string {
  const { counts, embedding, fields, tables, graphs = [] } = summary;
  const rows = [
    ...tables.map(({ name, rows, bytes }) => [name, String(rows), String(bytes)]),
    ...graphs.map(({ file, rows, bytes }) => [file, String(rows), String(bytes)]),
    ['all', '', String(summary.bytes)],
  ];
  const vectors =
    embedding === null
      ? 'none'
      : `${counts.vectors} of ${embedding.dimension} numbers, ${embedding.vectors}, ${embedding.models.join(', ')}`;
  const entries = listing([
    ['generation', summary.generation],
    ['format', `version ${summary.version}`],
    ['access', summary.access],
    ['analyzer', summary.analyzer.fingerprint],
    ['nodes', counts.nodes],
    ['edges', summary.edges ? counts.edges : 'none'],
    ['vectors', vectors],
    ...(embedding?.lsa === undefined ? [] : [['learned from', origin(embedding.lsa)] as const]),
    ...(embedding?.ann === undefined ? [] : [['graphs of neighbours', graphsText(embedding.ann)] as const]),
    ['terms', counts.terms],
    ['scored fields', summary.scored.join(', ') || 'none'],
    ['filter fields', fields.map(({ name, type }) => `${name}:${type}`).join(', ') || 'none'],
  ]);
  return `${entries}\n${headed(table(COLUMNS, rows))}`;
}
