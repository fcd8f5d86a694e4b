import { fc, it as property } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { fieldText, SCORED_FIELDS } from '../../src/index/fields.js';
import { ForwardIndex } from '../../src/index/forward-index.js';
import { buildPostings } from '../../src/index/postings.js';
import { analyzerNamed } from '../../src/ingest/analyzer.js';
import type { Node } from '../../src/types.js';
import { type Built, built, column, tableOf } from './small-index.js';

/** Unsigned LEB128, one number after the other. */
function varints(bytes: readonly number[]): number[] {
  const numbers: number[] = [];
  let value = 0;
  let factor = 1;
  for (const byte of bytes) {
    value += (byte & 0x7f) * factor;
    factor *= 128;
    if (byte < 0x80) {
      numbers.push(value);
      value = 0;
      factor = 1;
    }
  }
  return numbers;
}

function runningSum(deltas: readonly number[]): number[] {
  let sum = 0;
  return deltas.map((delta) => {
    sum += delta;
    return sum;
  });
}

interface Posting {
  row: number;
  /** Field -> [frequency, length] as its code says; only fields that have the term. */
  fields: Record<string, [frequency: number, length: number]>;
  positions: number[];
}

/** The postings of every term, read with apache-arrow and decoded here. */
function postingsOf(index: Built): Map<string, Posting[]> {
  const postings = tableOf(index, 'postings');
  const codes = tableOf(index, 'codes');
  const scored = column(codes, 'field') as string[];
  const frequency = column(codes, 'frequency') as number[][];
  const length = column(codes, 'length') as number[][];
  const rows = column(postings, 'row') as number[][];
  const positions = column(postings, 'positions') as number[][][];
  const fieldCodes = scored.map((field) => column(postings, field) as number[][]);
  return new Map(
    (column(postings, 'term') as string[]).map((term, t) => [
      term,
      rows[t]!.map((row, i) => ({
        row,
        fields: Object.fromEntries(
          scored.flatMap((field, f) => {
            const code = fieldCodes[f]![t]![i]!;
            return code === 0 ? [] : [[field, [frequency[f]![code]!, length[f]![code]!]]];
          }),
        ),
        positions: runningSum(varints(positions[t]![i]!)),
      })),
    ]),
  );
}

/** Per row: [position before which stop words stand, how many]. */
const gapsOf = (index: Built): number[][][] =>
  (column(tableOf(index, 'lengths'), 'gaps') as number[][]).map((bytes) => {
    const numbers = varints(bytes);
    const at = runningSum(numbers.filter((_, i) => i % 2 === 0));
    return at.map((position, i) => [position, numbers[2 * i + 1]!]);
  });

describe('the postings of two small documents', () => {
  const nodes: Node[] = [
    { id: 'b', title: 'Lateness policy', text: 'The policy of the lateness of the policy' },
    { id: 'a', text: 'policies late' },
  ];
  const index = built({ nodes });

  it('list rows in id order, a frequency and a length per field', async () => {
    const postings = postingsOf(await index);
    expect([...postings.keys()]).toEqual(['late', 'polici']);
    expect(postings.get('polici')!.map(({ row, fields }) => [row, fields])).toEqual([
      [0, { text: [1, 2] }],
      [1, { title: [1, 2], text: [2, 3] }],
    ]);
    expect(postings.get('late')!.map(({ row, fields }) => [row, fields])).toEqual([
      [0, { text: [1, 2] }],
      [1, { title: [1, 2], text: [1, 3] }],
    ]);
  });

  it('number the kept words through all fields, with one number left out between two fields', async () => {
    const postings = postingsOf(await index);
    // title: late 0, polici 1; then 2 is left out; text: polici 3, late 4, polici 5
    expect(postings.get('late')!.map(({ positions }) => positions)).toEqual([[1], [0, 4]]);
    expect(postings.get('polici')!.map(({ positions }) => positions)).toEqual([[0], [1, 3, 5]]);
  });

  it('remember where stop words stood and how many', async () => {
    // text: The |policy of the |lateness of the |policy
    expect(gapsOf(await index)).toEqual([
      [],
      [
        [3, 1],
        [4, 2],
        [5, 2],
      ],
    ]);
  });

  it('have a length column for each field that any node has, 0 where a node lacks it', async () => {
    const lengths = tableOf(await index, 'lengths');
    expect(column(lengths, 'title')).toEqual([0, 2]);
    expect(column(lengths, 'text')).toEqual([2, 3]);
    expect(lengths.getChild('name')).toBeNull();
    expect((await index).manifest.scored).toEqual(['title', 'text']);
  });
});

it('splits a path into stem and folders, the stem of an index file being its folder', async () => {
  const index = await built(
    {
      nodes: [
        { id: '1', path: 'src/middleware/cors.test.ts' },
        { id: '2', path: 'src/router/index.ts' },
      ],
    },
    { analyzer: 'plain' },
  );
  const postings = postingsOf(index);
  const fieldsOf = (term: string) => postings.get(term)?.map(({ row, fields }) => [row, fields]);
  expect(fieldsOf('cors')).toEqual([[0, { stem: [1, 1] }]]);
  expect(fieldsOf('middleware')).toEqual([[0, { folders: [1, 2] }]]);
  expect(fieldsOf('router')).toEqual([[1, { stem: [1, 1], folders: [1, 2] }]]);
  expect(fieldsOf('index')).toBeUndefined();
  expect(fieldsOf('ts')).toBeUndefined();
});

it('holds positions beyond one and two bytes', async () => {
  const text = Array.from({ length: 20_000 }, (_, i) =>
    i === 0 || i === 130 || i === 19_999 ? 'needle' : 'hay',
  );
  const index = await built({ nodes: [{ id: 'long', text: text.join(' ') }] }, { analyzer: 'plain' });
  const [posting] = postingsOf(index).get('needle')!;
  expect(posting!.positions).toEqual([0, 130, 19_999]);
  expect(posting!.fields).toEqual({ text: [3, 20_000] });
  expect(index.manifest.limits.maxOccurrences).toBe(20_000 - 3);
});

it('sorts terms by their bytes, beyond the basic plane too', async () => {
  const terms = ['\u{20000}', '\uac00', '\uff41', 'z', 'é'];
  const index = await built({ nodes: [{ id: '1', text: terms.join(' ') }] });
  const stored = column(tableOf(index, 'postings'), 'term') as string[];
  expect(stored).toEqual([...stored].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
  expect(stored).toContain('\u{20000}');
});

const words = fc
  .array(fc.constantFrom('the', 'of', 'cat', 'cats', 'dog', 'run', 'x', 'a'), { maxLength: 12 })
  .map((list) => list.join(' '));
const documents = fc.array(
  fc.record({ title: words, heading: words, text: words }, { requiredKeys: ['text'] }),
  { minLength: 1, maxLength: 6 },
);

property.prop([documents, fc.constantFrom('english', 'plain')], { numRuns: 40, seed: 1, endOnFailure: true })(
  'lets every document be put together again from its postings',
  async (texts, name) => {
    const nodes: Node[] = texts.map((fields, i) => ({ id: String(i), ...fields }));
    const index = await built({ nodes }, { analyzer: name });
    const analyzer = analyzerNamed(name);
    const postings = postingsOf(index);
    const gaps = gapsOf(index);
    nodes.forEach((node, row) => {
      const expected = new Map<number, string>();
      const expectedGaps: number[][] = [];
      let at = 0;
      for (const field of SCORED_FIELDS) {
        const start = at;
        analyzer.analyze(fieldText(node, field) ?? '', (term, stopWords) => {
          if (stopWords > 0) expectedGaps.push([at, stopWords]);
          expected.set(at++, term);
        });
        if (at > start) at++;
      }
      const found = new Map<number, string>();
      for (const [term, list] of postings) {
        for (const posting of list) {
          if (posting.row === row) for (const position of posting.positions) found.set(position, term);
        }
      }
      expect(new Map([...found].sort(([a], [b]) => a - b))).toEqual(expected);
      expect(gaps[row]).toEqual(expectedGaps);
    });
  },
);

it('gives the same tables whatever the order of the input', async () => {
  const analyzer = analyzerNamed('english');
  const nodes: Node[] = ['c', 'a', 'b'].map((id, i) => ({
    id,
    title: `title ${id}`,
    text: 'word '.repeat(i + 1) + id,
  }));
  const sorted = (list: readonly Node[]) =>
    Uint32Array.from(list.map((_, i) => i).sort((x, y) => (list[x]!.id < list[y]!.id ? -1 : 1)));
  const tables = [nodes, nodes.toReversed()].map((list) => {
    const forward = new ForwardIndex(analyzer);
    for (const node of list) forward.add(node);
    const { postings, lengths, codes } = buildPostings(forward, sorted(list));
    return [postings, lengths, codes].map((table) => JSON.stringify(table.toArray()));
  });
  expect(tables[0]).toEqual(tables[1]);
});
