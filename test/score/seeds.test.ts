import { fc, it as property } from '@fast-check/vitest';
import { expect } from 'vitest';
import { type Node, seedMatchScore } from '../../dist/index.js';
import { seedTokens } from '../../dist/score/seed-tokens.js';
import { withEngine } from '../index/small-index.js';
import { substringSeeds } from '../reference/seeds.js';

/** Joined in a row: parts of identifiers in every case, and what may stand between them. */
const PIECES = ['router', 'Router', 'ROUTER', 'io', 'IO', 'run', 'Run', 'time', '2', '_', '.', '/', '-', 'X'];
const ODD = ['é', 'É', 'größe', '日本', '\u{1F600}', '\u212a', 'ß', '`', '#', 's'];
const pieces = (most: number) =>
  fc
    .array(fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...PIECES) }, fc.constantFrom(...ODD)), {
      minLength: 1,
      maxLength: most,
    })
    .map((list) => list.join(''));

const node = fc.record(
  {
    name: fc.oneof(pieces(1), pieces(2)),
    qualifiedName: pieces(6),
    kind: fc.constantFrom('Function', 'Class', 'é'),
    path: fc.constantFrom('a', 'b/a', 'É', '\u{1F600}', '\uffee'),
    startLine: fc.constantFrom(1, 7),
    endLine: fc.constantFrom(7, 12),
  },
  { requiredKeys: [] },
);

const cases = fc.record({
  nodes: fc.array(fc.tuple(node, fc.boolean()), { maxLength: 12 }),
  words: fc.array(pieces(2), { minLength: 1, maxLength: 4 }),
  boundaries: fc.constantFrom('identifier' as const, 'word' as const),
});

property.prop([cases], { numRuns: 150, seed: 3, endOnFailure: true })(
  'finds, counts and orders the visible seeds as the regular expressions do',
  async ({ nodes, words, boundaries }) => {
    const all: (Node & { acl: string[] })[] = nodes.map(([fields, seen], i) => ({
      ...fields,
      id: `n${i}`,
      ...{ org: 'o', source: 's', acl: seen ? ['t'] : [] },
    }));
    const text = words.join(' ');
    const tokens = seedTokens(text);
    const expected = substringSeeds(
      all.filter(({ acl }) => acl.length > 0),
      tokens,
      boundaries,
    );
    const who = { principal: { org: 'o', grants: ['t'] }, sources: ['s'] };
    const { seeds } = await withEngine({ nodes: all }, { accessMode: 'scoped' }, (engine) =>
      engine.matchSeedNodes({ text, boundaries, ...who }),
    );
    expect(seeds).toEqual(
      expected.map(({ id, names, qualifiedNames }) => ({
        id,
        score: names * (tokens.length + 1) + qualifiedNames,
        matched: [...(names > 0 ? ['name'] : []), ...(qualifiedNames > 0 ? ['qualifiedName'] : [])],
      })),
    );
    for (const { id, score } of seeds)
      expect(seedMatchScore(all.find((one) => one.id === id)!, text, { boundaries })).toBe(score);
  },
);
