import type { RecordBatch } from 'apache-arrow';
import { CorankError, quote } from '../errors.js';
import type { AccessMode, AccessRow, Node } from '../types.js';
import { batchOf, list, strings, u32 } from './columns.js';
import { GrowableU32 } from './growable.js';
import { compareIds } from './id-order.js';

/** What rows of one class have in common; labels as codes, undefined where a row said nothing. */
interface AccessClass {
  org: number | undefined;
  source: number | undefined;
  /** Ascending, distinct. */
  tags: Uint32Array | undefined;
}

/**
 * Collects who may read what: organisation, source and tags of each node, a class for each distinct combination
 * of them. An index is scoped as soon as one node has any of them; then a node without all three is refused,
 * for silence must not mean "everybody".
 */
export class GrantsBuilder {
  private readonly labels = new Map<string, number>();
  private readonly classes: AccessClass[] = [];
  private readonly classByKey = new Map<string, number>();
  /** Per node in input order. */
  private readonly classOf = new GrowableU32();
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
    this.classOf.push(this.classFor(node.org, node.source, node.acl));
    this.any ||= node.org !== undefined || node.source !== undefined || node.acl !== undefined;
  }

  /** A row of an access table replaces what the node itself said. `input` is the node's place in the input. */
  set(input: number, row: AccessRow): void {
    this.classOf.set(input, this.classFor(row.org, row.source, row.acl));
    this.any = true;
  }

  finish(order: Uint32Array): { mode: AccessMode; tables?: AccessTables } {
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

  /** The organisation whose rows have the tag, and for each input whether it has. Throws INVALID_INPUT. */
  rowsWithTag(tag: string): { org: string; has: (input: number) => boolean } {
    const code = this.labels.get(tag);
    const tagged = this.classes.map(({ tags }) => code !== undefined && tags?.includes(code) === true);
    const used = new Set(this.classOf.view().filter((one) => tagged[one]));
    const orgs = new Set([...used].map((one) => this.classes[one]!.org));
    const [org] = orgs;
    if (org === undefined) {
      throw new CorankError(
        'INVALID_INPUT',
        `no row has the tag ${quote(tag)}, so there is nothing to learn from`,
      );
    }
    if (orgs.size > 1) {
      throw new CorankError(
        'INVALID_INPUT',
        `rows of ${orgs.size} organisations have the tag ${quote(tag)}: nobody may read them all, so nothing can be learned from them`,
      );
    }
    const [name] = [...this.labels].find(([, label]) => label === org)!;
    return { org: name, has: (input) => tagged[this.classOf.get(input)]! };
  }

  private label(text: string): number {
    let code = this.labels.get(text);
    if (code === undefined) {
      code = this.labels.size;
      this.labels.set(text, code);
    }
    return code;
  }

  private classFor(
    orgLabel: string | undefined,
    sourceLabel: string | undefined,
    acl: readonly string[] | undefined,
  ): number {
    const org = orgLabel === undefined ? undefined : this.label(orgLabel);
    const source = sourceLabel === undefined ? undefined : this.label(sourceLabel);
    const tags =
      acl === undefined ? undefined : Uint32Array.from(new Set(acl), (tag) => this.label(tag)).sort();
    const key = `${org ?? ''} ${source ?? ''} ${tags ?? '-'}`;
    let code = this.classByKey.get(key);
    if (code === undefined) {
      code = this.classes.push({ org, source, tags }) - 1;
      this.classByKey.set(key, code);
    }
    return code;
  }

  private refuseIncomplete(): void {
    const incomplete = this.classes.map(
      ({ org, source, tags }) => org === undefined || source === undefined || tags === undefined,
    );
    const classOf = this.classOf.view();
    const first = classOf.findIndex((code) => incomplete[code]!);
    if (first < 0) return;
    const count = classOf.reduce((sum, code) => sum + Number(incomplete[code]), 0);
    const { org, source, tags } = this.classes[classOf[first]!]!;
    const missing = [
      ...(org === undefined ? ['org'] : []),
      ...(source === undefined ? ['source'] : []),
      ...(tags === undefined ? ['acl'] : []),
    ];
    throw new CorankError(
      'INVALID_INPUT',
      `in a scoped index every row needs org, source and acl: ${count} of ${this.ids.length} rows lack some, ` +
        `the first is ${quote(this.ids[first])} (no ${missing.join(', ')}); an empty acl means readable by nobody`,
      { place: { id: this.ids[first]! } },
    );
  }

  /** Labels that rows still have, by their bytes; classes by the places of their org, source and tags. */
  private tables(order: Uint32Array): AccessTables {
    const used = [...new Set(this.classOf.view())].map((code) => ({ code, ...this.classes[code]! }));
    const labels = new Set(used.flatMap(({ org, source, tags }) => [org!, source!, ...tags!]));
    const sorted = [...this.labels].filter(([, code]) => labels.has(code)).map(([label]) => label);
    sorted.sort(compareIds);
    const places = new Map(sorted.map((label, place) => [this.labels.get(label)!, place]));
    const classes = used.map(({ code, org, source, tags }) => ({
      code,
      org: places.get(org!)!,
      source: places.get(source!)!,
      tags: tags!.map((tag) => places.get(tag)!).sort(),
    }));
    classes.sort((a, b) => a.org - b.org || a.source - b.source || compareTags(a.tags, b.tags));
    const classPlaces = new Map(classes.map(({ code }, place) => [code, place]));
    const rows = Uint32Array.from(order, (input) => classPlaces.get(this.classOf.get(input))!);
    const offsets = new Int32Array(classes.length + 1);
    const tags = new GrowableU32();
    classes.forEach((one, place) => {
      for (const tag of one.tags) tags.push(tag);
      offsets[place + 1] = tags.length;
    });
    return {
      access: batchOf([u32('class', rows)], rows.length),
      classes: batchOf(
        [
          u32(
            'org',
            Uint32Array.from(classes, ({ org }) => org),
          ),
          u32(
            'source',
            Uint32Array.from(classes, ({ source }) => source),
          ),
          list('acl', offsets, u32('item', tags.view())),
        ],
        classes.length,
      ),
      labels: batchOf([strings('label', sorted)], sorted.length),
    };
  }
}

/** Lexicographic. */
function compareTags(a: Uint32Array, b: Uint32Array): number {
  const common = Math.min(a.length, b.length);
  for (let i = 0; i < common; i++) if (a[i] !== b[i]) return a[i]! - b[i]!;
  return a.length - b.length;
}

export interface AccessTables {
  access: RecordBatch;
  classes: RecordBatch;
  labels: RecordBatch;
}
