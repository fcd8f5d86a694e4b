import assert from 'node:assert/strict';
import { bm25AccumulateCounts } from '../src/kernels/bm25.js';
import { phraseMatch } from '../src/kernels/phrase.js';
import { Arena, encodePositions } from '../test/kernels/arena.js';
import { type Postings, postings, zipfText } from './generate.js';
import { race, type Table } from './report.js';

const DOCUMENTS = 200_000;
/** Two common terms and a rare one, by rank. */
const COMMON = [3, 5] as const;
const RARE = 400;

export default async function phrase(seed: number): Promise<Table[]> {
  const arena = new Arena(64 * 2 ** 20, 65536);
  const { kernels } = arena;
  const text = zipfText(seed, DOCUMENTS, 50_000);
  const lists = [...COMMON, RARE].map((term) => postings(text, term));
  const bytes: number[] = [];
  const records = lists.map(({ rows, offsets, positions }) => {
    const byteOffsets = [bytes.length];
    rows.forEach((_, i) => {
      for (const byte of encodePositions([...positions.subarray(offsets[i]!, offsets[i + 1]!)]))
        bytes.push(byte);
      byteOffsets.push(bytes.length);
    });
    return [arena.u32(rows), rows.length, arena.u32(byteOffsets), 0];
  });
  const positionsAt = arena.bytes(bytes);
  const [scratchAt, rowsAt, countsAt] = [0, 1, 2].map(() => arena.room(Uint32Array, DOCUMENTS)) as [
    number,
    number,
    number,
  ];
  const ones = Float64Array.from({ length: DOCUMENTS }, () => 1);
  const [normsAt, accAt] = [arena.f64(ones), arena.f64(ones)];

  const matcher = (terms: number[]) => {
    const termsAt = arena.u32(terms.flatMap((t) => records[t]!));
    return () =>
      phraseMatch(kernels, termsAt, terms.length, positionsAt, 0, 0, 0, 0, scratchAt, rowsAt, countsAt);
  };
  const common = matcher([0, 1]);
  const rare = matcher([2, 0]);
  const plain = () => matchPlainly(lists[0]!, lists[1]!);
  /** The merge costs what it costs next to scoring the same two words. */
  const scoring = () => {
    for (const t of [0, 1]) {
      const [listAt, count] = records[t] as [number, number];
      bm25AccumulateCounts(kernels, listAt, listAt, count, normsAt, 1.2, 1, accAt);
    }
  };

  const expected = plain();
  const found = common();
  assert.deepEqual([...arena.view(Uint32Array, rowsAt, found)], expected.rows);
  assert.deepEqual([...arena.view(Uint32Array, countsAt, found)], expected.counts);

  const total = lists[0]!.rows.length + lists[1]!.rows.length;
  return [
    await race(
      `phrase: two common terms, ${total} postings, ${found} rows found`,
      [
        { name: 'plain JS', run: plain },
        { name: 'scoring the two terms', run: scoring },
        { name: 'two common terms', run: common },
        { name: 'a rare and a common term', run: rare },
      ],
      ['plain JS', 'scoring the two terms'],
    ),
  ];
}

function matchPlainly(a: Postings, b: Postings): { rows: number[]; counts: number[] } {
  const rows: number[] = [];
  const counts: number[] = [];
  for (let i = 0, j = 0; i < a.rows.length && j < b.rows.length; ) {
    const [row, other] = [a.rows[i]!, b.rows[j]!];
    if (row < other) i++;
    else if (other < row) j++;
    else {
      let count = 0;
      for (let p = a.offsets[i]!, q = b.offsets[j]!; p < a.offsets[i + 1]! && q < b.offsets[j + 1]!; ) {
        const distance = b.positions[q]! - a.positions[p]!;
        if (distance === 1) count++;
        if (distance <= 1) q++;
        if (distance >= 1) p++;
      }
      if (count > 0) {
        rows.push(row);
        counts.push(count);
      }
      i++;
      j++;
    }
  }
  return { rows, counts };
}
