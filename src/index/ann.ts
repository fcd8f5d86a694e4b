import type { RecordBatch } from 'apache-arrow';
import { CorankError, quote } from '../errors.js';
import type { VectorForm } from '../types.js';
import { batchOf, list, u32 } from './columns.js';
import type { FinishedVectors } from './embeddings.js';
import type { AccessTables } from './grants.js';
import { MAX_EF, requireHnsw } from './hnsw.js';

/** How graphs of neighbours are made. */
export interface AnnOptions {
  /** Links that a vector keeps, 2 to 128, default 16: more find more, and take memory (8 bytes a link) and time. */
  m?: number;
  /** Candidates kept while a vector is linked in, 1 to 10,000, default 200: more find more, and take time. */
  efConstruction?: number;
}

/** What `ann` asks for, checked; undefined when it asks for nothing. NOT_CONFIGURED without the package. */
export function checkedAnn(
  ann: boolean | AnnOptions | undefined,
  vectors: VectorForm,
): Required<AnnOptions> | undefined {
  if (ann === undefined || ann === false) return undefined;
  if (ann !== true && (typeof ann !== 'object' || ann === null)) throw wrong('ann', 'true or an object', ann);
  const { m = 16, efConstruction = 200, ...others } = ann === true ? {} : ann;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined)
    throw new CorankError('INVALID_INPUT', `ann has no option ${quote(unknown)}; known: m, efConstruction`);
  if (!isWhole(m, 2, 128)) throw wrong('ann.m', 'a whole number from 2 to 128', m);
  if (!isWhole(efConstruction, 1, MAX_EF))
    throw wrong('ann.efConstruction', `a whole number from 1 to ${MAX_EF}`, efConstruction);
  if (vectors === 'int8-only') {
    throw new CorankError(
      'INVALID_INPUT',
      'ann holds every number of the vectors, which int8-only is there to leave out: take f32 or int8',
    );
  }
  requireHnsw();
  return { m, efConstruction };
}

const isWhole = (value: unknown, least: number, most: number): boolean =>
  Number.isInteger(value) && (value as number) >= least && (value as number) <= most;

const wrong = (name: string, expected: string, value: unknown): CorankError =>
  new CorankError('INVALID_INPUT', `${name} must be ${expected}, got ${quote(value)}`);

/** Graphs to be made, one for each organisation and source: a caller sees all of some and nothing of the others. */
export interface AnnPlan extends Required<AnnOptions> {
  vectors: FinishedVectors;
  /** By graph, places in the table `embeddings`, ascending. */
  places: Uint32Array[];
}

/** Vectors of the declared model that have a direction, parted by organisation and source. */
export function planAnn(
  options: Required<AnnOptions>,
  vectors: FinishedVectors | undefined,
  access: AccessTables | undefined,
): AnnPlan {
  if (vectors === undefined)
    throw new CorankError('INVALID_INPUT', 'ann needs vectors, and this index has none');
  const column = (table: RecordBatch, name: string): ArrayLike<number> => table.getChild(name)!.toArray();
  const [rows, models, norms] = ['row', 'model', 'norm'].map((name) => column(vectors.table, name)) as [
    ArrayLike<number>,
    ArrayLike<number>,
    ArrayLike<number>,
  ];
  const declared = vectors.models.indexOf(vectors.model);
  const classOf = access && column(access.access, 'class');
  const orgs = access && column(access.classes, 'org');
  const sources = access && column(access.classes, 'source');
  const parts = new Map<string, number[]>();
  for (let place = 0; place < rows.length; place++) {
    if (models[place] !== declared || norms[place] === 0) continue;
    const one = classOf?.[rows[place]!];
    const key = one === undefined ? '' : `${orgs![one]} ${sources![one]}`;
    const part = parts.get(key);
    if (part === undefined) parts.set(key, [place]);
    else part.push(place);
  }
  // By their first vectors: the order does not depend on that of the input.
  return { ...options, vectors, places: Array.from(parts.values(), (part) => Uint32Array.from(part)) };
}

/** The table `ann`. */
export function annTable(places: readonly Uint32Array[]): RecordBatch {
  const offsets = new Int32Array(places.length + 1);
  places.forEach((part, i) => {
    offsets[i + 1] = offsets[i]! + part.length;
  });
  const all = new Uint32Array(offsets[places.length]!);
  places.forEach((part, i) => {
    all.set(part, offsets[i]);
  });
  return batchOf([list('vector', offsets, u32('item', all))], places.length);
}
