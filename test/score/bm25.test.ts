import { fc, it as property } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { type Bm25Options, bm25, type Engine, type Node, type Query } from '../../dist/index.js';
import { analyzerNamed } from '../../src/ingest/analyzer.js';
import { opened, withEngine } from '../index/small-index.js';
import { type Bm25Settings, bm25 as oracle, type Tokens } from '../reference/bm25.js';

const analyzer = analyzerNamed('english');

function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  analyzer.analyze(text, (term) => tokens.push(term));
  return tokens;
}

const FIELDS = ['name', 'title', 'heading', 'text'] as const;
/** The documented weights of the fields that these tests use. */
const WEIGHTS = { name: 3, title: 3, heading: 1, text: 1 };

const word = fc.constantFrom('cat', 'dog', 'bird', 'fish', 'the', 'of', 'running');
const text = fc.array(word, { maxLength: 8 }).map((words) => words.join(' '));
const document = fc.record({
  title: fc.option(text, { nil: undefined }),
  heading: fc.option(text, { nil: undefined }),
  name: fc.option(word, { nil: undefined }),
  text: fc.option(text, { nil: undefined }),
  acl: fc.constantFrom([], ['red'], ['blue'], ['red', 'blue']),
});
const corpus = fc.array(document, { minLength: 1, maxLength: 25 });
/** Words, without quotes, so that the oracle needs to know nothing of phrases. */
const query = fc.array(fc.constantFrom('cat', 'dog', 'bird', 'fish', 'ran', 'cats', 'the', 'whale'), {
  minLength: 1,
  maxLength: 7,
});

const settings = fc.record({
  form: fc.constantFrom('fields' as const, 'joined' as const),
  k1: fc.constantFrom(0, 0.9, 1.2, 2),
  // Below 1: at 1 the oracle divides 0 by 0 where a document lacks a field.
  b: fc.constantFrom(0, 0.4, 0.6, 0.95),
  pairs: fc.constantFrom(0, 0.2, 1),
  // Above 0: whether a row that has a word in a field of weight 0 only counts in its df is not laid down.
  weights: fc.constantFrom({}, { title: 5 }, { text: 0.25 }, { name: 0.5, heading: 2 }),
});

/** Scores of the visible documents by the oracle, best first, those above 0. */
function expectedOf(nodes: readonly Node[], asked: string, options: Required<Bm25Options>) {
  const { form, k1, b, pairs, weights } = options;
  const usual = form === 'fields' ? WEIGHTS : { name: 1, title: 1, heading: 1, text: 1 };
  const bm25Settings: Bm25Settings = {
    form,
    k1,
    b: b as number,
    pairs,
    fields: FIELDS.map((name) => ({ name, weight: { ...usual, ...weights }[name], b: b as number })),
  };
  const tokens = nodes.map(
    (node): Tokens => Object.fromEntries(FIELDS.map((name) => [name, tokensOf(node[name] ?? '')])),
  );
  const scores = oracle(tokens, tokensOf(asked), bm25Settings);
  return nodes
    .map(({ id }, i) => ({ id, score: scores[i]! }))
    .filter(({ score }) => score > 0)
    .sort((x, y) => y.score - x.score || (x.id < y.id ? -1 : 1));
}

type Asked = Pick<Query, 'principal' | 'sources'>;

async function found(engine: Engine, text: string, options: Bm25Options, caller: Asked) {
  const { candidates } = await engine.search({ text, k: 50, ...caller }, { retriever: bm25(options) });
  return candidates;
}

function expectSame(ours: { id: string; score: number }[], theirs: { id: string; score: number }[]) {
  const scoreOf = new Map(theirs.map(({ id, score }) => [id, score]));
  expect(ours.map(({ id }) => id).sort()).toEqual([...scoreOf.keys()].sort());
  for (const { id, score } of ours) expect(Math.abs(score - scoreOf.get(id)!)).toBeLessThanOrEqual(1e-9);
  for (let i = 1; i < ours.length; i++) expect(ours[i]!.score).toBeLessThanOrEqual(ours[i - 1]!.score);
}

const asked = fc.array(fc.record({ words: query, options: settings }), { minLength: 4, maxLength: 4 });

property.prop([corpus, asked], { numRuns: 40, seed: 1, endOnFailure: true })(
  'scores the rows that a caller sees as the oracle scores a corpus of them alone',
  (documents, questions) => {
    const nodes = documents.map((fields, i) => ({
      id: String(i).padStart(2, '0'),
      ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)),
      org: 'acme',
      source: 'wiki',
    })) as (Node & { acl: string[] })[];
    return withEngine({ nodes }, {}, async (engine) => {
      for (const { words, options } of questions) {
        const asked = words.join(' ');
        for (const grants of [['red'], ['blue'], ['red', 'blue'], ['nobody']]) {
          const visible = nodes.filter(({ acl }) => acl.some((tag) => grants.includes(tag)));
          const caller = { principal: { org: 'acme', grants }, sources: ['wiki'] };
          const ours = await found(engine, asked, options, caller);
          expectSame(ours, expectedOf(visible, asked, options as Required<Bm25Options>));
        }
      }
    });
  },
);

property.prop([corpus, asked], { numRuns: 25, seed: 2, endOnFailure: true })(
  'gives contributions that add up to the score',
  (documents, questions) => {
    const nodes = documents.map(({ title, heading, text }, i) => ({
      id: String(i),
      ...(title === undefined ? {} : { title }),
      ...(heading === undefined ? {} : { heading }),
      ...(text === undefined ? {} : { text }),
    }));
    return withEngine({ nodes }, {}, async (engine) => {
      for (const { words, options } of questions) {
        // A quoted part too: it is an addend of its own.
        const text = `${words.join(' ')} "${words.slice(0, 2).join(' ')}"`;
        const { candidates } = await engine.search(
          { text, k: 50, principal: 'open' },
          { retriever: bm25(options), explain: true },
        );
        for (const { score, explain } of candidates) {
          const sum = explain!.reduce((total, { value }) => total + value, 0);
          expect(Math.abs(sum - score)).toBeLessThanOrEqual(1e-9);
          expect(explain!.every(({ from }) => from.startsWith('bm25:'))).toBe(true);
        }
      }
    });
  },
);

describe('one term in one field', () => {
  const k1 = 1.2;
  const b = 0.6;
  const nodes = [
    { id: 'a', text: 'cat' },
    { id: 'b', text: 'cat cat dog' },
    { id: 'c', text: 'dog' },
    { id: 'd' },
  ];
  const engine = opened({ nodes });
  const idf = (n: number, df: number) => Math.log(1 + (n - df + 0.5) / (df + 0.5));
  // Row d has no text: it counts as a row of length 0.
  const average = (1 + 3 + 1 + 0) / 4;
  const weight = (tf: number, length: number) => {
    const frequency = tf / (1 - b + (b * length) / average);
    return (frequency * (k1 + 1)) / (frequency + k1);
  };

  const scoresOf = async (text: string, options: Bm25Options = {}) =>
    Object.fromEntries(
      (await found(await engine, text, options, { principal: 'open' })).map(({ id, score }) => [id, score]),
    );

  it('scores idf x saturated frequency', async () => {
    const scores = await scoresOf('cat');
    expect(scores.a).toBeCloseTo(idf(4, 2) * weight(1, 1), 12);
    expect(scores.b).toBeCloseTo(idf(4, 2) * weight(2, 3), 12);
    expect(Object.keys(scores).sort()).toEqual(['a', 'b']);
  });

  it('counts a word that the query repeats as often as it stands', async () => {
    const once = await scoresOf('cat');
    const thrice = await scoresOf('cat cat cats');
    expect(thrice.a).toBeCloseTo(3 * once.a!, 12);
  });

  it('adds .2 of an ordered pair, which is a term of its own', async () => {
    const scores = await scoresOf('cat dog');
    const pair = idf(4, 1) * weight(1, 3);
    expect(scores.b).toBeCloseTo(idf(4, 2) * weight(2, 3) + idf(4, 2) * weight(1, 3) + 0.2 * pair, 12);
    const turned = await scoresOf('dog cat');
    expect(turned.b).toBeCloseTo(scores.b! - 0.2 * pair, 12);
  });

  it('gives nothing when every field has weight 0', async () => {
    expect(await scoresOf('cat', { weights: { text: 0 }, pairs: 0 })).toEqual({});
  });

  it('gives nothing for words that no row has, and for stop words', async () => {
    for (const text of ['whale', 'the of', '---', '" "', '\u{1f600}'])
      expect(await scoresOf(text)).toEqual({});
  });
});

it('breaks ties by id in bytes', async () => {
  const ids = ['\u{1f600}', 'b', '\uffff', 'a', 'ä'];
  const engine = await opened({ nodes: ids.map((id) => ({ id, text: 'cat' })) });
  const candidates = await found(engine, 'cat', {}, { principal: 'open' });
  expect(candidates.map(({ id }) => id)).toEqual(['a', 'b', 'ä', '\uffff', '\u{1f600}']);
});
