import { fc, it as property } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { bm25 } from '../../dist/index.js';
import { analyzerNamed } from '../../src/ingest/analyzer.js';
import { queryWords } from '../../src/retrieve/query-words.js';
import { opened } from '../index/small-index.js';

const english = analyzerNamed('english');
const plain = analyzerNamed('plain');

const split = (text: string, analyzer = plain, phrases = true) => {
  const words = queryWords(text, analyzer, phrases);
  const terms = (lists: { term: string }[][]) => lists.map((list) => list.map(({ term }) => term).join(' '));
  return { parts: terms(words.parts), phrases: terms(words.phrases) };
};

describe('the words of a query', () => {
  it.each([
    ['night shift lateness', ['night shift lateness'], []],
    ['"night shift" lateness', ['lateness'], ['night shift']],
    ['lateness "night shift" rules', ['lateness', 'rules'], ['night shift']],
    ['"night shift" "late arrival"', [], ['night shift', 'late arrival']],
    ['"unclosed phrase here', [], ['unclosed phrase here']],
    ['lateness "unclosed phrase', ['lateness'], ['unclosed phrase']],
    ['\u201cnight shift\u201d lateness', ['lateness'], ['night shift']],
    ['""', [], []],
    ['" "', [], []],
    ['"', [], []],
    ['a""b', ['a', 'b'], []],
    ['', [], []],
  ])('of %j: %j outside quotes, %j inside', (text, parts, phrases) => {
    expect(split(text)).toEqual({ parts, phrases });
  });

  it('take one quoted word as a word', () => {
    expect(split('"night" shift')).toEqual({ parts: ['night', 'shift'], phrases: [] });
  });

  it('take quotes as plain text when phrases are off', () => {
    expect(split('"night shift" lateness', plain, false)).toEqual({
      parts: ['night shift lateness'],
      phrases: [],
    });
  });

  it.each([
    '-draft',
    '--draft',
    '(-draft',
    '"-draft',
    "'-draft",
    '- draft',
    '\u2212draft',
    '!draft',
    'NOT draft',
  ])('know no operator in %j', (text) => {
    expect(split(text).parts.join(' ')).toContain('draft');
  });

  it('remember the stop words inside quotes', () => {
    const { phrases } = queryWords('"state of the art"', english, true);
    expect(phrases).toEqual([
      [
        { term: 'state', gap: 0 },
        { term: 'art', gap: 2 },
      ],
    ]);
  });
});

property.prop([fc.string({ unit: 'binary', maxLength: 60 }), fc.constantFrom(english, plain)], { seed: 1 })(
  'are all there, in order, quoted or not',
  (text, analyzer) => {
    // Marks and quotes may join or part characters only inside a segment.
    const { parts, phrases } = queryWords(text, analyzer, true);
    const expected: string[] = [];
    for (const segment of text.split(/["\u201c\u201d]/))
      analyzer.analyze(segment, (term) => expected.push(term));
    const found = [...parts, ...phrases].flat().map(({ term }) => term);
    expect(found.sort()).toEqual(expected.sort());
  },
);

it('takes time in proportion to the length of the text', () => {
  const time = (text: string) => {
    const started = performance.now();
    queryWords(text, english, true);
    return performance.now() - started;
  };
  time('"a b" '.repeat(1000));
  // A square would take a thousand times as long.
  expect(time('"a b" '.repeat(100_000))).toBeLessThan(10_000);
  expect(time('a'.repeat(500_000))).toBeLessThan(10_000);
  expect(time('"'.repeat(500_000))).toBeLessThan(10_000);
});

describe('a quoted phrase', () => {
  const engine = opened({
    nodes: [
      { id: 'adjacent', text: 'the night shift begins' },
      { id: 'apart', text: 'a night and a long shift' },
      { id: 'turned', text: 'shift night' },
      { id: 'across', title: 'night', text: 'shift' },
      { id: 'stop', text: 'night of the shift' },
      { id: 'twice', text: 'night shift, night shift' },
    ],
  });
  const found = async (text: string) =>
    (await (await engine).search({ text, principal: 'open' }, { retriever: bm25() })).candidates
      .map(({ id }) => id)
      .sort();

  it('needs its words side by side, in their order, in one field', async () => {
    expect(await found('"night shift"')).toEqual(['adjacent', 'twice']);
    expect(await found('"shift night"')).toEqual(['turned', 'twice']);
  });

  it('counts stop words as words', async () => {
    expect(await found('"night of the shift"')).toEqual(['stop']);
    expect(await found('"the night shift"')).toEqual(['adjacent', 'twice']);
  });

  it('is one alternative among the other words', async () => {
    expect(await found('"night shift" long')).toEqual(['adjacent', 'apart', 'twice']);
  });

  it('that is never closed reaches to the end', async () => {
    expect(await found('long "night shift')).toEqual(['adjacent', 'apart', 'twice']);
  });

  it('is cut, with a count, when it is longer than a phrase can be', async () => {
    const text = `"${'night shift '.repeat(600)}"`;
    const { skipped } = await (await engine).search({ text, principal: 'open' }, { retriever: bm25() });
    expect(skipped).toMatchObject([{ channel: 'bm25', code: 'phrase_cut', count: 1200 - 1024 }]);
  });
});

it.each(['(-term other', '-term other', 'other -term'])('finds what has the word in %j', async (text) => {
  const engine = await opened({
    nodes: [
      { id: 'with', text: 'term' },
      { id: 'without', text: 'something' },
    ],
  });
  const { candidates } = await engine.search({ text, principal: 'open' }, { retriever: bm25() });
  expect(candidates.map(({ id }) => id)).toEqual(['with']);
});
