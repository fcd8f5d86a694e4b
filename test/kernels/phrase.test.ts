import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { phraseMatch } from '../../src/kernels/phrase.js';
import { occurrences, type StopFree, stopFree } from '../reference/phrase.js';
import { Arena, encodePositions, varint } from './arena.js';

const arena = new Arena();
const isStop = (token: string) => token === '.';

/** Postings, positions and gaps of the texts, as the kernel reads them. */
function lay(texts: StopFree[], phrase: StopFree) {
  const positions: number[] = [];
  const records = phrase.terms.flatMap((term) => {
    const rows: number[] = [];
    const offsets = [positions.length];
    texts.forEach(({ terms }, row) => {
      const places = terms.flatMap((other, at) => (other === term ? [at] : []));
      if (places.length === 0) return;
      rows.push(row);
      positions.push(...encodePositions(places));
      offsets.push(positions.length);
    });
    return [arena.u32(rows), rows.length, arena.u32(offsets), 77];
  });
  const gapBytes: number[] = [];
  const gapOffsets = [0];
  for (const { gaps } of texts) {
    let last = 0;
    gaps.forEach((gap, at) => {
      if (gap === 0) return;
      gapBytes.push(...varint(at - last), ...varint(gap));
      last = at;
    });
    gapOffsets.push(gapBytes.length);
  }
  return {
    termsAt: arena.u32(records),
    positionsAt: arena.bytes(positions),
    gapsAt: arena.bytes(gapBytes),
    gapOffsetsAt: arena.u32(gapOffsets),
    gapCountsAt: arena.u32(phrase.gaps),
    room: Math.min(...phrase.terms.map((_, j) => records[4 * j + 1]!)),
  };
}

function match(
  texts: StopFree[],
  phrase: StopFree,
  exact: boolean,
  isVisible?: (row: number) => boolean,
): number[][] {
  arena.reset();
  const at = lay(texts, phrase);
  const bitmapAt = isVisible ? arena.bitmap(texts.length, isVisible) : 0;
  const scratchAt = arena.room(Uint32Array, Math.max(0, ...texts.map(({ terms }) => terms.length)));
  const rowsAt = arena.room(Uint32Array, at.room);
  const countsAt = arena.room(Uint32Array, at.room);
  const found = phraseMatch(
    arena.kernels,
    at.termsAt,
    phrase.terms.length,
    at.positionsAt,
    exact ? at.gapCountsAt : 0,
    exact ? at.gapOffsetsAt : 0,
    exact ? at.gapsAt : 0,
    bitmapAt,
    scratchAt,
    rowsAt,
    countsAt,
  );
  const counts = arena.view(Uint32Array, countsAt, found);
  return Array.from(arena.view(Uint32Array, rowsAt, found), (row, i) => [row, counts[i]!]);
}

function expected(
  texts: StopFree[],
  phrase: StopFree,
  exact: boolean,
  isVisible = (_: number) => true,
): number[][] {
  return texts
    .map((text, row) => [row, isVisible(row) ? occurrences(text, phrase, exact) : 0])
    .filter(([, count]) => count! > 0);
}

const read = (text: string) => stopFree([...text], isStop);

describe('phraseMatch', () => {
  it('counts each place where the terms stand one after another', () => {
    const texts = ['abab', 'ba', 'b', '', 'a.b', 'cab'].map(read);
    expect(match(texts, read('ab'), false)).toEqual([
      [0, 2],
      [4, 1],
      [5, 1],
    ]);
  });

  it('asks for the same stop words in between when the gaps are given', () => {
    const texts = ['ab', 'a.b', 'a..b', '.a.b.', 'a.b.ab', 'xa.b'].map(read);
    expect(match(texts, read('a.b'), true)).toEqual([
      [1, 1],
      [3, 1],
      [4, 1],
      [5, 1],
    ]);
    expect(match(texts, read('ab'), true)).toEqual([
      [0, 1],
      [4, 1],
    ]);
  });

  it('lets a term stand twice in the phrase, and matches overlap', () => {
    expect(match([read('aaa'), read('a'), read('ab')], read('aa'), false)).toEqual([[0, 2]]);
    expect(match([read('abaaba')], read('aba'), false)).toEqual([[0, 2]]);
  });

  it('finds nothing when a term is nowhere', () => {
    expect(match([read('ab')], read('az'), false)).toEqual([]);
    expect(match([], read('ab'), false)).toEqual([]);
  });

  it('reads positions and gaps of several bytes', () => {
    for (const far of [127, 128, 129, 16_383, 16_384, 20_000]) {
      const text = stopFree([...'x'.repeat(far), 'a', ...'.'.repeat(200), 'b'], isStop);
      const phrase = { terms: ['a', 'b'], gaps: [0, 200] };
      expect(match([text, text], phrase, true)).toEqual([
        [0, 1],
        [1, 1],
      ]);
      expect(match([text], { terms: ['a', 'b'], gaps: [0, 199] }, true)).toEqual([]);
    }
  });

  it('is the search through the tokens for any texts, phrase and scope', () => {
    const token = fc.constantFrom('a', 'a', 'b', 'c', '.');
    // Far positions need several bytes.
    const lead = fc.constantFrom('', '', 'x'.repeat(120), 'x'.repeat(250));
    const text = fc
      .tuple(lead, fc.array(token, { maxLength: 30 }))
      .map(([before, tokens]) => stopFree([...before, ...tokens], isStop));
    const words = fc.array(token, { minLength: 2, maxLength: 6 }).map((tokens) => stopFree(tokens, isStop));
    const phrase = words.filter(({ terms }) => terms.length >= 2);
    const texts = fc.array(fc.tuple(text, fc.boolean()), { maxLength: 40 });
    const property = fc.property(texts, phrase, fc.boolean(), fc.boolean(), (rows, wanted, exact, scoped) => {
      const corpus = rows.map(([row]) => row);
      const isVisible = scoped ? (row: number) => rows[row]![1] : undefined;
      expect(match(corpus, wanted, exact, isVisible)).toEqual(expected(corpus, wanted, exact, isVisible));
    });
    fc.assert(property, { numRuns: 1000 });
  });

  it('skips a posting without positions', () => {
    arena.reset();
    const [rowsAt, offsetsAt] = [arena.u32([4, 5]), arena.u32([0, 0, 1])];
    const [otherAt, positionsAt] = [arena.u32([0, 1, 2]), arena.bytes([7, 8])];
    const termsAt = arena.u32([rowsAt, 2, offsetsAt, 0, rowsAt, 2, otherAt, 0]);
    const [scratchAt, outAt, countsAt] = [arena.u32([0]), arena.u32([0, 0]), arena.u32([0, 0])];
    for (const gapsAt of [0, positionsAt]) {
      const gaps = [arena.u32([0, 0]), arena.u32([0, 0, 0, 0, 0, 0, 0])] as const;
      expect(
        phraseMatch(arena.kernels, termsAt, 2, positionsAt, ...gaps, gapsAt, 0, scratchAt, outAt, countsAt),
      ).toBe(1);
      expect([...arena.view(Uint32Array, outAt, 1)]).toEqual([5]);
    }
  });

  it('leaps over long stretches of the longer list', () => {
    const texts = Array.from({ length: 3000 }, (_, row) =>
      read(row % 977 === 0 ? 'ab' : row % 2 ? 'a' : 'ba'),
    );
    expect(match(texts, read('ab'), false)).toEqual([
      [0, 1],
      [977, 1],
      [1954, 1],
      [2931, 1],
    ]);
  });

  it('refuses fewer than two terms', () => {
    expect(() => phraseMatch(arena.kernels, 64, 1, 64, 0, 0, 0, 0, 64, 64, 64)).toThrow('termCount is 1');
  });
});
