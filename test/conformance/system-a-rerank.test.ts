import { describe, expect, it } from 'vitest';
import { batchOf, type RerankCandidate } from '../../src/rank/rerank/batch.js';
import {
  alphaOf,
  type Blend,
  factorsFor,
  multipliersAt,
  multipliersOfClass,
} from '../../src/rank/rerank/blend.js';
import { spreadFiles } from '../../src/rank/rerank/diversity.js';
import { proximitySeeds } from '../../src/rank/rerank/graph.js';
import { recencyOf } from '../../src/rank/rerank/history.js';
import { isTestPath, pathValue } from '../../src/rank/rerank/paths.js';
import { Pipeline, type Reranked } from '../../src/rank/rerank/pipeline.js';
import { classOf } from '../../src/rank/rerank/query-class.js';
import { normLog, rankValue } from '../../src/rank/rerank/signal.js';
import { ORIGINAL_WEIGHTS, SIGNALS } from '../../src/rank/rerank/signals.js';
import { testedName } from '../../src/rank/rerank/symbols.js';
import { overlap, signatureTokens } from '../../src/rank/rerank/tokens.js';

/** A candidate of system A: its text rank counts from 0. */
const candidate = (id: string, textRank: number | undefined, rest: Partial<RerankCandidate> = {}) => ({
  id,
  row: [...id].reduce((sum, c) => sum * 128 + c.charCodeAt(0), 0),
  rank: 1,
  score: 0,
  ...(textRank === undefined ? {} : { textRank: textRank + 1 }),
  ...rest,
});

const called = (fanIn: number): Partial<RerankCandidate> => ({ links: { fanIn, fanOut: 0, similar: [] } });

function rerank(
  text: string,
  candidates: readonly RerankCandidate[],
  {
    blend = 'class' as Blend,
    prose = false,
    weights = {} as Record<string, number>,
    now = undefined as number | undefined,
  } = {},
): Pipeline {
  const queryClass = classOf(text);
  const factor = factorsFor(text, queryClass, { blend, prose });
  const all: Record<string, number> = { ...ORIGINAL_WEIGHTS, ...weights };
  return new Pipeline(
    batchOf(text, queryClass, candidates, { ...(now === undefined ? {} : { now }) }),
    SIGNALS.map((signal) => ({ signal, weight: all[signal.name]! * factor(signal.name) })),
  );
}

/** Raw values of one signal alone. */
function raw(
  name: string,
  text: string,
  candidates: readonly RerankCandidate[],
  now?: number,
): (number | undefined)[] {
  const pipeline = rerank(text, candidates, { now });
  return candidates.map((one) => pipeline.evidence(one).find((e) => e.name === name)!.raw);
}

const scores = (list: readonly Reranked[]) => list.map(({ candidate: { id }, score }) => [id, score]);

describe('the whole pipeline with the discrete table', () => {
  it('puts the type Session above the method urlSession', () => {
    const [first, second] = rerank('Session', [
      candidate('a', 1, { name: 'Session', kind: 'type', path: 'a/session_store.go', ...called(1) }),
      candidate('b', 0, { name: 'urlSession', kind: 'method', path: 'b/url.go', ...called(30) }),
    ]).run();
    expect([first!.candidate.id, second!.candidate.id]).toEqual(['a', 'b']);
    expect(first!.score).toBeCloseTo(2.751754613, 9);
    expect(second!.score).toBeCloseTo(2.2, 12);
  });

  it('puts the Model of production above that of a test', () => {
    const [first, second] = rerank('Model', [
      candidate('a', 1, { name: 'Model', kind: 'type', path: 'a/llm.go', ...called(1) }),
      candidate('b', 0, { name: 'Model', kind: 'type', path: 'a/llm_test.go', ...called(15) }),
    ]).run();
    expect([first!.candidate.id, second!.candidate.id]).toEqual(['a', 'b']);
    expect(first!.score).toBeCloseTo(3.380645161, 9);
    expect(second!.score).toBeCloseTo(3.215, 12);
  });
});

describe('formulas', () => {
  it('ranks count 61 / (61 + r)', () => {
    expect([0, 1, 60, 999].map((r) => rankValue(r + 1))).toEqual([1, 61 / 62, 61 / 121, 61 / 1060]);
    expect(rankValue(undefined)).toBeUndefined();
  });

  it('counts are logarithmic in the largest of the batch', () => {
    expect(normLog(1, 30)).toBe(Math.log(2) / Math.log(31));
    expect([normLog(5, 5), normLog(0, 5), normLog(3, 0), normLog(9, 3)]).toEqual([1, 0, 0, 1]);
  });

  it('recency halves in 30 days', () => {
    expect([0, 30, 60, 120, -7].map(recencyOf)).toEqual([1, 0.5, 0.25, 0.0625, 1]);
    const day = 86_400_000;
    const aged = [0, 30, 60].map((days) => candidate(`d${days}`, 0, { lastAuthored: -days * day }));
    expect(raw('recency', 'q', aged, 0)).toEqual([1, 0.5, 0.25]);
  });

  it('authority .7 at hub 1 gives .35', () => {
    expect(raw('hits', 'q', [candidate('a', 0, { authority: 0.7, hub: 1 })])).toEqual([0.35]);
  });

  it('files cohere by the sum of 1 / (1 + r): 1.4333 against .325', () => {
    const batch = [0, 2, 9].map((r) => candidate(`x${r}`, r, { path: 'x' }));
    batch.push(...[4, 7].map((r) => candidate(`y${r}`, r, { path: 'y' })), candidate('z', 1, { path: 'z' }));
    const [x, y] = [1 + 1 / 3 + 1 / 10, 1 / 5 + 1 / 8];
    expect(raw('file_coherence', 'q', batch)).toEqual([1, 1, 1, y / x, y / x, undefined]);
    expect(y / x).toBeCloseTo(0.2267, 4);
  });

  it('counts files of one candidate among the sums', () => {
    const batch = [
      candidate('s', 0, { path: 's' }),
      ...[4, 7].map((r) => candidate(`y${r}`, r, { path: 'y' })),
    ];
    expect(raw('file_coherence', 'q', batch)).toEqual([undefined, 0.325, 0.325]);
  });

  it('proximity is the share of the best', () => {
    const walked = [10, 5].map((proximity) => candidate(`p${proximity}`, 0, { proximity }));
    expect(raw('proximity', 'q', [...walked, candidate('none', 1)])).toEqual([1, 0.5, undefined]);
  });

  it('its walk starts at a, v, b', () => {
    const batch = [
      candidate('a', 0),
      candidate('b', 1),
      candidate('c', 2),
      candidate('v', undefined, { vectorRank: 1 }),
    ];
    expect(proximitySeeds(batch, 3).map(({ id }) => id)).toEqual(['a', 'v', 'b']);
  });

  it('names of tests lose what makes them tests', () => {
    expect(
      ['TestValidateToken', 'validate_token_test', 'describeAuthSpec', 'latest', 'test'].map(testedName),
    ).toEqual(['validatetoken', 'validate_token', 'describeauth', 'latest', 'test']);
  });

  it('signatures are split into distinct words', () => {
    expect([...signatureTokens('ParseHTTPHeader')]).toEqual(['parse', 'http', 'header']);
    expect([...signatureTokens('user2Token')]).toEqual(['user', '2', 'token']);
    expect([...signatureTokens('(ctx Context, ctx) -> UserID_x')]).toEqual([
      'ctx',
      'context',
      'user',
      'id',
      'x',
    ]);
    expect(overlap(new Set(['a', 'b', 'c']), new Set(['a', 'c', 'd']))).toBe(2 / 3);
    expect(overlap(new Set(), new Set(['a']))).toBe(0);
  });

  it('files give way to others in turn: b1 b2 b3 s1 b4 b5', () => {
    const order = spreadFiles(['b1', 'b2', 'b3', 'b4', 'b5', 's1'], (id) => id[0]);
    expect(order).toEqual(['b1', 'b2', 'b3', 's1', 'b4', 'b5']);
    expect(spreadFiles(['b1', 'b2'], (id) => id[0])).toEqual(['b1', 'b2']);
  });
});

describe('the class of a query', () => {
  it.each([
    ['', 'concept'],
    ['where are sessions stored', 'concept'],
    ['session', 'concept'],
    ['Session', 'symbol'],
    ['http::Server', 'symbol'],
    ['os.path', 'symbol'],
    ['my_router', 'symbol'],
    ['URL', 'symbol'],
    ['src/router.ts', 'path'],
    ['a\\b', 'path'],
    ['func (r Router) Handle', 'signature'],
    ['a -> b', 'signature'],
    ['auth OR token AND session', 'keyword_soup'],
    ['"one" "two" "three"', 'keyword_soup'],
    ['auth, token, session store', 'keyword_soup'],
    ['auth, the token, session', 'concept'],
    ['validateToken getUser parseHeader readFile my_router', 'concept'],
    ['validateToken getUser parseHeader readFile my_router openIndex', 'keyword_soup'],
  ])('of %j is %s', (text, expected) => {
    expect(classOf(text)).toBe(expected);
  });

  it('has these factors', () => {
    expect(multipliersOfClass('symbol')).toMatchObject({ bm25: 1.2, semantic: 0.65, proximity: 0.55 });
    expect(multipliersOfClass('path')).toMatchObject({ bm25: 1.25, semantic: 0.45, proximity: 0.4 });
    expect(multipliersOfClass('signature')).toMatchObject({ bm25: 1.1, semantic: 0.8, proximity: 0.75 });
    expect(multipliersOfClass('keyword_soup')).toMatchObject({ bm25: 1.2, semantic: 0.5, proximity: 0.6 });
    expect(multipliersOfClass('concept')).toMatchObject({ bm25: 1, semantic: 1, proximity: 1.3 });
  });

  it('is left behind by the continuous blend', () => {
    const rounded = (alpha: number) => {
      const { bm25, semantic, proximity } = multipliersAt(alpha);
      return [bm25, semantic, proximity].map((factor) => factor.toFixed(6));
    };
    expect(rounded(0.4)).toEqual(['1.071429', '0.842857', '1.042857']);
    expect(rounded(0.3)).toEqual(['1.142857', '0.685714', '0.785714']);
    expect(rounded(0.5)).toEqual(['1.000000', '1.000000', '1.300000']);
    expect(rounded(0.15)).toEqual(['1.250000', '0.450000', '0.400000']);
    expect(alphaOf('validateToken handler')).toBeCloseTo(0.4, 12);
    expect(['Session', 'session', 'a/b', 'f()', 'x, y, z', ''].map((text) => alphaOf(text))).toEqual([
      0.3, 0.5, 0.15, 0.35, 0.3, 0.5,
    ]);
  });

  it('prose raises words and vectors and silences signatures', () => {
    const factor = factorsFor('where is it', 'concept', { blend: 'class', prose: true });
    const names = [
      'bm25',
      'semantic',
      'semantic_cosine',
      'api_signature',
      'type_signature',
      'definition_bias',
      'fan_in',
    ];
    expect(names.map(factor)).toEqual([1.25, 1.3, 1.3, 0, 0, 0, 1]);
  });
});

describe('the demotion of tests', () => {
  const pair = [candidate('a', 0, { path: 'x/test/a.ts' }), candidate('b', 0, { path: 'x/b.ts' })];
  const weights = Object.fromEntries(
    Object.keys(ORIGINAL_WEIGHTS).map((name) => [name, name === 'bm25' ? 1 : 0]),
  );

  it.each([
    ['where is it', 0.5],
    ['a OR b OR c', 0.6],
    ['Session', 1.2],
    ['a/b', 1.25],
    ['f(x)', 1.1],
  ])('for %j leaves %f', (text, expected) => {
    const found = new Map(scores(rerank(text, pair, { weights }).run()) as [string, number][]);
    expect(found.get('a')).toBe(expected);
  });

  it.each([
    ['test/x.ts', true],
    ['src/__tests__/x.ts', true],
    ['a/E2E/x.ts', true],
    ['a/Fixtures/x', true],
    ['testdata/x', true],
    ['specs/a.rb', true],
    ['a/b_test.go', true],
    ['a/b_spec.rb', true],
    ['a/b.test.tsx', true],
    ['a/b.spec.mjs', true],
    ['a/test_b.py', true],
    ['a/UserTest.java', true],
    ['a/UserTest.php', true],
    ['a/UserTests.swift', true],
    ['a/b_test.cc', true],
    ['a/b_SUITE.erl', true],
    ['a/contest.ts', false],
    ['a/testing.go', false],
    ['attest/b.ts', false],
    ['src/test.ts', false],
  ])('%s is a test: %s', (path, expected) => {
    expect(isTestPath(path)).toBe(expected);
  });
});

describe('paths', () => {
  const beside = new Set(['a/user.go', 'a/x.ts']);
  it.each([
    ['a/b_test.go', 0.3],
    ['legacy/a.ts', 0.5],
    ['a/shims/x.d.ts', 0.5],
    ['examples/index.ts', 0.5],
    ['types/a.d.ts', 0.7],
    ['a/b.pyi', 0.7],
    ['include/a.h', 0.7],
    ['src/a.h', 1],
    ['src/a.hpp', 0.7],
    ['src/index.ts', 0.9],
    ['src/index.tsx', 0.9],
    ['src/mod.rs', 0.9],
    ['src/lib.rs', 0.9],
    ['src/index.js', 0.7],
    ['pkg/__init__.py', 0.7],
    ['a/user.pb.go', 0.4],
    ['a/other.pb.go', 1],
    ['a/x.generated.ts', 0.4],
    ['src/router.ts', 1],
  ])('%s counts %f', (path, expected) => {
    expect(pathValue(path, (peer) => beside.has(peer))).toBe(expected);
  });

  it('count 1 where there is none', () => {
    expect(raw('path_penalty', 'q', [candidate('a', 0)])).toEqual([1]);
  });
});

describe('order', () => {
  it('of equals is by text rank, absent last, then by id', () => {
    const weights = Object.fromEntries(Object.keys(ORIGINAL_WEIGHTS).map((name) => [name, 0]));
    const batch = [candidate('a', undefined), candidate('b', 5), candidate('d', 2), candidate('c', 2)];
    const order = rerank('Session', batch, { weights: { ...weights, path_penalty: 1 } }).run();
    expect(order.map(({ candidate: { id } }) => id)).toEqual(['c', 'd', 'b', 'a']);
  });
});
