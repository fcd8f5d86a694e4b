import assert from 'node:assert/strict';
import { compileFilter } from '../src/access/filter.js';
import type { Caller } from '../src/access/principal.js';
import { fillScope } from '../src/access/scope.js';
import type { AccessView } from '../src/memory/access-view.js';
import { bitmapWords, isSet } from '../src/memory/bitmap.js';
import type { FilterView } from '../src/memory/filter-view.js';
import { TextView } from '../src/memory/text-view.js';
import type { Filter } from '../src/types.js';
import { uniform } from './generate.js';
import { race, type Table } from './report.js';

const ROWS = 1_000_000;
const ORGS = 4;
const SOURCES = 20;
const TAGS = 200;
const MOST_TAGS = 7;
const PLAIN = 'sets in plain JS';

/** Scopes over a million rows whose access lists are few (1,000), or as many as the rows. */
export default async function scope(seed: number): Promise<Table[]> {
  const tables: Table[] = [];
  for (const classes of [1000, ROWS]) tables.push(await scopes(seed, classes));
  return [...tables, await filters()];
}

async function scopes(seed: number, classes: number): Promise<Table> {
  const access = accessOf(seed, classes);
  const few = callerOf(2, 3);
  const many = callerOf(50, SOURCES);
  for (const caller of [few, many]) {
    const expected = plainly(access, caller);
    assert.equal(fill(access, caller), expected.size);
    for (let row = 0; row < ROWS; row++) assert.equal(isSet(words, row), expected.has(row));
  }
  return race(
    `scope: ${ROWS} rows, ${classes} distinct access lists of up to ${MOST_TAGS} tags`,
    [
      { name: PLAIN, run: () => plainly(access, many) },
      { name: '2 grants, 3 of 20 sources', run: () => fill(access, few) },
      { name: '50 grants, every source', run: () => fill(access, many) },
    ],
    [PLAIN],
  );
}

async function filters(): Promise<Table> {
  const year = Float64Array.from({ length: ROWS }, (_, i) => 1950 + (i % 75));
  const langs = Array.from({ length: ROWS }, (_, i) => ['de', 'en', 'en', 'fr', 'pt-BR'][i % 5]!);
  const columns = new Map<string, unknown>([
    ['year', { type: 'int', values: year, present: undefined }],
    ['lang', { type: 'string', text: textColumn(langs) }],
  ]);
  const fields = new Map([
    ['year', { name: 'year', type: 'int' }],
    ['lang', { name: 'lang', type: 'string' }],
  ]);
  const view = { fields, column: (name: string) => columns.get(name) } as unknown as FilterView;
  const filtered = (...asked: Filter[]) => {
    const tests = asked.map((filter) => compileFilter(filter, view));
    return fillScope(words, { caller: { mode: 'open' }, access: undefined, tests, nodes: ROWS });
  };
  const range: Filter[] = [
    { field: 'year', op: '>=', value: 1990 },
    { field: 'year', op: '<', value: 2000 },
  ];
  assert.equal(filtered(...range), year.filter((y) => y >= 1990 && y < 2000).length);
  return race(
    `scope: ${ROWS} rows, open, filters`,
    [
      { name: 'array.filter in plain JS', run: () => year.filter((y) => y >= 1990 && y < 2000) },
      { name: 'a range of numbers', run: () => filtered(...range) },
      {
        name: 'one of three numbers',
        run: () => filtered({ field: 'year', op: 'in', value: [1990, 1999, 2001] }),
      },
      { name: 'a string', run: () => filtered({ field: 'lang', op: '=', value: 'en' }) },
      {
        name: 'one of three strings',
        run: () => filtered({ field: 'lang', op: 'in', value: ['de', 'en', 'es'] }),
      },
    ],
    ['array.filter in plain JS'],
  );
}

const words = new Uint32Array(new SharedArrayBuffer(bitmapWords(ROWS) * 4));

const fill = (access: AccessView, caller: Caller): number =>
  fillScope(words, { caller, access, tests: [], nodes: ROWS });

/** A text column without missing values. */
function textColumn(values: readonly string[]): TextView {
  const bytes = Buffer.from(values.join(''));
  const memory = new WebAssembly.Memory({ initial: 256, maximum: 256, shared: true });
  const offsets = new Int32Array(memory.buffer, 0, values.length + 1);
  values.forEach((value, i) => {
    offsets[i + 1] = offsets[i]! + value.length;
  });
  new Uint8Array(memory.buffer, offsets.byteLength, bytes.length).set(bytes);
  return new TextView(memory, { rows: values.length, offsets: 0, bytes: offsets.byteLength, validity: 0 });
}

function callerOf(grants: number, sources: number): Caller & { mode: 'scoped' } {
  const names = (count: number, prefix: string) => Array.from({ length: count }, (_, i) => prefix + i);
  return { mode: 'scoped', org: 'org0', grants: names(grants, 'tag'), sources: names(sources, 'source') };
}

/** An access table as an index has it, its labels as codes. */
function accessOf(seed: number, classes: number): AccessView {
  const next = uniform(seed);
  const whole = (limit: number): number => Math.floor(next() * limit);
  const labels = [
    ...Array.from({ length: ORGS }, (_, i) => `org${i}`),
    ...Array.from({ length: SOURCES }, (_, i) => `source${i}`),
    ...Array.from({ length: TAGS }, (_, i) => `tag${i}`),
  ];
  const tagStarts = new Int32Array(classes + 1);
  for (let code = 0; code < classes; code++) tagStarts[code + 1] = tagStarts[code]! + 1 + whole(MOST_TAGS);
  // Half of them belong to the organisation that asks.
  const pairs = Array.from(
    { length: classes },
    () => (next() < 0.5 ? 0 : whole(ORGS)) * SOURCES + whole(SOURCES),
  );
  pairs.sort((a, b) => a - b);
  const org = Uint32Array.from(pairs, (pair) => Math.floor(pair / SOURCES));
  const source = Uint32Array.from(pairs, (pair) => ORGS + (pair % SOURCES));
  const tags = Uint32Array.from({ length: tagStarts[classes]! }, () => ORGS + SOURCES + whole(TAGS));
  const classOf = Uint32Array.from({ length: ROWS }, () => whole(classes));
  const code = (label: string): number => labels.indexOf(label);
  return { classOf, org, source, tagStarts, tags, labelCount: labels.length, code } as unknown as AccessView;
}

/** The definition, row by row: org equal, source asked for, acl meets grants. */
function plainly(access: AccessView, caller: Caller & { mode: 'scoped' }): Set<number> {
  const codes = (labels: readonly string[]) => new Set(labels.map((label) => access.code(label)));
  const [org, grants, sources] = [access.code(caller.org), codes(caller.grants), codes(caller.sources)];
  const seen = new Set<number>();
  for (let row = 0; row < ROWS; row++) {
    const code = access.classOf[row]!;
    const acl = access.tags.subarray(access.tagStarts[code]!, access.tagStarts[code + 1]!);
    const readable = access.org[code] === org && sources.has(access.source[code]!);
    if (readable && acl.some((tag) => grants.has(tag))) seen.add(row);
  }
  return seen;
}
