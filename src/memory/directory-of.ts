import { type ArrowColumns, columnAt, columns } from './arrow-columns.js';
import { derivedAt } from './derived-at.js';
import { DIRECTORY_VERSION, type Directory, type GraphAt } from './directory.js';
import type { LoadedTables } from './load.js';

/**
 * Makes the directory of a loaded index and checks what the kernels rely on: lists ascend, rows, codes and
 * kinds are in range, weights are finite and above 0. A kernel never checks again.
 */
export function directoryOf(loaded: LoadedTables): Directory {
  const { manifest } = loaded;
  const nodes = manifest.counts.nodes;
  return {
    version: DIRECTORY_VERSION,
    nodes,
    access: manifest.access,
    codeBytes: manifest.limits.codeBytes,
    maxCodes: manifest.limits.maxCodes,
    ...names(loaded),
    ...words(loaded, nodes),
    ...(manifest.embedding === undefined ? {} : { embeddings: embeddings(loaded, nodes) }),
    ...(manifest.edges ? { graph: graph(loaded, nodes) } : {}),
    ...(manifest.derived === undefined ? {} : { derived: derivedAt(loaded, nodes) }),
  };
}

function names(loaded: LoadedTables): Pick<Directory, 'names' | 'qualifiedNames'> {
  const nodes = columns(loaded, 'nodes');
  const text = (name: string) => (nodes.has(name) ? nodes.text(name) : undefined);
  return { names: text('name'), qualifiedNames: text('qualifiedName') };
}

function words(loaded: LoadedTables, nodes: number) {
  const { scored, limits } = loaded.manifest;
  const postings = columns(loaded, 'postings');
  const lengths = columns(loaded, 'lengths');
  const codes = columns(loaded, 'codes');
  const rows = postings.list('row', Uint32Array);
  checkAscending(postings, rows, nodes);
  const frequency = codes.list('frequency', Uint32Array);
  const length = codes.list('length', Uint32Array);
  const fields = scored.map((name, f) => {
    const column = postings.list<Uint16Array | Uint32Array>(
      name,
      limits.codeBytes === 2 ? Uint16Array : Uint32Array,
    );
    const from = frequency.starts[f]!;
    const to = frequency.starts[f + 1]!;
    checkBelow(postings, name, column.values, Math.min(to - from, limits.maxCodes));
    if (column.values.length !== rows.values.length) throw postings.fail(name, 'is not as long as row');
    return {
      name,
      lengths: lengths.numbers(name, Uint32Array).byteOffset,
      codes: column.values.byteOffset,
      codeFrequency: columnAt(frequency.values.subarray(from, to)),
      codeLength: columnAt(length.values.subarray(from, to)),
    };
  });
  const positions = postings.binaryList('positions');
  checkPositions(postings, positions, rows.values.length, limits.maxOccurrences);
  const gaps = lengths.binary('gaps');
  checkGaps(lengths, gaps, nodes);
  return {
    fields,
    terms: postings.text('term'),
    postings: {
      starts: rows.starts.byteOffset,
      rows: columnAt(rows.values),
      positionOffsets: positions.offsets.byteOffset,
      positions: positions.bytes.byteOffset,
    },
    gaps: { offsets: gaps.offsets.byteOffset, bytes: gaps.bytes.byteOffset, length: gaps.bytes.length },
  };
}

function checkAscending(
  table: ArrowColumns,
  { starts, values }: { starts: Int32Array; values: Uint32Array },
  limit: number,
): void {
  for (let term = 0; term + 1 < starts.length; term++) {
    let last = -1;
    for (let i = starts[term]!; i < starts[term + 1]!; i++) {
      const row = values[i]!;
      if (row <= last || row >= limit) throw table.fail('row', `posting ${i} is out of order or range`);
      last = row;
    }
  }
}

function checkBelow(
  table: ArrowColumns,
  name: string,
  values: Uint16Array | Uint32Array,
  limit: number,
): void {
  for (let i = 0; i < values.length; i++) {
    if (values[i]! >= limit) throw table.fail(name, `value ${i} is ${values[i]}, the limit is ${limit}`);
  }
}

/** Every posting has 1 to `most` positions, each ended by a byte without the high bit. */
function checkPositions(
  table: ArrowColumns,
  { offsets, bytes }: { offsets: Int32Array; bytes: Uint8Array },
  postings: number,
  most: number,
): void {
  if (postings > 0 && offsets.length !== postings + 1) throw table.fail('positions', 'is not as long as row');
  for (let i = 0; i < postings; i++) {
    let count = 0;
    for (let at = offsets[i]!; at < offsets[i + 1]!; at++) count += (bytes[at]! >> 7) ^ 1;
    if (count === 0 || count > most || bytes[offsets[i + 1]! - 1]! >= 0x80) {
      throw table.fail('positions', `posting ${i} is garbled`);
    }
  }
}

/** Every document's gaps are whole pairs of whole numbers. */
function checkGaps(
  table: ArrowColumns,
  { offsets, bytes }: { offsets: Int32Array; bytes: Uint8Array },
  nodes: number,
): void {
  for (let row = 0; row < nodes; row++) {
    let count = 0;
    for (let at = offsets[row]!; at < offsets[row + 1]!; at++) count += (bytes[at]! >> 7) ^ 1;
    if (count % 2 !== 0 || (offsets[row + 1]! > offsets[row]! && bytes[offsets[row + 1]! - 1]! >= 0x80)) {
      throw table.fail('gaps', `row ${row} is garbled`);
    }
  }
}

function embeddings(loaded: LoadedTables, nodes: number): NonNullable<Directory['embeddings']> {
  const { dimension, width, models, vectors } = loaded.manifest.embedding!;
  const table = columns(loaded, 'embeddings');
  const rows = table.numbers('row', Uint32Array);
  for (let i = 0; i < rows.length; i++) {
    if (rows[i]! >= nodes || (i > 0 && rows[i]! <= rows[i - 1]!))
      throw table.fail('row', `value ${i} is out of order or range`);
  }
  const model = table.numbers('model', Uint16Array);
  checkBelow(table, 'model', model, models.length);
  const norms = table.numbers('norm', Float64Array);
  if (!norms.every((norm) => Number.isFinite(norm) && norm >= 0)) throw table.fail('norm', 'is not finite');
  return {
    dimension,
    width,
    models,
    count: table.rows,
    rows: rows.byteOffset,
    model: model.byteOffset,
    norms: norms.byteOffset,
    vectors: vectors === 'int8-only' ? 0 : table.fixedList('vector', Float32Array, width).byteOffset,
    ...(vectors === 'f32' ? {} : { quantized: quantized(loaded, width) }),
  };
}

/** Scales are finite; a residual may be infinite: such a row is always scored exactly. */
function quantized(loaded: LoadedTables, width: number) {
  const table = columns(loaded, 'quantized');
  const scales = table.numbers('scale', Float32Array);
  const residuals = table.numbers('residual', Float32Array);
  if (!scales.every((scale) => scale >= 0 && scale < Number.POSITIVE_INFINITY))
    throw table.fail('scale', 'is not finite and >= 0');
  if (!residuals.every((residual) => residual >= 0)) throw table.fail('residual', 'is not >= 0');
  return {
    values: table.fixedList('value', Int8Array, width).byteOffset,
    scales: scales.byteOffset,
    residuals: residuals.byteOffset,
  };
}

function graph(loaded: LoadedTables, nodes: number): NonNullable<Directory['graph']> {
  const kindTable = columns(loaded, 'kinds').text('kind');
  const edges = columns(loaded, 'edges');
  const from = edges.numbers('from', Uint32Array);
  const to = edges.numbers('to', Uint32Array);
  const kind = edges.numbers('kind', Uint16Array);
  const weight = edges.numbers('weight', Float64Array);
  checkBelow(edges, 'from', from, nodes);
  checkBelow(edges, 'to', to, nodes);
  checkBelow(edges, 'kind', kind, kindTable.rows);
  checkWeights(edges, weight);
  const loops: { row: number; weight: number; kind: number }[] = [];
  for (let e = 0; e < from.length; e++) {
    if (from[e] === to[e]) loops.push({ row: from[e]!, weight: weight[e]!, kind: kind[e]! });
  }
  const kinds = loaded.tables.get('kinds')!.getChildAt(0)!;
  return {
    out: direction(loaded, 'out', nodes, kindTable.rows, edges.rows),
    in: direction(loaded, 'in', nodes, kindTable.rows, edges.rows),
    kinds: [...kinds] as string[],
    loops,
    unweighted: weight.every((w) => w === 1),
  };
}

function direction(
  loaded: LoadedTables,
  name: 'out' | 'in',
  nodes: number,
  kinds: number,
  edges: number,
): GraphAt {
  const table = columns(loaded, name);
  if (table.rows !== nodes) throw table.fail('node', `has ${table.rows} rows, expected ${nodes}`);
  const ends = table.list('node', Uint32Array);
  const weight = table.list('weight', Float64Array);
  const kind = table.list('kind', Uint16Array);
  const edge = table.list('edge', Uint32Array);
  checkBelow(table, 'node', ends.values, nodes);
  checkBelow(table, 'kind', kind.values, kinds);
  checkBelow(table, 'edge', edge.values, edges);
  checkWeights(table, weight.values);
  const length = ends.values.length;
  for (const column of [weight, kind, edge]) {
    if (column.values.length !== length) throw table.fail('node', 'is not as long as the other columns');
  }
  return {
    starts: ends.starts.byteOffset,
    nodes: ends.values.byteOffset,
    weights: weight.values.byteOffset,
    kinds: kind.values.byteOffset,
    edges: edge.values.byteOffset,
    length,
  };
}

function checkWeights(table: ArrowColumns, weights: Float64Array): void {
  for (let e = 0; e < weights.length; e++) {
    if (!(weights[e]! > 0 && weights[e]! < Number.POSITIVE_INFINITY)) {
      throw table.fail('weight', `value ${e} is ${weights[e]}: weights are finite and above 0`);
    }
  }
}
