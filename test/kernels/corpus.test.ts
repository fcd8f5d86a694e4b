import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bm25Accumulate, bm25AccumulateCounts } from '../../src/kernels/bm25.js';
import { phraseMatch } from '../../src/kernels/phrase.js';
import { type Bm25Settings, bm25, idf, type Tokens } from '../reference/bm25.js';
import { Arena, encodePositions } from './arena.js';

// The kernels put together as the engine does it, against BM25 counted anew over a whole corpus.
const arena = new Arena(32 * 65536);
const FIELDS = [
  { name: 'title', weight: 3, b: 0.6 },
  { name: 'text', weight: 1, b: 0.4 },
];

function places(corpus: readonly Tokens[], field: string, term: string): number[][] {
  return corpus.map((document) =>
    (document[field] ?? []).flatMap((token, at) => (token === term ? [at] : [])),
  );
}

const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const norm = (b: number, length: number, average: number) =>
  1 - b + b * (average === 0 ? 0 : length / average);

/** Scores of a query by the kernels: one code per posting and field, tables of frequency / norm. */
function score(corpus: readonly Tokens[], query: readonly string[], settings: Bm25Settings): number[] {
  const { form, k1, b, pairs } = settings;
  const n = corpus.length;
  arena.reset();
  const lengths = FIELDS.map(({ name }) => corpus.map((document) => document[name]?.length ?? 0));
  const averages = lengths.map(mean);
  const joined = corpus.map((_, row) =>
    FIELDS.reduce((sum, { weight }, j) => sum + weight * lengths[j]![row]!, 0),
  );
  const joinedNormsAt = arena.f64(joined.map((length) => norm(b, length, mean(joined))));
  const whole = corpus.map((_, row) => FIELDS.reduce((sum, _field, j) => sum + lengths[j]![row]!, 0));
  const wholeNormsAt = arena.f64(whole.map((length) => norm(b, length, mean(whole))));
  const accAt = arena.room(Float64Array, n);

  for (const term of query) {
    const found = FIELDS.map(({ name }) => places(corpus, name, term));
    const rows = corpus.flatMap((_, row) => (found.some((list) => list[row]!.length > 0) ? [row] : []));
    const fields = FIELDS.flatMap(({ weight, b: fieldB }, j) => {
      const table = rows.map((row) => {
        const frequency = weight * found[j]![row]!.length;
        return form === 'joined' ? frequency : frequency / norm(fieldB, lengths[j]![row]!, averages[j]!);
      });
      return [arena.u16(rows.map((_, i) => i)), arena.f64(table)];
    });
    const weight = idf(n, rows.length) * (k1 + 1);
    const normsAt = form === 'joined' ? joinedNormsAt : 0;
    const [rowsAt, fieldsAt] = [arena.u32(rows), arena.u32(fields)];
    bm25Accumulate(
      arena.kernels,
      2,
      rowsAt,
      rows.length,
      fieldsAt,
      FIELDS.length,
      normsAt,
      k1,
      weight,
      accAt,
    );
  }
  for (let i = 1; i < query.length; i++) {
    const counts = pairCounts(corpus, query[i - 1]!, query[i]!);
    const rows = corpus.flatMap((_, row) => (counts[row]! > 0 ? [row] : []));
    if (query[i - 1] === query[i]) continue;
    const weight = pairs * idf(n, rows.length) * (k1 + 1);
    const [rowsAt, countsAt] = [arena.u32(rows), arena.u32(rows.map((row) => counts[row]!))];
    bm25AccumulateCounts(arena.kernels, rowsAt, countsAt, rows.length, wholeNormsAt, k1, weight, accAt);
  }
  return [...arena.view(Float64Array, accAt, n)];
}

/** How often one term stands right before another, per row, summed over the fields. */
function pairCounts(corpus: readonly Tokens[], first: string, second: string): number[] {
  const sums = corpus.map(() => 0);
  for (const { name } of FIELDS) {
    const bytes: number[] = [];
    const records = [first, second].flatMap((term) => {
      const rows: number[] = [];
      const offsets = [bytes.length];
      places(corpus, name, term).forEach((list, row) => {
        if (list.length === 0) return;
        rows.push(row);
        bytes.push(...encodePositions(list));
        offsets.push(bytes.length);
      });
      return [arena.u32(rows), rows.length, arena.u32(offsets), 0];
    });
    const [termsAt, positionsAt] = [arena.u32(records), arena.bytes(bytes)];
    const [scratchAt, rowsAt, countsAt] = [arena.u32([]), arena.u32(sums), arena.u32(sums)];
    const found = phraseMatch(
      arena.kernels,
      termsAt,
      2,
      positionsAt,
      0,
      0,
      0,
      0,
      scratchAt,
      rowsAt,
      countsAt,
    );
    const counts = arena.view(Uint32Array, countsAt, found);
    arena.view(Uint32Array, rowsAt, found).forEach((row, i) => {
      sums[row]! += counts[i]!;
    });
  }
  return sums;
}

const tokens = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 12 });
const corpora = fc.array(fc.record({ title: tokens, text: tokens }), { minLength: 1, maxLength: 12 });
const queries = fc.array(fc.constantFrom('a', 'b', 'c', 'z'), { maxLength: 5 });

describe.each(['fields', 'joined'] as const)('BM25 by the kernels, %s form', (form) => {
  it('gives the bits of the whole-corpus count', () => {
    const settings: Bm25Settings = { form, fields: FIELDS, k1: 1.2, b: 0.6, pairs: 0.2 };
    const property = fc.property(corpora, queries, (corpus, query) => {
      expect(score(corpus, query, settings)).toEqual(bm25(corpus, query, settings));
    });
    fc.assert(property, { numRuns: 200 });
  });
});

describe('the whole-corpus reference', () => {
  const plain: Bm25Settings = {
    form: 'joined',
    fields: [{ name: 'text', weight: 1, b: 0 }],
    k1: 1.2,
    b: 0.75,
    pairs: 0,
  };

  it('is the formula, written out for one term', () => {
    const corpus = [{ text: ['a', 'b'] }, { text: ['b', 'b', 'c', 'a'] }, { text: ['c'] }];
    const average = (2 + 4 + 1) / 3;
    const weight = Math.log(1 + (3 - 2 + 0.5) / (2 + 0.5));
    const part = (tf: number, length: number) => {
      const f = tf / (0.25 + (0.75 * length) / average);
      return (weight * f * 2.2) / (f + 1.2);
    };
    const [first, second, third] = bm25(corpus, ['b'], plain);
    expect(first).toBeCloseTo(part(1, 2), 12);
    expect(second).toBeCloseTo(part(2, 4), 12);
    expect(third).toBe(0);
  });

  it('counts a pair in its order only, and never across fields', () => {
    const corpus: Tokens[] = [
      { title: ['a'], text: ['b', 'a', 'b'] },
      { title: ['b', 'a'] },
      { title: ['a'], text: ['b'] },
    ];
    const settings = { ...plain, fields: FIELDS, pairs: 1 };
    const without = bm25(corpus, ['a', 'b'], { ...settings, pairs: 0 });
    const gains = bm25(corpus, ['a', 'b'], settings).map((score, row) => score - without[row]!);
    expect(gains[0]).toBeGreaterThan(0);
    expect(gains.slice(1)).toEqual([0, 0]);
  });
});
