import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { batchOf, type Home, type RerankCandidate } from '../../../src/rank/rerank/batch.js';
import { Pipeline } from '../../../src/rank/rerank/pipeline.js';
import { classOf, QUERY_CLASSES } from '../../../src/rank/rerank/query-class.js';
import { SIGNAL_NAMES, SIGNALS, type SignalName } from '../../../src/rank/rerank/signals.js';

type Some = Partial<RerankCandidate>;

const batch = (candidates: readonly Some[]): RerankCandidate[] =>
  candidates.map((one, i) => ({ id: `n${i}`, row: i, rank: i + 1, score: 1, textRank: i + 1, ...one }));

/** Raw values of one signal for each candidate. */
function raw(
  name: SignalName,
  candidates: readonly Some[],
  { text = 'where is it', home }: { text?: string; home?: Home } = {},
): (number | undefined)[] {
  const signal = SIGNALS.find((one) => one.name === name)!;
  const made = batchOf(text, classOf(text), batch(candidates), home === undefined ? {} : { home });
  const pipeline = new Pipeline(made, [{ signal, weight: 1 }]);
  return made.candidates.map((one) => pipeline.evidence(one)[0]!.raw);
}

const linked = (links: Partial<NonNullable<RerankCandidate['links']>>): Some => ({
  links: { fanIn: 0, fanOut: 0, similar: [], ...links },
});

describe('edges', () => {
  it('count by their logarithm, where the candidate with most has 1', () => {
    const three = [linked({ fanIn: 3, fanOut: 1 }), linked({ fanIn: 15 }), linked({}), {}];
    expect(raw('fan_in', three)).toEqual([Math.log(4) / Math.log(16), 1, 0, undefined]);
    expect(raw('fan_out', three)).toEqual([1, 0, 0, undefined]);
  });

  it('of trust .5 to 1 give 0 to 1', () => {
    const trusts = [1, 0.8, 0.6, 0.5, undefined].map((provenance) => linked({ provenance }));
    const values = raw('provenance', trusts);
    [1, 0.6, 0.2, 0].forEach((expected, i) => {
      expect(values[i]).toBeCloseTo(expected, 12);
    });
    expect(values[4]).toBeUndefined();
  });

  it('to what is alike count their mean, within the batch and not to itself', () => {
    const alike = (...similar: [number, number][]) =>
      linked({ similar: similar.map(([row, similarity]) => ({ row, similarity })) });
    expect(raw('minhash', [alike([1, 0.9], [2, 0.5], [7, 1], [0, 1]), alike([7, 1]), {}])).toEqual([
      0.7,
      undefined,
      undefined,
    ]);
  });
});

it('the list that is reranked counts by its scores as shares of the best', () => {
  expect(raw('retriever', [{ score: 4 }, { score: 1 }, { score: -1 }])).toEqual([1, 0.25, 0]);
  expect(raw('retriever', [{ score: 0 }, { score: -1 }])).toEqual([undefined, undefined]);
});

describe('community', () => {
  it('is the size of its community over the largest, above one', () => {
    const labels = [5, 5, 5, 9, 9, 2].map((community) => ({ community }));
    expect(raw('community', labels)).toEqual([1, 1, 1, 2 / 3, 2 / 3, 0]);
    expect(raw('community', [{}])).toEqual([undefined]);
  });

  it('is 1 in the repository of the caller when there are several, .7 in his project', () => {
    const home = { repo: 'r1', project: 'p1' };
    const both = [{ repo: 'r1' }, { repo: 'r2', project: 'p1' }, { repo: 'r2', project: 'p2' }];
    expect(raw('community', both, { home })).toEqual([1, 0.7, 0]);
    expect(raw('community', [{ repo: 'r1' }, { repo: 'r1', project: 'p1' }], { home })).toEqual([0, 0.7]);
    expect(raw('community', both)).toEqual([0, 0, 0]);
  });
});

describe('the past', () => {
  it('counts changes, else hands, else one for a stamp', () => {
    const files = [{ churn: 7, authors: 90 }, { authors: 3 }, { lastAuthored: 5 }, {}, { churn: 0 }];
    expect(raw('churn', files)).toEqual([
      1,
      Math.log(4) / Math.log(8),
      Math.log(2) / Math.log(8),
      undefined,
      0,
    ]);
  });

  it('ties files that change together: the mean of what is above 0, each file once', () => {
    const ties = new Map([
      ['b', 0.8],
      ['c', 0.2],
      ['d', -1],
      ['far', 1],
      ['a', 1],
    ]);
    const files = [{ path: 'a', coChange: ties }, { path: 'b' }, { path: 'b' }, { path: 'c' }, { path: 'd' }];
    expect(raw('co_change', files)).toEqual([0.5, undefined, undefined, undefined, undefined]);
    expect(raw('co_change', [{ path: 'a', coChange: ties }])).toEqual([undefined]);
  });

  it('ages from the youngest candidate unless a time is given', () => {
    const day = 86_400_000;
    expect(raw('recency', [{ lastAuthored: 60 * day }, { lastAuthored: 0 }, {}])).toEqual([
      1,
      0.25,
      undefined,
    ]);
  });

  it('of answers is the best of feedback, frecency and combo, never below 0', () => {
    const told = [
      { feedback: 0.25 },
      { feedback: -1 },
      { feedback: -1, frecency: 1.25 },
      { combo: 2.5, frecency: 1.25 },
      { combo: 9 },
      {},
    ];
    expect(raw('feedback', told)).toEqual([0.25, 0, 0.5, 0.75, 1, undefined]);
  });
});

describe('names', () => {
  it('in signatures of functions count by the share of the query they have', () => {
    const nodes = [
      { kind: 'function', name: 'parseHeader', signature: '(raw: string)' },
      { kind: 'Method', name: 'x', signature: 'parse()' },
      { kind: 'function', name: 'parseHeader' },
      { kind: 'type', name: 'parseHeader', signature: 'parse' },
    ];
    expect(raw('api_signature', nodes, { text: 'parse raw header value' })).toEqual([
      0.75,
      0.25,
      undefined,
      undefined,
    ]);
  });

  it('of types count with their signatures and qualified names', () => {
    const nodes = [
      { kind: 'interface', name: 'UserStore', qualifiedName: 'auth.UserStore' },
      { kind: 'field', name: 'id', signature: 'user: string' },
      { kind: 'enum_member', name: 'Auth' },
      { kind: 'function', name: 'userStore' },
    ];
    expect(raw('type_signature', nodes, { text: 'auth user store' })).toEqual([1, 1 / 3, 1 / 3, undefined]);
  });

  it('that a symbol asks for are definitions: 1, by its file .6, by four letters .4', () => {
    const nodes = [
      { kind: 'type', name: 'session' },
      { kind: 'function', name: 'open', path: 'a/session.go' },
      { kind: 'method', name: 'SessHandler', path: 'a/x.go' },
      { kind: 'type', name: 'urlSession', path: 'a/x.go' },
      { kind: 'file', name: 'Session' },
      { kind: 'type' },
    ];
    expect(raw('definition_bias', nodes, { text: 'Session' })).toEqual([
      1,
      0.6,
      0.4,
      0,
      undefined,
      undefined,
    ]);
    expect(raw('definition_bias', nodes.slice(0, 1), { text: 'where are sessions' })).toEqual([undefined]);
  });

  it('that a test is named after count where they are no test', () => {
    const nodes = [
      { name: 'ValidateToken', path: 'a/token.go' },
      { name: 'TestValidateToken', path: 'a/token_test.go' },
      { name: 'ValidateToken', path: 'a/testdata/token.go' },
      { name: 'other', path: 'a/token.go' },
      {},
    ];
    expect(raw('source_bias', nodes)).toEqual([1, 0, 0, 0, undefined]);
  });

  it('that several share count by prominence: .5 exported, .3 no test, .2 a function or type', () => {
    const nodes = [
      { name: 'Model', kind: 'type', path: 'a.go' },
      { name: 'model', kind: 'variable', path: 'a.go' },
      { name: 'Model', kind: 'type', path: 'a_test.go' },
      { name: 'Model', kind: 'variable', path: 'a.go', exported: false },
      { name: 'Models', kind: 'type', path: 'a.go' },
    ];
    const values = raw('overload', nodes, { text: 'Model' });
    [1, 0.3, 0.7, 0.3, 0].forEach((expected, i) => {
      expect(values[i]).toBeCloseTo(expected, 12);
    });
  });

  it('that the words of a query make up count .55 and .45 of prominence', () => {
    const nodes = [
      { name: 'openIndex', kind: 'function', path: 'a.ts', exported: true },
      { name: 'open', path: 'a.ts' },
    ];
    const values = raw('overload', nodes, { text: 'open index' });
    expect(values[0]).toBeCloseTo(1, 12);
    expect(values[1]).toBe(0);
    expect(raw('overload', nodes, { text: 'openindex' })).toEqual([0, 0]);
  });
});

describe('the pipeline', () => {
  it('neither asks nor tells a signal of weight 0', () => {
    let asked = 0;
    const signal = { name: 'mine', prepare: () => () => ++asked };
    const made = batchOf('q', 'symbol', batch([{}]));
    const pipeline = new Pipeline(made, [{ signal, weight: 0 }]);
    expect(pipeline.run()[0]!.score).toBe(0);
    expect([asked, pipeline.evidence(made.candidates[0]!)]).toEqual([0, []]);
  });

  it('takes values of 0 to 1, cuts what lies beyond, and refuses what is no number', () => {
    const run = (value: unknown) => {
      const signal = { name: 'mine', prepare: () => () => value as number };
      return new Pipeline(batchOf('q', 'symbol', batch([{}])), [{ signal, weight: 2 }]).run()[0]!.score;
    };
    expect([0.25, 7, -3, undefined].map(run)).toEqual([0.5, 2, 0, 0]);
    for (const wrong of [Number.NaN, '1', null])
      expect(() => run(wrong)).toThrow(expect.objectContaining({ code: 'RETRIEVE_FAILED' }));
  });
});

const some = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const count = some(fc.nat(40));
const share = some(fc.constantFrom(0, 0.1, 0.3, 0.7, 1));
const PATHS = ['a/x.ts', 'a/x.test.ts', 'b/index.ts', 'b/y.pb.go', 'b/y.go'];
const anything: fc.Arbitrary<Some> = fc.record({
  textRank: some(fc.integer({ min: 1, max: 20 })),
  vectorRank: some(fc.integer({ min: 1, max: 20 })),
  cosine: share,
  kind: some(fc.constantFrom('function', 'type', 'field', 'doc')),
  name: some(fc.constantFrom('Session', 'TestSession', 'session', 'openSession')),
  qualifiedName: some(fc.constantFrom('auth.Session')),
  path: some(fc.constantFrom(...PATHS)),
  signature: some(fc.constantFrom('(session: Session)')),
  links: some(
    fc.record({
      fanIn: fc.nat(9),
      fanOut: fc.nat(9),
      provenance: some(fc.constantFrom(0.5, 0.7, 1)),
      similar: fc.array(fc.record({ row: fc.nat(12), similarity: fc.constantFrom(0.1, 0.2, 0.3) }), {
        maxLength: 5,
      }),
    }),
  ),
  authority: share,
  hub: share,
  community: some(fc.nat(2)),
  proximity: share,
  churn: count,
  authors: count,
  lastAuthored: some(fc.constantFrom(0, 1e9, 5e9)),
  coChange: some(fc.constant(new Map(PATHS.map((path, i) => [path, i / 10])))),
  feedback: share,
  frecency: some(fc.constantFrom(1, 1.3)),
  combo: some(fc.constantFrom(1, 2)),
});

it('gives the same bits in whatever order candidates come, for every signal and for all', () => {
  const setting = fc
    .array(anything, { minLength: 1, maxLength: 12 })
    .chain((list) =>
      fc.tuple(
        fc.constant(batch(list)),
        fc.shuffledSubarray([...list.keys()], { minLength: list.length }),
        fc.constantFrom(...QUERY_CLASSES),
      ),
    );
  const weighed = SIGNALS.map((signal, i) => ({ signal, weight: 1 + i / 7 }));
  const told = (candidates: readonly RerankCandidate[], queryClass: (typeof QUERY_CLASSES)[number]) => {
    const pipeline = new Pipeline(batchOf('open Session', queryClass, candidates), weighed);
    return pipeline.run().map(({ candidate, score }) => ({
      id: candidate.id,
      score,
      evidence: pipeline.evidence(candidate),
    }));
  };
  const seen = new Set<string>();
  fc.assert(
    fc.property(setting, ([candidates, order, queryClass]) => {
      const straight = told(candidates, queryClass);
      expect(
        told(
          order.map((i) => candidates[i]!),
          queryClass,
        ),
      ).toStrictEqual(straight);
      for (const { evidence } of straight)
        for (const { name, value } of evidence) if (value > 0) seen.add(name);
    }),
    { seed: 7, numRuns: 300 },
  );
  expect([...seen].sort()).toEqual([...SIGNAL_NAMES].sort());
});
