import { fc, it as property } from '@fast-check/vitest';
import { expect, it } from 'vitest';
import { bitmapWords, countBits, fillBitmap, isSet, setBit } from '../../src/memory/bitmap.js';

it.each([
  [0, 0],
  [1, 1],
  [31, 1],
  [32, 1],
  [33, 2],
  [64, 2],
  [1000, 32],
])('needs for %i rows %i words', (rows, words) => {
  expect(bitmapWords(rows)).toBe(words);
});

it.each([0, 1, 31, 32, 33, 63, 64, 65, 1000])('fills %i rows and no bit behind the last', (rows) => {
  const words = new Uint32Array(bitmapWords(rows));
  fillBitmap(words, rows);
  expect(countBits(words)).toBe(rows);
  for (let row = 0; row < words.length * 32; row++) expect(isSet(words, row)).toBe(row < rows);
});

property.prop([fc.uniqueArray(fc.nat({ max: 299 }))], { seed: 1 })(
  'has the bits that were set, no others',
  (rows) => {
    const words = new Uint32Array(bitmapWords(300));
    for (const row of rows) setBit(words, row);
    for (let row = 0; row < 300; row++) expect(isSet(words, row)).toBe(rows.includes(row));
    expect(countBits(words)).toBe(rows.length);
  },
);

property.prop([fc.array(fc.integer({ min: 0, max: 0xffffffff }))], { seed: 1 })(
  'counts the bits of any words',
  (values) => {
    const ones = values.map((word) => word.toString(2).replaceAll('0', '').length);
    expect(countBits(Uint32Array.from(values))).toBe(ones.reduce((sum, n) => sum + n, 0));
  },
);
