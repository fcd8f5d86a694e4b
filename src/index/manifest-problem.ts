import type { AccessMode } from '../types.js';
import { paddedWidth } from './embeddings.js';
import { SCORED_FIELDS } from './fields.js';
import { graphFile, type LsaOrigin, type Manifest, TABLES, type TableName } from './schema.js';

const FIELD_TYPES: readonly string[] = ['string', 'int', 'float', 'bool'];

const VECTOR_FORMS: readonly string[] = ['f32', 'int8', 'int8-only'];

type Ann = NonNullable<NonNullable<Manifest['embedding']>['ann']>;

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;

/** Rows that a table must have; undefined where any number will do. */
function expectedRows(manifest: Manifest, table: TableName): number | undefined {
  const { counts, scored } = manifest;
  switch (table) {
    case 'postings':
      return counts.terms;
    case 'codes':
      return scored.length;
    case 'embeddings':
    case 'quantized':
      return counts.vectors;
    case 'ann':
      return manifest.embedding!.ann!.graphs.length;
    case 'edges':
      return counts.edges;
    case 'classes':
    case 'labels':
    case 'lsa':
    case 'kinds':
    case 'titles':
    case 'mentions':
      return undefined;
    case 'phrases':
      return manifest.derived?.phrases;
    default:
      return counts.nodes;
  }
}

/** The tables that an index with these declarations has. */
function expectedTables(manifest: Manifest): TableName[] {
  return TABLES.filter((table) => {
    if (table === 'filters') return manifest.fields.length > 0;
    if (['access', 'classes', 'labels'].includes(table)) return manifest.access === 'scoped';
    if (table === 'lsa') return manifest.embedding?.lsa !== undefined;
    if (table === 'embeddings') return manifest.embedding !== undefined;
    if (table === 'ann') return manifest.embedding?.ann !== undefined;
    if (table === 'quantized')
      return manifest.embedding !== undefined && manifest.embedding.vectors !== 'f32';
    if (['kinds', 'edges', 'out', 'in'].includes(table)) return manifest.edges;
    if (['phrases', 'titles', 'mentions'].includes(table)) return manifest.derived !== undefined;
    return true;
  });
}

/** What a parsed manifest lacks or contradicts, as a sentence; undefined when later code can rely on it. */
export function manifestProblem(manifest: Manifest): string | undefined {
  try {
    return problemOf(manifest);
  } catch (cause) {
    // A null or a number where an object should be: whichever it was, nothing here can be relied on.
    if (cause instanceof TypeError) return 'it is garbled';
    throw cause;
  }
}

function problemOf(manifest: Manifest): string | undefined {
  const { counts, limits, embedding } = manifest;
  if (manifest.access !== 'scoped' && manifest.access !== 'open') return 'it names no access mode';
  if (typeof manifest.analyzer?.name !== 'string') return 'it names no analyzer';
  if (!Array.isArray(manifest.fields) || typeof manifest.edges !== 'boolean') return 'it lacks declarations';
  if (!manifest.fields.every(({ name, type }) => typeof name === 'string' && FIELD_TYPES.includes(type))) {
    return 'it declares fields without a name or type';
  }
  if (!Array.isArray(manifest.scored) || !manifest.scored.every((field) => SCORED_FIELDS.includes(field))) {
    return 'it lists scored fields that do not exist';
  }
  for (const name of ['nodes', 'edges', 'vectors', 'terms', 'postings'] as const) {
    if (!isCount(counts?.[name])) return `its count of ${name} is no number`;
  }
  if (!isCount(limits?.maxCodes) || !isCount(limits?.maxOccurrences)) return 'its limits are no numbers';
  if (limits.codeBytes !== 2 && limits.codeBytes !== 4) return 'its codes have neither 2 nor 4 bytes';
  if (embedding !== undefined) {
    if (!isCount(embedding.dimension) || embedding.width !== paddedWidth(embedding.dimension)) {
      return 'its vectors have a dimension that contradicts their width';
    }
    if (
      embedding.lsa !== undefined &&
      (!isCount(embedding.lsa.rows) || !isOrigin(manifest.access, embedding.lsa))
    ) {
      return 'it does not say what its own vectors were learned from';
    }
    if (!Array.isArray(embedding.models) || !embedding.models.includes(embedding.model))
      return 'it lacks models';
    if (!VECTOR_FORMS.includes(embedding.vectors)) return 'it keeps vectors in no known form';
    if (embedding.ann !== undefined && (embedding.vectors === 'int8-only' || !areGraphs(embedding.ann)))
      return 'its graphs of neighbours are garbled';
  }
  const { derived } = manifest;
  if (derived !== undefined) {
    if (!isCount(derived.phrases) || !isCount(derived.links))
      return 'its counts of derived links are no numbers';
    if (!manifest.edges) return 'it has derived links but no edge table';
  }
  return tableProblem(manifest);
}

/** A scoped index names whose rows with which tag; an open one neither. */
function isOrigin(access: AccessMode, { org, tag }: LsaOrigin): boolean {
  if (access === 'open') return org === undefined && tag === undefined;
  return typeof org === 'string' && typeof tag === 'string';
}

function areGraphs({ m, efConstruction, graphs }: Ann): boolean {
  if (!isCount(m) || m < 2 || m > 128 || !isCount(efConstruction) || !Array.isArray(graphs)) return false;
  return graphs.every(
    ({ file, rows, recall, size, crc32, sha256 }, i) =>
      file === graphFile(i) &&
      [rows, size, crc32].every(isCount) &&
      rows > 0 &&
      recall >= 0 &&
      recall <= 1 &&
      typeof sha256 === 'string',
  );
}

function tableProblem(manifest: Manifest): string | undefined {
  const expected = expectedTables(manifest);
  const extra = Object.keys(manifest.tables ?? {}).find((table) => !expected.includes(table as TableName));
  if (extra !== undefined) return `it lists a table ${extra} that it should not have`;
  for (const table of expected) {
    const entry = manifest.tables?.[table];
    if (entry === undefined) return `it lists no table ${table}`;
    const sound =
      entry.file === `${table}.arrow` && isCount(entry.size) && isCount(entry.crc32) && isCount(entry.rows);
    if (!sound) return `its entry of table ${table} is garbled`;
    const rows = expectedRows(manifest, table);
    if (rows !== undefined && entry.rows !== rows)
      return `table ${table} has ${entry.rows} rows, expected ${rows}`;
  }
  return undefined;
}
