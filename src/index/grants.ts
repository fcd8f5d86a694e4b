import type { RecordBatch } from 'apache-arrow';
import { CorankError, quote } from '../errors.js';
import type { AccessMode, AccessRow, Node } from '../types.js';
import { batchOf, list, strings, u32 } from './columns.js';
import { GrowableU32 } from './growable.js';
import { compareIds } from './id-order.js';

const ABSENT = 0xffffffff;

/**
 * Collects who may read what: organisation, source and tags of each node. An index is scoped as soon as one
 * node has any of them; then a node without all three is refused, for silence must not mean "everybody".
 */
export class GrantsBuilder {
  private readonly labels = new Map<string, number>();
  private readonly org = new GrowableU32();
  private readonly source = new GrowableU32();
  private readonly tags: (Uint32Array | undefined)[] = [];
  private readonly ids: string[] = [];
  private readonly mode: AccessMode | undefined;
  /** A separate access table was declared: the index is scoped even when that table is empty. */
  private readonly declared: boolean;
  private any = false;

  constructor(mode: AccessMode | undefined, declared: boolean) {
    this.mode = mode;
    this.declared = declared;
  }

  add(node: Node): void {
    this.ids.push(node.id);
    this.org.push(node.org === undefined ? ABSENT : this.label(node.org));
    this.source.push(node.source === undefined ? ABSENT : this.label(node.source));
    this.tags.push(node.acl === undefined ? undefined : this.tagCodes(node.acl));
    this.any ||= node.org !== undefined || node.source !== undefined || node.acl !== undefined;
  }

  /** A row of an access table replaces what the node itself said. `input` is the node's place in the input. */
  set(input: number, row: AccessRow): void {
    this.org.set(input, this.label(row.org));
    this.source.set(input, this.label(row.source));
    this.tags[input] = this.tagCodes(row.acl);
    this.any = true;
  }

  finish(order: Uint32Array): { mode: AccessMode; tables?: { access: RecordBatch; labels: RecordBatch } } {
    const scoped = this.mode === 'scoped' || (this.mode === undefined && (this.any || this.declared));
    if (!scoped) {
      if (this.any || this.declared) {
        throw new CorankError(
          'ACCESS_MODE',
          'an open index cannot hold access columns (org, source, acl): it would not enforce them; build it scoped',
        );
      }
      return { mode: 'open' };
    }
    this.refuseIncomplete();
    return { mode: 'scoped', tables: this.tables(order) };
  }

  private label(text: string): number {
    let code = this.labels.get(text);
    if (code === undefined) {
      code = this.labels.size;
      this.labels.set(text, code);
    }
    return code;
  }

  private tagCodes(acl: readonly string[]): Uint32Array {
    return Uint32Array.from(new Set(acl), (tag) => this.label(tag));
  }

  private refuseIncomplete(): void {
    let first = -1;
    let count = 0;
    for (let i = 0; i < this.ids.length; i++) {
      if (this.org.get(i) !== ABSENT && this.source.get(i) !== ABSENT && this.tags[i] !== undefined) continue;
      if (first < 0) first = i;
      count++;
    }
    if (count === 0) return;
    const missing = [
      ...(this.org.get(first) === ABSENT ? ['org'] : []),
      ...(this.source.get(first) === ABSENT ? ['source'] : []),
      ...(this.tags[first] === undefined ? ['acl'] : []),
    ];
    throw new CorankError(
      'INVALID_INPUT',
      `in a scoped index every row needs org, source and acl: ${count} of ${this.ids.length} rows lack some, ` +
        `the first is ${quote(this.ids[first])} (no ${missing.join(', ')}); an empty acl means readable by nobody`,
      { place: { id: this.ids[first]! } },
    );
  }

  private tables(order: Uint32Array): { access: RecordBatch; labels: RecordBatch } {
    const sorted = [...this.labels.keys()].sort(compareIds);
    const places = new Uint32Array(sorted.length);
    sorted.forEach((label, place) => {
      places[this.labels.get(label)!] = place;
    });
    const offsets = new Int32Array(order.length + 1);
    const tags = new GrowableU32();
    order.forEach((input, row) => {
      const codes = this.tags[input]!.map((code) => places[code]!).sort();
      for (const code of codes) tags.push(code);
      offsets[row + 1] = tags.length;
    });
    const coded = (codes: GrowableU32): Uint32Array =>
      Uint32Array.from(order, (input) => places[codes.get(input)]!);
    return {
      access: batchOf(
        [
          u32('org', coded(this.org)),
          u32('source', coded(this.source)),
          list('acl', offsets, u32('item', tags.view())),
        ],
        order.length,
      ),
      labels: batchOf([strings('label', sorted)], sorted.length),
    };
  }
}
