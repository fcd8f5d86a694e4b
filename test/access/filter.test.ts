import { describe, expect, it } from 'vitest';
import type { Engine, Node } from '../../dist/index.js';
import type { Filter, FilterOperator } from '../../dist/types.js';
import { opened, refusal } from '../index/small-index.js';

const OPERATORS: FilterOperator[] = ['=', '!=', '<', '<=', '>', '>='];

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
] as [string, string | number | boolean, Record<FilterOperator, string>][])(
  '%s against %j',
  (field, value, rows) => {
    it.each(OPERATORS)('%s lets the right rows pass, and none without a value', async (op) => {
      expect(await passing({ field, op, value })).toBe(rows[op]);
    });
  },
);

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
  ])('that compares %s with %j is refused', async (field, value) => {
    await refusal(ask({ field, op: '=', value }), 'INVALID_INPUT', field);
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
