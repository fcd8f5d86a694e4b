import { beforeAll, describe, expect, it } from 'vitest';
import { bm25, type Engine, type Query, type Result } from '../../dist/index.js';
import { answers, differences, nodesOf, openIndex, queriesOf, reference } from './collection.js';

/** Half of the last decimal that the files print, and the tolerance of the arithmetic. */
const NINE_DECIMALS = 0.5e-9 + 1e-9;
const SIX_DECIMALS = 0.5e-6 + 1e-9;

const PARAMETERS = [
  { k1: 0.9, b: 0.4, file: 'k1_0.9_b_0.4' },
  { k1: 1.2, b: 0.75, file: 'k1_1.2_b_0.75' },
];

/** Each collection with the number of its queries that have a relevant document. */
const SETS = [
  ['scifact', 300],
  ['cacm', 52],
  ['cranfield', 225],
  ['2wiki-164', 164],
  ['musique-100', 100],
] as const;

describe.each(SETS)('%s', (set, judged) => {
  let engine: Engine;
  let queries: Query[];

  beforeAll(async () => {
    engine = await openIndex({ nodes: await nodesOf(set) }, { analyzer: 'plain' });
    queries = await queriesOf(set);
  });

  describe.each(PARAMETERS)('k1 $k1, b $b', ({ k1, b, file }) => {
    let ours: Map<string, Result>;

    beforeAll(async () => {
      const retriever = bm25({ form: 'joined', pairs: 0, phrases: false, k1, b });
      const asked = queries.map((query) => ({ ...query, principal: 'open' }));
      // One more than the reference holds, to see a group of equal scores that its end cuts through.
      ours = await answers(engine.rank(asked, { retriever, k: 101, cite: false }));
    });

    it('gives the first 20 of the reference for its first 30 queries, to 9 decimals', () => {
      const theirs = reference(`reference/bm25/${set}/bm25_${file}.top20.trec`);
      expect(theirs.size).toBe(30);
      for (const [query, list] of theirs) {
        const candidates = ours.get(query)!.candidates;
        expect(Math.min(20, candidates.length), query).toBe(list.length);
        expect(differences(candidates, list, { within: NINE_DECIMALS }), query).toEqual([]);
      }
    });

    it('gives the first 100 of the reference for every judged query, to 6 decimals', () => {
      const theirs = reference(`reference/bm25/${set}/bm25_${file}.top100.trec.gz`);
      expect(theirs.size).toBe(judged);
      for (const [query, list] of theirs) {
        const candidates = ours.get(query)!.candidates;
        expect(Math.min(100, candidates.length), query).toBe(list.length);
        expect(differences(candidates, list, { within: SIX_DECIMALS }), query).toEqual([]);
      }
    });
  });
});
