import fc from 'fast-check';
import porter from 'natural/lib/natural/stemmers/porter_stemmer.js';
import { describe, expect, it } from 'vitest';
import { analyzerNamed } from '../../src/ingest/analyzer.js';
import { STOP_WORDS } from '../../src/ingest/stop-words.js';
import { TermMemory } from '../../src/ingest/term-memory.js';
import { refusalOf } from './files.js';

const english = analyzerNamed('english');
const plain = analyzerNamed('plain');

function terms(text: string, analyzer = english): string[] {
  const found: string[] = [];
  expect(analyzer.analyze(text, (term) => found.push(term))).toBe(found.length);
  return found;
}

const letters = fc.constantFrom(..."abtsnrei019 .-'é東京かター한ñ😀İKﬁ²½\u0301\u200d\ufe0f𝒳𠀀\ud800");
const text = fc.array(fc.oneof(letters, fc.constantFrom('the', 'flying', 'runs', 'don')), { maxLength: 40 });

describe('plain', () => {
  it('gives the runs of [a-z0-9] of the lower-case text', () => {
    const any = fc.oneof(
      text.map((parts) => parts.join('')),
      fc.string({ unit: 'binary' }),
    );
    fc.assert(
      fc.property(any, (value) => {
        expect(terms(value, plain)).toEqual(value.toLowerCase().match(/[a-z0-9]+/g) ?? []);
      }),
    );
  });

  it('knows the upper-case letters outside ASCII whose lower case is ASCII, as Python does', () => {
    // U+212A KELVIN SIGN and U+0130, whose lower case is i and a combining dot.
    expect(terms('\u212a1 \u0130x', plain)).toEqual(['k1', 'i', 'x']);
  });
});

describe('english', () => {
  it('equals a slow reading of its rules', () => {
    const slow = (value: string) =>
      (
        value
          .normalize('NFKC')
          .toLowerCase()
          .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
      )
        .flatMap((run) => run.split(/((?:[々-ヿ㐀-䶿一-鿿𠀀-𯿿]\p{M}*)+)/u).filter((part) => part !== ''))
        .flatMap((part) => {
          if (!/^[々-ヿ㐀-䶿一-鿿𠀀-𯿿]/u.test(part)) return [part];
          const characters = [...part].filter((character) => !/\p{M}/u.test(character));
          if (characters.length === 1) return characters;
          return characters.slice(1).map((character, i) => characters[i]! + character);
        })
        .filter((token) => !STOP_WORDS.has(token))
        .map((token) => (/^[a-z]+$/.test(token) ? porter.stem(token) : token));
    fc.assert(
      fc.property(
        text.map((parts) => parts.join('')),
        (value) => {
          expect(terms(value)).toEqual(slow(value));
        },
      ),
      { numRuns: 500 },
    );
  });

  it('stems English as Porter does', () => {
    // The examples of Porter's paper.
    expect(terms('caresses ponies relational conflated hopping motoring')).toEqual([
      'caress',
      'poni',
      'relat',
      'conflat',
      'hop',
      'motor',
    ]);
  });

  it('leaves words with digits and words of other scripts as they are', () => {
    expect(terms('h264s naïve café Ωmega running2')).toEqual(['h264s', 'naïve', 'café', 'ωmega', 'running2']);
  });

  it('splits at apostrophes, so that both halves are stop words', () => {
    expect(terms("don't")).toEqual([]);
  });

  it('tells how many stop words stand directly before each term', () => {
    const found: [string, number][] = [];
    const kept = english.analyze('The state of the art, which is it', (...args) => found.push(args));
    expect(found).toEqual([
      ['state', 1],
      ['art', 2],
    ]);
    expect(kept).toBe(2);
  });

  it('gives overlapping pairs of Han and kana, single characters as they are, Hangul words whole', () => {
    expect(terms('東京タワー')).toEqual(['東京', '京タ', 'タワ', 'ワー']);
    expect(terms('東 tower東京2')).toEqual(['東', 'tower', '東京', '2']);
    expect(terms('서울 타워')).toEqual(['서울', '타워']);
    expect(terms('ｶﾞｷﾞ')).toEqual(['ガギ']);
    expect(terms('𠀀𠀁𠀂')).toEqual(['𠀀𠀁', '𠀁𠀂']);
    expect(terms('葛\u{e0100}城')).toEqual(['葛城']);
  });

  it('gives the same terms for composed, decomposed and full-width forms', () => {
    expect(terms('Ｃａｆｅ\u0301 ﬁsh')).toEqual(terms('café fish'));
  });

  it('cuts a run at 256 code units without halving a character', () => {
    expect(terms('7'.repeat(1000))).toEqual(['7'.repeat(256)]);
    expect(terms(`7${'𐐨'.repeat(500)}`)).toEqual([`7${'𐐨'.repeat(127)}`]);
    expect(terms('𐐨'.repeat(500))).toEqual(['𐐨'.repeat(128)]);
  });

  it.each([
    ['one letter', 'a'.repeat(1e6), 1],
    ['letters alone', 'b '.repeat(5e5), 5e5],
    ['consonants', `${'bcdfg'.repeat(50)} `.repeat(4e3), 4e3],
    ['marks', `a${'\u0301'.repeat(1e6)}`, 1],
    ['Han', '東'.repeat(1e6), 1e6 - 1],
  ])('takes linear time for a million characters: %s', (_, value, expected) => {
    const start = performance.now();
    expect(english.analyze(value, () => {})).toBe(expected);
    expect(performance.now() - start).toBeLessThan(2000);
  });

  it('gives the same terms whatever was analysed before', () => {
    const many = Array.from({ length: 200_000 }, (_, i) => `w${i.toString(36)}x`).join(' ');
    const first = terms('flying relational 東京 the');
    english.analyze(many, () => {});
    expect(terms('flying relational 東京 the')).toEqual(first);
  });
});

describe('TermMemory', () => {
  it('answers as the function it remembers, for more tokens than it holds', () => {
    const memory = new TermMemory((token) => `<${token}>`);
    for (let round = 0; round < 2; round++) {
      for (let i = 0; i < 200_000; i++) {
        const token = (i * 7919).toString(36);
        const source = `..${token}..`;
        if (memory.term(source, 2, 2 + token.length) !== `<${token}>`)
          throw new Error(`wrong term for ${token}`);
      }
    }
    expect(memory.term('aab', 0, 2)).toBe('<aa>');
  });
});

describe('analyzerNamed', () => {
  it('gives a fingerprint of name, rules version and hash that stays the same', () => {
    expect(english.fingerprint).toMatch(/^english\/1:[0-9a-f]{16}$/);
    expect(plain.fingerprint).toMatch(/^plain\/1:[0-9a-f]{16}$/);
    expect(analyzerNamed('english')).toBe(english);
  });

  it('refuses an unknown name, listing the known', async () => {
    await refusalOf(
      () => analyzerNamed('english2'),
      [/unknown analyzer "english2"; the known ones are plain, english/],
    );
  });
});

describe('STOP_WORDS', () => {
  it('is the long list, from a to yours', () => {
    expect([...STOP_WORDS].at(0)).toBe('a');
    expect([...STOP_WORDS].at(-1)).toBe('yours');
    expect(STOP_WORDS.size).toBe(132);
    for (const word of ['don', 's', 't', 'which', 'until']) expect(STOP_WORDS.has(word)).toBe(true);
  });
});
