import type { RecordBatch } from 'apache-arrow';
import { CorankError } from '../errors.js';
import type { Edge } from '../types.js';
import { batchOf, checkedOffset, f64, optionalNumbers, strings, TextColumn, u16, u32 } from './columns.js';
import { GrowableF64, GrowableU32 } from './growable.js';
import { compareIds } from './id-order.js';

/** The kind of an edge that names none. */
export const DEFAULT_EDGE_KIND = 'link';

export interface EdgeTable {
  edges: RecordBatch;
  kinds: RecordBatch;
  /** Per edge in table order. */
  from: Uint32Array;
  to: Uint32Array;
  kind: Uint16Array;
  weight: Float64Array;
}

/** Collects edges between inputs; delivers them sorted by (from, to, kind, weight, provenance, confidence). */
export class EdgeTableBuilder {
  private readonly from = new GrowableU32();
  private readonly to = new GrowableU32();
  private readonly kind = new GrowableU32();
  private readonly weight = new GrowableF64();
  private readonly confidence = new GrowableF64();
  private readonly provenance: (string | undefined)[] = [];
  private readonly fields: (string | undefined)[] = [];
  private readonly kinds = new Map<string, number>();

  get count(): number {
    return this.from.length;
  }

  /** `from` and `to` are places of the nodes in the input. */
  add(from: number, to: number, edge: Edge): void {
    const kind = edge.kind ?? DEFAULT_EDGE_KIND;
    let code = this.kinds.get(kind);
    if (code === undefined) {
      code = this.kinds.size;
      if (code > 0xffff) throw new CorankError('INVALID_INPUT', 'more than 65,536 kinds of edges');
      this.kinds.set(kind, code);
    }
    this.from.push(from);
    this.to.push(to);
    this.kind.push(code);
    this.weight.push(edge.weight ?? 1);
    this.confidence.push(edge.confidence ?? Number.NaN);
    this.provenance.push(edge.provenance);
    this.fields.push(edge.fields === undefined ? undefined : JSON.stringify(edge.fields));
  }

  finish(rowOf: Uint32Array): EdgeTable {
    checkedOffset(this.count, 'edges');
    const kinds = [...this.kinds.keys()].sort(compareIds);
    const places = [...this.kinds.keys()].map((kind) => kinds.indexOf(kind));
    const from = this.from.view().map((input) => rowOf[input]!);
    const to = this.to.view().map((input) => rowOf[input]!);
    const kind = Uint16Array.from(this.kind.view(), (code) => places[code]!);
    const order = this.sorted(from, to, kind, rowOf.length);
    const weight = Float64Array.from(order, (e) => this.weight.get(e));
    const table = {
      from: Uint32Array.from(order, (e) => from[e]!),
      to: Uint32Array.from(order, (e) => to[e]!),
      kind: Uint16Array.from(order, (e) => kind[e]!),
      weight,
    };
    return {
      ...table,
      kinds: batchOf([strings('kind', kinds)], kinds.length),
      edges: batchOf(
        [
          u32('from', table.from),
          u32('to', table.to),
          u16('kind', table.kind),
          f64('weight', weight),
          textColumn('provenance', this.provenance, order),
          optionalNumbers('confidence', 'f64', this.confidence.view(), order),
          textColumn('fields', this.fields, order),
        ],
        order.length,
      ),
    };
  }

  /** Two stable counting passes (to, then from); the few parallel edges are put in order by comparison. */
  private sorted(from: Uint32Array, to: Uint32Array, kind: Uint16Array, nodes: number): Uint32Array {
    const all = Uint32Array.from(from, (_, e) => e);
    const order = countingSort(countingSort(all, to, nodes), from, nodes);
    const compare = (a: number, b: number): number =>
      kind[a]! - kind[b]! ||
      this.weight.get(a) - this.weight.get(b) ||
      compareIds(this.provenance[a] ?? '', this.provenance[b] ?? '') ||
      compareNumbers(this.confidence.get(a), this.confidence.get(b)) ||
      compareIds(this.fields[a] ?? '', this.fields[b] ?? '');
    for (let start = 0; start < order.length; ) {
      let end = start + 1;
      while (
        end < order.length &&
        from[order[end]!] === from[order[start]!] &&
        to[order[end]!] === to[order[start]!]
      ) {
        end++;
      }
      if (end - start > 1) order.subarray(start, end).sort(compare);
      start = end;
    }
    return order;
  }
}

/** Absent (NaN) before present. */
function compareNumbers(a: number, b: number): number {
  if (Number.isNaN(a)) return Number.isNaN(b) ? 0 : -1;
  return Number.isNaN(b) ? 1 : a - b;
}

export function countingSort(items: Uint32Array, key: Uint32Array, keys: number): Uint32Array {
  const starts = new Uint32Array(keys + 1);
  for (const item of items) starts[key[item]! + 1]!++;
  for (let k = 0; k < keys; k++) starts[k + 1]! += starts[k]!;
  const out = new Uint32Array(items.length);
  for (const item of items) out[starts[key[item]!]!++] = item;
  return out;
}

function textColumn(name: string, values: readonly (string | undefined)[], order: Uint32Array) {
  const column = new TextColumn(name);
  for (const value of values) column.push(value);
  return column.finish(order);
}
