import assert from 'node:assert/strict';
import { bm25Accumulate, bm25AccumulateCounts, countVisible } from '../src/kernels/bm25.js';
import { Arena } from '../test/kernels/arena.js';
import { accumulate } from '../test/reference/bm25-term.js';
import { bitmap, type Postings, postings, type Text, uniform, zipfText } from './generate.js';
import { race, type Table } from './report.js';

const DOCUMENTS = 200_000;
const VOCABULARY = 50_000;
const TERMS = 15;
const K1 = 1.2;
const B = 0.6;
const WEIGHT = 2;

export default async function bm25(seed: number): Promise<Table[]> {
  const arena = new Arena(64 * 2 ** 20, 65536);
  const { kernels } = arena;
  const text = zipfText(seed, DOCUMENTS, VOCABULARY);
  const terms = queryTerms(seed, text).map((term) => postings(text, term));
  const average = text.tokens.length / DOCUMENTS;
  const norms = Float64Array.from(
    { length: DOCUMENTS },
    (_, row) => 1 - B + (B * lengthOf(text, row)) / average,
  );
  const { codes, table } = codeTables(text, terms, norms);
  const tableAt = arena.f64(table);
  const normsAt = arena.f64(norms);
  const accAt = arena.room(Float64Array, DOCUMENTS);
  const acc = arena.view(Float64Array, accAt, DOCUMENTS);
  const placed = terms.map(({ rows, offsets }, t) => {
    const codesAt = arena.u16(codes[t]!);
    const counts = rows.map((_, i) => offsets[i + 1]! - offsets[i]!);
    const fieldsAt = arena.u32([codesAt, tableAt, codesAt, tableAt, codesAt, tableAt]);
    return { rows, counts, rowsAt: arena.u32(rows), countsAt: arena.u32(counts), fieldsAt };
  });
  const scopeAt = arena.u32(bitmap(seed, DOCUMENTS, 0.5));

  const byCodes = (fieldCount: number) => {
    for (const { rows, rowsAt, fieldsAt } of placed) {
      bm25Accumulate(kernels, 2, rowsAt, rows.length, fieldsAt, fieldCount, 0, K1, WEIGHT, accAt);
    }
  };
  const byNorms = () => {
    for (const { rows, rowsAt, countsAt } of placed) {
      bm25AccumulateCounts(kernels, rowsAt, countsAt, rows.length, normsAt, K1, WEIGHT, accAt);
    }
  };
  const plainly = () => {
    placed.forEach(({ rows }, t) => {
      const list = codes[t]!;
      for (let i = 0; i < rows.length; i++) {
        const f = table[list[i]!]!;
        acc[rows[i]!]! += WEIGHT * (f / (f + K1));
      }
    });
  };
  const count = () => placed.map(({ rows, rowsAt }) => countVisible(kernels, rowsAt, rows.length, scopeAt));

  let expected = new Array<number>(DOCUMENTS).fill(0);
  for (const { rows, counts } of placed) {
    const list = [...rows].map((row, i) => ({ row, parts: [counts[i]!] }));
    expected = accumulate(expected, list, { k1: K1, weight: WEIGHT, norms: [...norms] });
  }
  for (const run of [() => byCodes(1), byNorms, plainly]) {
    acc.fill(0);
    run();
    assert.deepEqual([...acc], expected);
  }

  const total = terms.reduce((sum, { rows }) => sum + rows.length, 0);
  return [
    await race(
      `bm25: ${TERMS} terms, ${total} postings of ${DOCUMENTS} documents`,
      [
        { name: 'plain JS', run: plainly },
        { name: 'one field', run: () => byCodes(1) },
        { name: 'two fields', run: () => byCodes(2) },
        { name: 'three fields', run: () => byCodes(3) },
        { name: 'counts and norms', run: byNorms },
        { name: 'count visible', run: count },
      ],
      ['plain JS', 'one field'],
    ),
  ];
}

function lengthOf({ starts }: Text, row: number): number {
  return starts[row + 1]! - starts[row]!;
}

/** Terms of a document are what its queries are made of: common ones mostly. */
function queryTerms(seed: number, { tokens }: Text): number[] {
  const next = uniform(seed + 7);
  const terms = new Set<number>();
  while (terms.size < TERMS) terms.add(tokens[Math.floor(next() * tokens.length)]!);
  return [...terms];
}

/** One code per distinct (frequency, length) and its frequency / norm. */
function codeTables(
  text: Text,
  terms: Postings[],
  norms: Float64Array,
): { codes: Uint16Array[]; table: number[] } {
  const codeOf = new Map<number, number>();
  const table: number[] = [];
  const codes = terms.map(({ rows, offsets }) =>
    Uint16Array.from(rows, (row, i) => {
      const frequency = offsets[i + 1]! - offsets[i]!;
      const key = frequency * 256 + lengthOf(text, row);
      const known = codeOf.get(key);
      if (known !== undefined) return known;
      codeOf.set(key, table.length);
      return table.push(frequency / norms[row]!) - 1;
    }),
  );
  return { codes, table };
}
