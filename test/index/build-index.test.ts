import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type BuildOptions, buildIndex, type IndexSource } from '../../dist/index.js';
import { built, column, opened, refusal, tableOf, temporaryFolder } from './small-index.js';

const anywhere = () => join(temporaryFolder(), 'index');

/** What building from this source is refused with; nothing may have been written then. */
async function refused(
  source: IndexSource,
  options: Omit<BuildOptions, 'out'>,
  ...expected: [code: Parameters<typeof refusal>[1], ...says: (string | RegExp)[]]
) {
  const out = anywhere();
  const error = await refusal(buildIndex(source, { ...options, out }), ...expected);
  expect(existsSync(join(out, 'CURRENT'))).toBe(false);
  return error;
}

const nodes = [{ id: 'a' }, { id: 'b' }];
const access = { org: 'acme', source: 'wiki', acl: ['everyone'] };

describe('ids and edges', () => {
  it('refuses an id that occurs twice, naming it and its place', async () => {
    const error = await refused({ nodes: [...nodes, { id: 'a' }] }, {}, 'INVALID_INPUT', '"a"', 'twice');
    expect(error.place).toMatchObject({ id: 'a', line: 3 });
  });

  it.each(['', '\ud800', 7])('refuses %j as an id', async (id) => {
    await refused({ nodes: [{ id: id as string }] }, {}, 'INVALID_INPUT', 'id');
  });

  it('refuses an edge with an unknown end, naming both ids and the way out', async () => {
    for (const edge of [
      { from: 'a', to: 'nope' },
      { from: 'nope', to: 'a' },
    ]) {
      await refused({ nodes, edges: [edge] }, {}, 'INVALID_INPUT', '"a"', '"nope"', 'skip-dangling');
    }
  });

  it('counts edges with an unknown end instead when told to', async () => {
    const edges = [
      { from: 'a', to: 'nope' },
      { from: 'a', to: 'b' },
      { from: 'x', to: 'y' },
    ];
    const report = await built({ nodes, edges }, { skipDangling: true });
    expect(report.skippedEdges).toBe(2);
    expect(report.manifest.counts.edges).toBe(1);
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('refuses an edge of weight %s', async (weight) => {
    await refused(
      { nodes, edges: [{ from: 'a', to: 'b', weight }] },
      {},
      'INVALID_INPUT',
      '"a"',
      '"b"',
      'weight',
    );
  });

  it.each([
    ['a kind that is no string', { kind: 5 }],
    ['a provenance that is no string', { provenance: 5 }],
    ['a confidence above 1', { confidence: 7 }],
    ['a confidence that is no number', { confidence: Number.NaN }],
    ['a weight that is no number', { weight: '2' }],
  ])('refuses an edge with %s', async (_, wrong) => {
    const edges = [{ from: 'a', to: 'b' }, { from: 'b', to: 'a', ...wrong } as never];
    await refused({ nodes, edges }, {}, 'INVALID_INPUT');
  });

  it('counts nested values of meta, which a flat map cannot hold', async () => {
    const meta = { list: [1], flat: 'x' } as never;
    expect((await built({ nodes: [{ id: 'a', meta }] })).droppedMeta).toBe(1);
  });
});

describe('access columns', () => {
  it('names the first row without them and counts the others', async () => {
    const mixed = [
      { id: 'z', ...access },
      { id: 'm', org: 'acme', acl: [] },
      { id: 'a' },
      { id: 'q', ...access },
    ];
    await refused({ nodes: mixed }, {}, 'INVALID_INPUT', '"m"', 'no source', '2 of 4');
  });

  it('takes an empty list as readable by nobody, not as lacking', async () => {
    const { manifest } = await built({ nodes: [{ id: 'a', ...access, acl: [] }] });
    expect(manifest.access).toBe('scoped');
  });

  it('is scoped as soon as one row has any of them, or an access table is given', async () => {
    expect((await built({ nodes })).manifest.access).toBe('open');
    expect((await built({ nodes: [], access: [] })).manifest.access).toBe('scoped');
    await refused({ nodes, access: [] }, {}, 'INVALID_INPUT', '2 of 2', '"a"');
    expect((await built({ nodes, access: nodes.map(({ id }) => ({ id, ...access })) })).manifest.access).toBe(
      'scoped',
    );
  });

  it('refuses to build an open index from rows that carry them', async () => {
    await refused({ nodes: [{ id: 'a', ...access }] }, { accessMode: 'open' }, 'ACCESS_MODE');
    await refused({ nodes: [{ id: 'a', source: 'wiki' }] }, { accessMode: 'open' }, 'ACCESS_MODE');
    await refused({ nodes, access: [] }, { accessMode: 'open' }, 'ACCESS_MODE');
  });

  it('refuses an access row without a node, and a second one of a node', async () => {
    const rows = nodes.map(({ id }) => ({ id, ...access }));
    await refused({ nodes, access: [...rows, { id: 'c', ...access }] }, {}, 'INVALID_INPUT', '"c"');
    await refused({ nodes, access: [...rows, rows[0]!] }, {}, 'INVALID_INPUT', '"a"');
  });

  it('lets an access row replace what the node itself says', async () => {
    const engine = await opened({
      nodes: [{ id: 'a', text: 'word', ...access, acl: ['old'] }],
      access: [{ id: 'a', org: 'acme', source: 'wiki', acl: ['new'] }],
    });
    const seen = async (grant: string) =>
      (await engine.search({ text: 'word', principal: { org: 'acme', grants: [grant] }, sources: ['wiki'] }))
        .candidates.length;
    expect([await seen('old'), await seen('new')]).toEqual([0, 1]);
  });

  it.each([
    ['no organisation', { org: undefined }],
    ['an empty source', { source: '' }],
    ['a tag that is no string', { acl: [7] }],
    ['an empty tag', { acl: [''] }],
    ['no list of tags', { acl: undefined }],
  ])('refuses an access row with %s, as it refuses such a node', async (_, wrong) => {
    const row = { id: 'a', ...access, ...wrong } as never;
    await refused({ nodes: [row] }, {}, 'INVALID_INPUT');
    await refused({ nodes: [{ id: 'a' }], access: [row] }, {}, 'INVALID_INPUT');
  });

  it('reads tags in one string, separated by spaces, alike in nodes and in access rows', async () => {
    const row = { id: 'a', ...access, acl: 'everyone role' } as never;
    for (const source of [{ nodes: [row] }, { nodes: [{ id: 'a' }], access: [row] }]) {
      const labels = column(tableOf(await built(source), 'labels'), 'label');
      expect(labels).toEqual(['acme', 'everyone', 'role', 'wiki']);
    }
  });
});

describe('vectors', () => {
  const matrix = (rows: number) => ({ rows, columns: 2, data: new Float32Array(rows * 2).fill(1) });

  it.each([1, 3])('refuses a matrix of %i rows for two nodes', async (rows) => {
    const options = { embeddingModel: 'm' };
    await refused(
      { nodes, embeddings: matrix(rows) },
      options,
      'DIMENSION_MISMATCH',
      `${rows} rows`,
      '2 nodes',
    );
  });

  it('refuses a matrix whose model is not named', async () => {
    await refused({ nodes, embeddings: matrix(2) }, {}, 'INVALID_INPUT', 'embeddingModel');
  });

  it('refuses a node with a vector of its own beside a matrix', async () => {
    const both = [{ id: 'a', embedding: [1, 2] }, { id: 'b' }];
    await refused({ nodes: both, embeddings: matrix(2) }, { embeddingModel: 'm' }, 'INVALID_INPUT', '"a"');
  });

  it('refuses vectors of different lengths, naming both and the id', async () => {
    const mixed = [
      { id: 'a', embedding: [1, 2] },
      { id: 'b', embedding: [1, 2, 3] },
    ];
    await refused({ nodes: mixed }, { embeddingModel: 'm' }, 'DIMENSION_MISMATCH', '"b"', '3', '2');
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, 1e39])('refuses a vector that holds %s', async (wrong) => {
    await refused({ nodes: [{ id: 'a', embedding: [1, wrong] }] }, { embeddingModel: 'm' }, 'INVALID_INPUT');
  });

  it('refuses two models unless it is said which one queries have', async () => {
    const two = [
      { id: 'a', embedding: [1, 2], embeddingModel: 'old' },
      { id: 'b', embedding: [1, 2], embeddingModel: 'new' },
    ];
    await refused({ nodes: two }, {}, 'INVALID_INPUT', '"old"', '"new"', 'embeddingModel');
    const { manifest } = await built({ nodes: two }, { embeddingModel: 'new' });
    expect(manifest.embedding).toMatchObject({ model: 'new', models: ['new', 'old'] });
  });

  it('refuses a vector without any model', async () => {
    await refused({ nodes: [{ id: 'a', embedding: [1, 2] }] }, {}, 'INVALID_INPUT', '"a"');
  });

  it('knows its model and dimension without a single vector when they are declared', async () => {
    const { manifest } = await built({ nodes }, { dimension: 3, embeddingModel: 'm' });
    expect(manifest.embedding).toMatchObject({ dimension: 3, model: 'm' });
    expect(manifest.counts.vectors).toBe(0);
  });
});

describe('declared fields', () => {
  it.each([
    ['int', 1.5],
    ['int', 'one'],
    ['float', 'x'],
    ['bool', 'maybe'],
    ['bool', 1],
    ['int', true],
  ] as const)('refuses a value that is no %s: %j', async (type, value) => {
    const source = { nodes: [{ id: 'a', meta: { f: value } }] };
    await refused(source, { fields: [{ name: 'f', type }] }, 'INVALID_INPUT', '"a"', 'f', type);
  });

  it('refuses an unknown type, a name declared twice and a name that is none', async () => {
    const field = { name: 'f', type: 'int' } as const;
    await refused({ nodes }, { fields: [{ name: 'f', type: 'date' as never }] }, 'INVALID_INPUT', 'date');
    await refused({ nodes }, { fields: [field, field] }, 'INVALID_INPUT', '"f"');
    await refused({ nodes }, { fields: [{ name: '1=2', type: 'int' }] }, 'INVALID_INPUT', '1=2');
  });
});

it('refuses an unknown analyzer, listing the known ones', async () => {
  await refused({ nodes }, { analyzer: 'klingon' }, 'INVALID_INPUT', 'english', 'plain');
});

it('builds an index of nothing, which answers with nothing', async () => {
  const engine = await opened({ nodes: [], edges: [] });
  const { candidates } = await engine.search({ text: 'anything', principal: 'open' });
  expect(candidates).toEqual([]);
});

it('reads asynchronous streams and tells how far it is', async () => {
  async function* many() {
    for (let i = 0; i < 5000; i++) yield { id: `n${i}`, text: 'word' };
  }
  const stages: string[] = [];
  const onProgress = ({ stage }: { stage: string }) => stages.push(stage);
  const { manifest } = await built({ nodes: many() }, { onProgress });
  expect(manifest.counts.nodes).toBe(5000);
  expect(stages).toContain('nodes');
  expect(stages.at(-1)).toBe('write');
});
