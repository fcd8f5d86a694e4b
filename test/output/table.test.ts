import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { printable } from '../../src/output/printable.js';
import { table } from '../../src/output/table.js';

describe('printable', () => {
  it.each([
    ['a\n\tb  c', 'a b c'],
    ['\u001b[31mred\u001b[0m', '\\u{1b}[31mred\\u{1b}[0m'],
    ['a\u202eb', 'a\\u{202e}b'],
    ['a\ud800b', 'a\\u{d800}b'],
    ['a\u2028b\u0085c', 'a b c'],
    ['👩‍💻 東京 é', '👩‍💻 東京 é'],
  ])('turns %j into %j', (text, expected) => {
    expect(printable(text)).toBe(expected);
  });

  test.prop([fc.string({ unit: 'binary' })])('leaves no control character, for any text', (text) => {
    expect(printable(text)).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Bidi_Control}]/u);
    expect(printable(printable(text))).toBe(printable(text));
  });
});

describe('table', () => {
  it('aligns columns by code points, numbers to the right, without trailing space', () => {
    const columns = [{ title: 'id' }, { title: 'score', align: 'right' as const }, { title: 'what' }];
    expect(
      table(columns, [
        ['🙂', '12.5', 'one\ntwo'],
        ['long', '3', ''],
      ]),
    ).toBe(['id    score  what', '🙂      12.5  one two', 'long      3', ''].join('\n'));
  });

  test.prop([
    fc.array(fc.tuple(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' })), { maxLength: 5 }),
  ])('has one line per row, whatever the cells hold', (rows) => {
    expect(table([{ title: 'a' }, { title: 'b', align: 'right' }], rows).split('\n')).toHaveLength(
      rows.length + 2,
    );
  });
});
