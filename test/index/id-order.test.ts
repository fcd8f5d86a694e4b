import { fc, it as property } from '@fast-check/vitest';
import { expect, it } from 'vitest';
import { compareIds } from '../../src/index/id-order.js';

const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a, 'utf8'), Buffer.from(b, 'utf8'));

/** On both sides of every length of UTF-8 and of the surrogates of UTF-16. */
const EDGES = [
  '\0',
  '\x7f',
  '\x80',
  '\u07ff',
  '\u0800',
  '\ud7ff',
  '\ue000',
  '\uffff',
  '\u{10000}',
  '\u{10ffff}',
];

property.prop([fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' })], { seed: 1 })(
  'orders any two strings as their UTF-8 bytes',
  (a, b) => {
    expect(Math.sign(compareIds(a, b))).toBe(byBytes(a, b));
  },
);

const edgy = fc.string({ unit: fc.constantFrom(...EDGES, 'a'), maxLength: 6 });

property.prop([edgy, edgy], { numRuns: 2000, seed: 1 })(
  'orders characters of every length of encoding',
  (a, b) => {
    expect(Math.sign(compareIds(a, b))).toBe(byBytes(a, b));
  },
);

it('puts what lies above U+FFFF behind what lies below, unlike a comparison of strings', () => {
  expect(compareIds('\uffff', '\u{1f600}')).toBeLessThan(0);
  expect('\uffff' < '\u{1f600}').toBe(false);
});

it('puts a prefix before what it begins', () => {
  expect(compareIds('a', 'ab')).toBeLessThan(0);
  expect(compareIds('', 'a')).toBeLessThan(0);
  expect(compareIds('ab', 'ab')).toBe(0);
});
