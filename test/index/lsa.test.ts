import { describe, expect, it } from 'vitest';
import { bm25, dense, hybrid, lsa, type Node, type Query } from '../../dist/index.js';
import { ForwardIndex } from '../../src/index/forward-index.js';
import { embedDocuments, foldIn, trainLsa } from '../../src/index/lsa.js';
import { analyzerNamed } from '../../src/ingest/analyzer.js';
import { built, opened, openedAt, refusal } from './small-index.js';

const TEXTS = [
  'night shift late worker',
  'night shift worker roster',
  'late roster night',
  'wage union hour',
  'union wage manager',
  'hour manager union policy',
  'policy',
];
const nodes: Node[] = TEXTS.map((text, i) => ({ id: `n${i}`, text }));
const open = { principal: 'open' } as const;

const trained = (texts: readonly string[], dimension = 2) => {
  const forward = new ForwardIndex(analyzerNamed('english'));
  for (const [i, text] of texts.entries()) forward.add({ id: String(i), text });
  const model = trainLsa(
    forward,
    texts.map((_, i) => i),
    dimension,
  );
  const vectors = new Map<number, number[]>();
  embedDocuments(forward, model, (input, vector) => vectors.set(input, [...vector]));
  return { model, vectors };
};

describe('a model of latent semantics', () => {
  it('brings texts together that share no word but go with the same ones', async () => {
    const engine = await opened({ nodes }, { embed: lsa({ dimension: 2 }) });
    const { candidates } = await engine.search({ text: 'worker', ...open }, { retriever: dense() });
    // n2 has no worker, but nights and rosters; the unions come last.
    expect(
      candidates
        .slice(0, 3)
        .map(({ id }) => id)
        .sort(),
    ).toEqual(['n0', 'n1', 'n2']);
    expect(candidates[2]!.score).toBeGreaterThan(0.9);
    expect(Math.abs(candidates.find(({ id }) => id === 'n4')!.score)).toBeLessThan(0.1);
  });

  it('knows the terms that at least two rows have, and rows of unit length', () => {
    const { model, vectors } = trained(TEXTS);
    expect(model.terms).toEqual([
      'hour',
      'late',
      'manag',
      'night',
      'polici',
      'roster',
      'shift',
      'union',
      'wage',
      'worker',
    ]);
    for (const vector of vectors.values()) expect(Math.hypot(...vector)).toBeCloseTo(1, 6);
    expect([...vectors.keys()]).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  it('has no vector for a row or a query without any of its terms', async () => {
    const engine = await opened(
      { nodes: [...nodes, { id: 'z', text: 'zebra' }] },
      { embed: lsa({ dimension: 2 }) },
    );
    const all = await engine.search({ text: 'worker', ...open, k: 50 }, { retriever: dense() });
    expect(all.candidates.map(({ id }) => id)).not.toContain('z');
    const none = await engine.search({ text: 'zebra', ...open }, { retriever: hybrid([bm25(), dense()]) });
    expect(none.candidates.map(({ id }) => id)).toEqual(['z']);
    expect(none.skipped).toMatchObject([{ channel: 'dense', code: 'zero_vector' }]);
  });

  it('folds a text in by 1 + ln tf, whatever the order of its words, to the last bit', () => {
    const { model } = trained(TEXTS);
    const frequencies = model.terms.map((_, place) => ({ place, frequency: 1 + (place % 3) }));
    const vector = foldIn(model, frequencies)!;
    expect(foldIn(model, [...frequencies].reverse())).toEqual(vector);
    const sums = [0, 1].map((d) =>
      frequencies.reduce((sum, { place, frequency }) => {
        return sum + (1 + Math.log(frequency)) * model.projection[place * model.width + d]!;
      }, 0),
    );
    for (const [d, sum] of sums.entries()) expect(vector[d]).toBeCloseTo(sum / Math.hypot(...sums), 6);
  });

  it('gives the same tables whatever the order of the rows', async () => {
    const options = { embed: lsa({ dimension: 3 }) };
    const { manifest } = await built({ nodes }, options);
    const shuffled = [...nodes].sort((a, b) => a.text!.localeCompare(b.text!));
    expect((await built({ nodes: shuffled }, options)).manifest).toEqual(manifest);
    expect(manifest.embedding).toMatchObject({ dimension: 3, model: 'lsa-3', lsa: { rows: 7 } });
  });

  it('has fewer dimensions than asked for where the rows have no more directions', async () => {
    const { manifest } = await built({ nodes }, { embed: lsa({ dimension: 128 }) });
    expect(manifest.embedding!.dimension).toBeLessThanOrEqual(7);
    const engine = await opened({ nodes }, { embed: lsa() });
    expect(
      (await engine.search({ text: 'union', ...open }, { retriever: dense() })).candidates[0]!.id,
    ).toMatch(/n[345]/);
  });

  it('embeds with the declared name, and takes vectors of that name from the caller', async () => {
    const engine = await opened({ nodes }, { embed: lsa({ dimension: 2 }), embeddingModel: 'mine' });
    const query: Query = { text: 'worker', ...open, embedding: [1, 0], embeddingModel: 'mine' };
    expect((await engine.search(query, { retriever: dense() })).candidates).toHaveLength(7);
  });
});

describe('what it cannot learn from', () => {
  it.each([
    ['no rows', []],
    [
      'rows without a common word',
      [
        { id: 'a', text: 'night' },
        { id: 'b', text: 'shift' },
      ],
    ],
    [
      'rows that all have the same words',
      [
        { id: 'a', text: 'night' },
        { id: 'b', text: 'night' },
      ],
    ],
  ])('is refused: %s', async (_, few) => {
    await refusal(built({ nodes: few }, { embed: lsa() }), 'INVALID_INPUT', 'nothing to learn from');
  });

  it.each([0, 1025, 1.5, Number.NaN, '128'])('is refused: a dimension of %s', async (dimension) => {
    await refusal((async () => lsa({ dimension: dimension as number }))(), 'INVALID_INPUT', '1024');
  });

  it('is refused: vectors from two sides', async () => {
    const vectors = nodes.map((node) => ({ ...node, embedding: [1, 2], embeddingModel: 'm' }));
    await refusal(built({ nodes: vectors }, { embed: lsa() }), 'INVALID_INPUT', 'a vector of its own');
    const embeddings = { rows: 7, columns: 1, data: new Float32Array(7) };
    await refusal(
      built({ nodes, embeddings }, { embed: lsa(), embeddingModel: 'm' }),
      'INVALID_INPUT',
      'leave out embeddings',
    );
    await refusal(built({ nodes }, { embed: { kind: 'magic' } as never }), 'INVALID_INPUT', 'lsa()');
  });
});

describe('in a scoped index', () => {
  const rows: Node[] = [
    ...nodes.map((node) => ({ ...node, org: 'acme', source: 'public', acl: ['all'] })),
    { id: 's0', text: 'secret worker union', org: 'acme', source: 'vault', acl: ['boss'] },
    { id: 's1', text: 'secret union night', org: 'acme', source: 'vault', acl: ['boss'] },
  ];
  const embed = lsa({ dimension: 2, trainOn: 'all' });
  const asking = (grants: string[], sources = ['public', 'vault'], org = 'acme'): Query => ({
    text: 'worker secret',
    principal: { org, grants },
    sources,
  });

  it('is refused without the tag of what everyone may read, with the reason', async () => {
    await refusal(built({ nodes: rows }, { embed: lsa() }), 'INVALID_INPUT', 'hidden rows', '--lsa-train-on');
    await refusal(built({ nodes: rows }, { embed: lsa({ trainOn: 'none' }) }), 'INVALID_INPUT', '"none"');
    await refusal(built({ nodes }, { embed }), 'INVALID_INPUT', 'open index');
  });

  it('is refused when rows of several organisations have the tag: nobody may read them all', async () => {
    const two = [...rows, { id: 'x', text: 'night', org: 'umbrella', source: 'public', acl: ['all'] }];
    await refusal(built({ nodes: two }, { embed }), 'INVALID_INPUT', '2 organisations', '"all"');
  });

  it('learns from the rows with the tag and no others, and embeds all', async () => {
    const { manifest, path } = await built({ nodes: rows }, { embed });
    expect(manifest.embedding!.lsa).toEqual({ rows: 7, org: 'acme', tag: 'all' });
    const alone = await built({ nodes: rows.slice(0, 7) }, { embed });
    expect(manifest.tables.lsa).toEqual(alone.manifest.tables.lsa);
    const engine = await openedAt(path);
    const { candidates } = await engine.search(asking(['all', 'boss']), { retriever: dense() });
    expect(candidates.map(({ id }) => id)).toContain('s0');
  });

  it('answers who may read what it learned from as an index of the visible rows does', async () => {
    const whole = await opened({ nodes: rows }, { embed });
    const part = await opened({ nodes: rows.slice(0, 7) }, { embed });
    for (const retriever of [dense(), hybrid([bm25(), dense()])]) {
      const [a, b] = [
        await whole.search(asking(['all']), { retriever, explain: true }),
        await part.search(asking(['all']), { retriever, explain: true }),
      ];
      expect(JSON.stringify(a)).toBe(JSON.stringify(b));
      expect(a.candidates.length).toBeGreaterThan(0);
    }
  });

  it.each([
    ['without the tag', ['boss'], 'acme'],
    ['of another organisation', ['all', 'boss'], 'umbrella'],
  ])('gives no vectors to a caller %s, not even for one of his own', async (_, grants, org) => {
    const engine = await opened({ nodes: rows }, { embed });
    for (const extra of [{}, { embedding: [1, 0] }]) {
      const query = { ...asking(grants, ['public', 'vault'], org), ...extra };
      const { skipped, candidates } = await engine.search(query, { retriever: hybrid([bm25(), dense()]) });
      expect(skipped).toMatchObject([
        {
          channel: 'dense',
          code: 'no_visible_vectors',
          message: expect.stringContaining('learned from rows'),
        },
      ]);
      expect(candidates.every(({ ranks }) => ranks.dense === undefined)).toBe(true);
      await refusal(engine.search(query, { retriever: dense() }), 'EMBEDDINGS_UNAVAILABLE');
    }
  });

  it('does not ask for the sources of what it learned from: he may read them', async () => {
    const engine = await opened({ nodes: rows }, { embed });
    const { candidates } = await engine.search(asking(['all', 'boss'], ['vault']), { retriever: dense() });
    expect(candidates.map(({ id }) => id).sort()).toEqual(['s0', 's1']);
  });
});
