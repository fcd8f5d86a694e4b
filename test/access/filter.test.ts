import { describe, expect, it } from 'vitest';
import type { Engine, Node } from '../../dist/index.js';
import type { Filter, FilterOperator } from '../../dist/types.js';
import { opened, refusal } from '../index/small-index.js';

type Order = Exclude<FilterOperator, 'in'>;
const OPERATORS: Order[] = ['=', '!=', '<', '<=', '>', '>='];

const NODES: Node[] = [
  { id: 'a', meta: { year: 1999, score: 0.5, lang: 'de', draft: true } },
  { id: 'b', meta: { year: 2000, score: -1.5, lang: 'en', draft: false } },
  { id: 'c', meta: { year: 2001, score: 1e300, lang: '\u{1f600}', draft: true } },
  { id: 'd', meta: { year: '2001', score: '0.5', lang: '\uffff', draft: 'false' } },
  { id: 'e', meta: { lang: '' } },
  { id: 'f' },
].map((node): Node => ({ text: 'word', ...node }) as Node);

const index: Promise<Engine> = opened(
  { nodes: NODES },
  {
    fields: [
      { name: 'year', type: 'int' },
      { name: 'score', type: 'float' },
      { name: 'lang', type: 'string' },
      { name: 'draft', type: 'bool' },
    ],
  },
);

async function passing(...filters: Filter[]): Promise<string> {
  const engine = await index;
  const { candidates } = await engine.search({ text: 'word', principal: 'open', filters });
  return candidates
    .map(({ id }) => id)
    .sort()
    .join('');
}

describe.each([
  ['year', 2000, { '=': 'b', '!=': 'acd', '<': 'a', '<=': 'ab', '>': 'cd', '>=': 'bcd' }],
  ['year', 2000.5, { '=': '', '!=': 'abcd', '<': 'ab', '<=': 'ab', '>': 'cd', '>=': 'cd' }],
  ['year', '2000', { '=': 'b', '!=': 'acd', '<': 'a', '<=': 'ab', '>': 'cd', '>=': 'bcd' }],
  ['score', 0.5, { '=': 'ad', '!=': 'bc', '<': 'b', '<=': 'abd', '>': 'c', '>=': 'acd' }],
  ['score', -1e300, { '=': '', '!=': 'abcd', '<': '', '<=': '', '>': 'abcd', '>=': 'abcd' }],
  // Strings are ordered by their UTF-8 bytes: U+FFFF before U+1F600.
  ['lang', 'en', { '=': 'b', '!=': 'acde', '<': 'ae', '<=': 'abe', '>': 'cd', '>=': 'bcd' }],
  ['lang', '\uffff', { '=': 'd', '!=': 'abce', '<': 'abe', '<=': 'abde', '>': 'c', '>=': 'cd' }],
  ['draft', true, { '=': 'ac', '!=': 'bd', '<': 'bd', '<=': 'abcd', '>': '', '>=': 'ac' }],
  ['draft', 'false', { '=': 'bd', '!=': 'ac', '<': '', '<=': 'bd', '>': 'ac', '>=': 'abcd' }],
] as [string, string | number | boolean, Record<Order, string>][])('%s against %j', (field, value, rows) => {
  it.each(OPERATORS)('%s lets the right rows pass, and none without a value', async (op) => {
    expect(await passing({ field, op, value })).toBe(rows[op]);
  });
});

const none = [{ field: 'year', op: '=', value: null }] as const;

describe('a set', () => {
  it.each([
    ['year', [1999, 2001], 'acd'],
    ['year', [2000.5, '2000'], 'b'],
    ['year', [], ''],
    ['year', [null], 'ef'],
    ['year', [null, 2000], 'bef'],
    ['score', [1e300, -1.5, 7], 'bc'],
    ['lang', ['en', 'de', 'xx'], 'ab'],
    ['lang', ['', null], 'ef'],
    ['lang', ['e', 'enn', '\uffff'], 'd'],
    ['draft', [false], 'bd'],
    ['draft', [true, 'false'], 'abcd'],
    ['draft', [null], 'ef'],
  ] as [string, (string | number | boolean | null)[], string][])(
    'of %s in %j lets the right rows pass',
    async (field, value, rows) => {
      expect(await passing({ field, op: 'in', value })).toBe(rows);
    },
  );

  it('may hold many values', async () => {
    const value = Array.from({ length: 100 }, (_, i) => 1900 + i);
    expect(await passing({ field: 'year', op: 'in', value })).toBe('a');
    const strings = Array.from({ length: 100 }, (_, i) => `e${String.fromCharCode(97 + (i % 26))}${i}`);
    expect(await passing({ field: 'lang', op: 'in', value: [...strings, 'en', 'de'] })).toBe('ab');
  });
});

describe('null', () => {
  it('is what rows without a value are equal to, and others are not', async () => {
    expect(await passing(...none)).toBe('ef');
    expect(await passing({ field: 'year', op: '!=', value: null })).toBe('abcd');
    expect(await passing({ field: 'lang', op: '=', value: null })).toBe('f');
    expect(await passing({ field: 'lang', op: '!=', value: null })).toBe('abcde');
    expect(await passing({ field: 'draft', op: '=', value: null })).toBe('ef');
  });

  it('is a value of no row: the word null is something else', async () => {
    expect(await passing({ field: 'lang', op: '=', value: 'null' })).toBe('');
  });

  it.each(['<', '<=', '>', '>='] as const)('cannot be asked with %s', async (op) => {
    await refusal(passing({ field: 'year', op, value: null }), 'INVALID_INPUT', 'year', op);
  });
});

it('lets rows pass that lie in a range', async () => {
  const range: Filter[] = [
    { field: 'year', op: '>=', value: 2000 },
    { field: 'year', op: '<', value: 2001 },
  ];
  expect(await passing(...range)).toBe('b');
});

it('lets rows pass that pass all filters', async () => {
  const lang: Filter = { field: 'lang', op: '>=', value: 'e' };
  const year: Filter = { field: 'year', op: '<', value: 2001 };
  expect(await passing(lang, year)).toBe('b');
  expect(await passing(year, lang)).toBe('b');
  expect(await passing()).toBe('abcdef');
});

it('compares large numbers that differ by no more than their last digit', async () => {
  const large = Number.MAX_SAFE_INTEGER;
  const engine = await opened(
    { nodes: [large, large - 1].map((n, i) => ({ id: 'xy'[i]!, text: 'word', meta: { n } })) },
    { fields: [{ name: 'n', type: 'int' }] },
  );
  const filters = [{ field: 'n', op: '=' as const, value: large }];
  const { candidates } = await engine.search({ text: 'word', principal: 'open', filters });
  expect(candidates.map(({ id }) => id)).toEqual(['x']);
});

it('counts only rows that pass, so that a filter changes scores as a smaller corpus does', async () => {
  const few = await opened({ nodes: NODES.slice(0, 2) });
  const engine = await index;
  const filters = [{ field: 'year', op: '<=' as const, value: 2000 }];
  const filtered = await engine.search({ text: 'word', principal: 'open', filters });
  const alone = await few.search({ text: 'word', principal: 'open' });
  expect(filtered.candidates.map(({ id, score }) => [id, score])).toEqual(
    alone.candidates.map(({ id, score }) => [id, score]),
  );
});

describe('a request', () => {
  const ask = async (filter: unknown) => passing(filter as Filter);

  it('for a field that was not declared is refused with those that were', async () => {
    await refusal(ask({ field: 'colour', op: '=', value: 1 }), 'UNKNOWN_FIELD', 'colour', 'year', 'draft');
    await refusal(ask({ field: '__proto__', op: '=', value: 1 }), 'UNKNOWN_FIELD');
  });

  it('with an unknown operator is refused with the known ones', async () => {
    await refusal(ask({ field: 'year', op: '==', value: 1 }), 'INVALID_INPUT', '==', '>=');
  });

  it.each([
    ['year', 'soon'],
    ['year', true],
    ['year', ''],
    ['score', Number.NaN],
    ['draft', 1],
    ['draft', 'yes'],
    ['score', undefined],
    ['lang', [1]],
  ])('that compares %s with %j is refused', async (field, value) => {
    await refusal(ask({ field, op: '=', value }), 'INVALID_INPUT', field);
  });

  it.each([
    ['year', 1999],
    ['year', null],
    ['year', { 0: 1999 }],
    ['year', [1999, 'soon']],
    ['year', [[1999]]],
    ['lang', ['a', undefined]],
  ])('for one of a set, %s in %j, is refused', async (field, value) => {
    await refusal(ask({ field, op: 'in', value }), 'INVALID_INPUT', field);
  });

  it('is checked before a blank text is answered', async () => {
    const engine = await index;
    const filters: Filter[] = [{ field: 'colour', op: '=', value: 1 }];
    await refusal(engine.search({ text: ' ', principal: 'open', filters }), 'UNKNOWN_FIELD');
  });
});

it('gives two filters the same rows only when they are the same', async () => {
  // Not one of these strings is there; JSON writes all three values as null.
  const values = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const engine = await opened(
    { nodes: values.map((value) => ({ id: String(value), text: 'word', meta: { lang: String(value) } })) },
    { fields: [{ name: 'lang', type: 'string' }] },
  );
  for (const value of values) {
    const filters = [{ field: 'lang', op: '=' as const, value }];
    const asked = engine.search({ text: 'word', principal: 'open', filters });
    const found = await asked.then(
      ({ candidates }) => candidates.map(({ id }) => id),
      ({ code }) => code,
    );
    expect(['INVALID_INPUT', [String(value)]]).toContainEqual(found);
  }
});
