import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { uniform } from '../../bench/generate.js';
import { Hnsw } from '../../dist/index/hnsw.js';
import { buildIndex, dense, hnsw, type Node } from '../../dist/index.js';
import { verifyIndex } from '../../dist/memory/verify.js';
import { absent, copyOfDist } from './hnsw-package.js';
import { type Built, built, column, openedAt, refusal, tableOf, temporaryFolder } from './small-index.js';

const options = { embeddingModel: 'm', ann: true } as const;

/** Nodes with vectors of `dimension` numbers from -1 to 1. */
function randomNodes(count: number, dimension: number, seed = 1): Node[] {
  const next = uniform(seed);
  return Array.from({ length: count }, (_, i) => ({
    id: `n${i}`,
    embedding: Array.from({ length: dimension }, () => 2 * next() - 1),
  }));
}

const graphPath = ({ path, generation }: Built): string => join(path, generation, 'hnsw-0.bin');
const annOf = (index: Built) => index.manifest.embedding!.ann!;

describe.skipIf(absent)('an index built with ann', () => {
  it('has a graph beside the exact vectors, with size and checksums in the manifest', async () => {
    const index = await built({ nodes: randomNodes(300, 8) }, options);
    const bytes = readFileSync(graphPath(index));
    expect(annOf(index)).toEqual({
      m: 16,
      efConstruction: 200,
      graphs: [
        {
          file: 'hnsw-0.bin',
          rows: 300,
          recall: expect.any(Number),
          size: bytes.length,
          crc32: crc32(bytes),
          sha256: createHash('sha256').update(bytes).digest('hex'),
        },
      ],
    });
    expect(tableOf(index, 'embeddings').numRows).toBe(300);
    expect(await verifyIndex(index.path)).toEqual([]);
  });

  it('is the same, byte for byte, for the same nodes in any order', async () => {
    const nodes = randomNodes(500, 6);
    const files = [];
    for (const given of [nodes, nodes, nodes.toReversed()])
      files.push(readFileSync(graphPath(await built({ nodes: given }, options))));
    expect(files[1]!.equals(files[0]!)).toBe(true);
    expect(files[2]!.equals(files[0]!)).toBe(true);
  });

  it('holds rows of the declared model that have a direction, numbered by id', async () => {
    const index = await built(
      {
        nodes: [
          { id: 'd', embedding: [0, 1] },
          { id: 'c', embedding: [0, 0] },
          { id: 'b', embedding: [3, 4], embeddingModel: 'other' },
          { id: 'e' },
          { id: 'a', embedding: [1, 0] },
        ],
      },
      options,
    );
    expect(column(tableOf(index, 'embeddings'), 'row')).toEqual([0, 1, 2, 3]);
    expect(column(tableOf(index, 'ann'), 'vector')).toEqual([[0, 3]]);
    expect(await verifyIndex(index.path)).toEqual([]);
  });

  it('has a graph for each organisation and source', async () => {
    const node = (id: string, org: string, source: string, acl: string): Node => ({
      id,
      org,
      source,
      acl: [acl],
      embedding: [1, id.charCodeAt(0)],
    });
    const nodes = [
      node('a', 'y', 's', 't'),
      node('b', 'x', 's', 't'),
      node('c', 'x', 's', 'u'),
      node('d', 'x', 'r', 't'),
    ];
    const index = await built({ nodes }, options);
    expect(column(tableOf(index, 'ann'), 'vector')).toEqual([[0], [1, 2], [3]]);
    expect(annOf(index).graphs.map(({ file, rows }) => [file, rows])).toEqual([
      ['hnsw-0.bin', 1],
      ['hnsw-1.bin', 2],
      ['hnsw-2.bin', 1],
    ]);
    expect(await verifyIndex(index.path)).toEqual([]);
  });

  it('may have declared vectors and none', async () => {
    const index = await built({ nodes: [{ id: 'a' }] }, { ...options, dimension: 3 });
    expect(annOf(index).graphs).toEqual([]);
    expect(await verifyIndex(index.path)).toEqual([]);
  });

  it('takes vectors from the least to the greatest that float32 holds', async () => {
    const nodes = [3e38, 1e-45, -3e38, 1].map((x, i) => ({
      id: `n${i}`,
      embedding: [x, i % 2 === 0 ? x : 0],
    }));
    const index = await built({ nodes }, options);
    expect(await verifyIndex(index.path)).toEqual([]);
    const engine = await openedAt(index.path);
    for (const x of [3e38, 1e-45]) {
      const query = { text: 'q', principal: 'open', embedding: [x, x] };
      const { candidates } = await engine.search(query, { retriever: hnsw() });
      const exact = await engine.search(query, { retriever: dense() });
      expect(candidates.map(({ id, score }) => [id, score])).toEqual(
        exact.candidates.map(({ id, score }) => [id, score]),
      );
    }
  });

  it('knows its recall: that of the ten nearest others, for a hundred of its rows', async () => {
    const nodes = randomNodes(2000, 16);
    const index = await built({ nodes }, { ...options, ann: { m: 2, efConstruction: 2 } });
    const engine = await openedAt(index.path);
    const ids = nodes.map(({ id }) => id).sort();
    let found = 0;
    for (let q = 0; q < 100; q++) {
      const id = ids[q * 20]!;
      const { embedding } = nodes[Number(id.slice(1))]!;
      const query = { text: 'q', principal: 'open', embedding, k: 11 };
      const ask = async (retriever: ReturnType<typeof dense>) =>
        (await engine.search(query, { retriever })).candidates
          .map((candidate) => candidate.id)
          .filter((one) => one !== id)
          .slice(0, 10);
      const exact = new Set(await ask(dense()));
      found += (await ask(hnsw())).filter((one) => exact.has(one)).length;
    }
    expect(found).toBeLessThan(1000);
    expect(annOf(index).graphs[0]!.recall).toBeCloseTo(found / 1000, 12);
  });

  it('says how many vectors are in, and stops when it is told to', async () => {
    const done: number[] = [];
    const nodes = randomNodes(1000, 4);
    await built(
      { nodes },
      { ...options, onProgress: ({ stage, done: n }) => stage === 'ann' && done.push(n) },
    );
    expect(done.slice(0, 4)).toEqual([0, 256, 512, 768]);
    const controller = new AbortController();
    const reason = new Error('enough');
    const out = join(temporaryFolder(), 'index');
    const building = buildIndex(
      { nodes },
      {
        ...options,
        out,
        signal: controller.signal,
        onProgress: ({ stage, done: n }) => stage === 'ann' && n === 512 && controller.abort(reason),
      },
    );
    await expect(building).rejects.toBe(reason);
    expect(existsSync(out)).toBe(false);
  });
});

describe.skipIf(absent)('ann is refused', () => {
  const nodes: Node[] = [{ id: 'a', embedding: [1, 2] }];

  it.each([
    ['yes', 'ann must be'],
    [null, 'ann must be'],
    [{ m: 1 }, 'ann.m must be'],
    [{ m: 129 }, 'ann.m must be'],
    [{ m: 2.5 }, 'ann.m must be'],
    [{ m: '16' }, 'ann.m must be'],
    [{ efConstruction: 0 }, 'ann.efConstruction must be'],
    [{ efConstruction: Number.NaN }, 'ann.efConstruction must be'],
    [{ ef: 10 }, 'ann has no option "ef"'],
  ])('as %j', async (ann, says) => {
    await refusal(built({ nodes }, { embeddingModel: 'm', ann: ann as never }), 'INVALID_INPUT', says);
  });

  it('with int8-only vectors, and taken with int8', async () => {
    await refusal(built({ nodes }, { ...options, vectors: 'int8-only' }), 'INVALID_INPUT', 'int8-only');
    const index = await built({ nodes }, { ...options, vectors: 'int8' });
    expect(await verifyIndex(index.path)).toEqual([]);
  });

  it('without vectors', async () => {
    await refusal(built({ nodes: [{ id: 'a' }] }, { ann: true }), 'INVALID_INPUT', 'ann needs vectors');
  });
});

describe.skipIf(absent)('the native code', () => {
  const graph = () => Hnsw.empty({ dimension: 2, rows: 2, m: 2, efConstruction: 2 });

  it.each([
    ['NaN', [Number.NaN, 1]],
    ['infinity', [1, Number.POSITIVE_INFINITY]],
    ['text', ['a', 1]],
    ['nothing', [undefined, 1]],
    ['no direction', [0, 0]],
    ['too few numbers', [1]],
    ['too many numbers', [1, 2, 3]],
  ])('is given no vector of %s', (_, vector) => {
    expect(() => graph().add(vector as number[])).toThrow(RangeError);
    const full = graph();
    full.add([1, 0]);
    expect(() => full.search(vector as number[], 1, 1)).toThrow(RangeError);
  });

  it.each([
    [0, 1],
    [-1, 1],
    [1.5, 1],
    [1, 0],
    [1, 10_001],
    [Number.NaN, 1],
    [1, Number.NaN],
  ])('is asked for no %s vectors with ef %s', (limit, ef) => {
    const one = graph();
    one.add([1, 0]);
    expect(() => one.search([1, 0], limit, ef)).toThrow(RangeError);
  });

  it.each([
    { dimension: 0, rows: 1, m: 2, efConstruction: 1 },
    { dimension: 1, rows: 0, m: 2, efConstruction: 1 },
    { dimension: 1, rows: 2 ** 32, m: 2, efConstruction: 1 },
    { dimension: 1, rows: 1, m: 1, efConstruction: 1 },
    { dimension: 1, rows: 1, m: 2, efConstruction: Number.POSITIVE_INFINITY },
  ])('makes no graph of %j', (shape) => {
    expect(() => Hnsw.empty(shape)).toThrow(RangeError);
  });

  it('is never given more vectors than it has room for', () => {
    const full = graph();
    full.add([1, 0]);
    full.add([0, 1]);
    expect(() => full.add([1, 1])).toThrow(/room for 2/);
    expect(full.search([1, 0.1], 50, 1)).toEqual([0, 1]);
  });

  it('returns at most as many as there are', () => {
    const one = Hnsw.empty({ dimension: 2, rows: 5, m: 2, efConstruction: 2 });
    expect(one.search([1, 0], 3, 3)).toEqual([]);
    one.add([2, 0]);
    expect(one.search([1, 0], 3, 3)).toEqual([0]);
  });
});

describe('without the package', () => {
  const BROKEN = `throw new Error('Could not locate the bindings file. Tried:\\n a\\n b')`;

  it.each([
    ['absent', undefined, /hnswlib-node.*not installed or was not compiled.*Cannot find module/],
    ['not compiled', BROKEN, /not compiled.*Could not locate the bindings file/],
    ['another of that name', 'module.exports = {}', /another package/],
  ])('(%s) ann says why it cannot run, before a node is read', async (_, module, says) => {
    const { buildIndex: build } = await copyOfDist(module).library();
    const out = join(temporaryFolder(), 'index');
    let read = 0;
    const nodes = (function* () {
      read++;
      yield { id: 'a', embedding: [1] };
    })();
    const error = await build({ nodes }, { ...options, out }).catch((thrown) => thrown);
    expect(error).toMatchObject({ name: 'CorankError', code: 'NOT_CONFIGURED' });
    expect(error.message).toMatch(says);
    expect(error.message).not.toContain('\n');
    expect({ read, out: existsSync(out) }).toEqual({ read: 0, out: false });
    await build({ nodes }, { embeddingModel: 'm', out });
    expect(existsSync(out)).toBe(true);
  });

  it('the command line does too, exit 1', async () => {
    const { main } = copyOfDist();
    const out = join(temporaryFolder(), 'index');
    const args = [main, 'index', '/nowhere/x.jsonl', '--ann', '--out', out];
    const error = await promisify(execFile)(process.execPath, args).catch((thrown) => thrown);
    expect(error).toMatchObject({ code: 1, stdout: '' });
    expect(error.stderr).toMatch(/hnswlib-node.*not installed/);
    expect(existsSync(out)).toBe(false);
  });

  it.skipIf(absent)('an index with graphs opens and answers all but hnsw', async () => {
    const { path } = await built({ nodes: randomNodes(20, 2) }, options);
    const library = await copyOfDist().library();
    await using engine = await library.Engine.open(path, { threads: 0 });
    const query = { text: 'q', principal: 'open', embedding: [1, 1] };
    expect((await engine.search(query, { retriever: library.dense() })).candidates).toHaveLength(8);
    const alone = await engine.search(query, { retriever: library.hnsw() }).catch((thrown) => thrown);
    expect(alone).toMatchObject({ name: 'CorankError', code: 'NOT_CONFIGURED' });
    const both = library.hybrid([library.bm25(), library.hnsw()]);
    const { skipped } = await engine.search(query, { retriever: both });
    expect(skipped).toMatchObject([{ channel: 'hnsw', code: 'not_configured' }]);
  });
});

describe.skipIf(absent)('a graph that is not as it was written', () => {
  const asking = (path: string) =>
    openedAt(path).then((engine) =>
      engine.search({ text: 'q', principal: 'open', embedding: [1, 1, 1] }, { retriever: hnsw() }),
    );
  const fresh = () => built({ nodes: randomNodes(200, 3) }, options);

  const DAMAGE: [what: string, damage: (bytes: Buffer) => Buffer | undefined, says: RegExp][] = [
    ['is missing', () => undefined, /cannot read.*hnsw-0\.bin/],
    ['is empty', () => Buffer.alloc(0), /too short/],
    ['is cut', (bytes) => bytes.subarray(0, -3), /too short/],
    ['is longer', (bytes) => Buffer.concat([bytes, Buffer.of(0)]), /too long/],
    ['has a changed number', changed((bytes) => bytes.writeFloatLE(0.25, VECTOR)), /SHA-256/],
    [
      'has a link that leads nowhere',
      changed((bytes) => bytes.writeUInt32LE(200, HEAD + 4)),
      /leads to element 200/,
    ],
    ['has too many links', changed((bytes) => bytes.writeUInt32LE(33, HEAD)), /33 links/],
    ['has a deleted element', changed((bytes) => bytes.writeUInt8(1, HEAD + 2)), /links where at most/],
    ['has a number that is none', changed((bytes) => bytes.writeFloatLE(Number.NaN, VECTOR)), /not finite/],
    ['has another label', changed((bytes) => bytes.writeUInt32LE(7, LABEL)), /another label/],
    [
      'is of another dimension',
      changed((bytes) => bytes.writeBigUInt64LE(148n, 24)),
      /no graph of 200 vectors/,
    ],
    ['counts other rows', changed((bytes) => bytes.writeBigUInt64LE(201n, 16)), /no graph of 200 vectors/],
    ['starts nowhere', changed((bytes) => bytes.writeUInt32LE(200, 52)), /garbled/],
    ['starts too high', changed((bytes) => bytes.writeInt32LE(60, 48)), /a level that is not there/],
    ['has garbled levels', changed((bytes) => bytes.writeUInt32LE(3, LISTS)), /garbled levels/],
  ];
  const HEAD = 96;
  const VECTOR = HEAD + 4 + 32 * 4;
  const LABEL = VECTOR + 3 * 4;
  const LISTS = HEAD + 200 * (LABEL + 8 - HEAD);

  function changed(change: (bytes: Buffer) => unknown): (bytes: Buffer) => Buffer {
    return (bytes) => {
      const copy = Buffer.from(bytes);
      change(copy);
      return copy;
    };
  }

  it.each(DAMAGE)(
    'because it %s is refused before it is opened, and verify names it',
    async (_, damage, says) => {
      const index = await fresh();
      const bytes = damage(readFileSync(graphPath(index)));
      if (bytes === undefined) rmSync(graphPath(index));
      else writeFileSync(graphPath(index), bytes);
      await refusal(asking(index.path), 'CORRUPT_INDEX', 'hnsw-0.bin', says);
      expect(await verifyIndex(index.path)).toEqual([
        { table: 'ann', problem: expect.stringMatching(/hnsw-0\.bin/) },
      ]);
    },
  );

  it.each(DAMAGE.slice(5))('is refused with a checksum that matches too: it %s', async (_, damage, says) => {
    const index = await fresh();
    const bytes = damage(readFileSync(graphPath(index)))!;
    writeFileSync(graphPath(index), bytes);
    const manifest = join(index.path, index.generation, 'manifest.json');
    const parsed = JSON.parse(readFileSync(manifest, 'utf8'));
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    Object.assign(parsed.embedding.ann.graphs[0], { size: bytes.length, crc32: crc32(bytes), sha256 });
    writeFileSync(manifest, JSON.stringify(parsed));
    await refusal(asking(index.path), 'CORRUPT_INDEX', 'hnsw-0.bin', says);
  });

  it('because it is a folder is refused', async () => {
    const index = await fresh();
    rmSync(graphPath(index));
    mkdirSync(graphPath(index));
    await refusal(asking(index.path), 'CORRUPT_INDEX', 'no file');
  });

  it('leaves the other retrievers alone', async () => {
    const index = await fresh();
    rmSync(graphPath(index));
    const engine = await openedAt(index.path);
    const query = { text: 'q', principal: 'open', embedding: [1, 1, 1] };
    expect((await engine.search(query, { retriever: dense() })).candidates).toHaveLength(8);
  });
});

describe.skipIf(absent)('a table of graphs that contradicts the vectors', () => {
  it('is refused, and verify says so', async () => {
    const zeroAt = (at: number) =>
      built(
        { nodes: ['a', 'b', 'c', 'd'].map((id, i) => ({ id, embedding: i === at ? [0, 0] : [1, i] })) },
        options,
      );
    const [index, other] = [await zeroAt(0), await zeroAt(3)];
    expect(column(tableOf(index, 'ann'), 'vector')).toEqual([[1, 2, 3]]);
    expect(column(tableOf(other, 'ann'), 'vector')).toEqual([[0, 1, 2]]);
    copyFileSync(
      join(other.path, other.generation, 'ann.arrow'),
      join(index.path, index.generation, 'ann.arrow'),
    );
    const manifest = join(index.path, index.generation, 'manifest.json');
    const parsed = JSON.parse(readFileSync(manifest, 'utf8'));
    parsed.tables.ann = other.manifest.tables.ann;
    writeFileSync(manifest, JSON.stringify(parsed));
    await refusal(openedAt(index.path), 'CORRUPT_INDEX', 'table ann', 'out of order or place');
    expect(await verifyIndex(index.path)).toMatchObject([{ problem: expect.stringMatching(/table ann/) }]);
  });
});

describe.skipIf(absent)('a manifest that contradicts its graphs', () => {
  it.each([
    ['names a file elsewhere', { graphs: [{ file: '../hnsw-0.bin' }] }],
    ['has no rows', { graphs: [{ rows: 0 }] }],
    ['has a recall of 2', { graphs: [{ recall: 2 }] }],
    ['lists none', { graphs: [] }],
    ['lists no list', { graphs: 1 }],
    ['has an m of 1', { m: 1 }],
    ['is null', null],
  ])('(%s) is refused', async (_, change) => {
    const index = await built({ nodes: randomNodes(20, 2) }, options);
    const manifest = join(index.path, index.generation, 'manifest.json');
    const parsed = JSON.parse(readFileSync(manifest, 'utf8'));
    const { ann } = parsed.embedding;
    const graphs = (change as { graphs?: unknown })?.graphs;
    const entries =
      Array.isArray(graphs) && graphs.length > 0
        ? [{ ...ann.graphs[0], ...graphs[0] }]
        : (graphs ?? ann.graphs);
    parsed.embedding.ann = change === null ? null : { ...ann, ...change, graphs: entries };
    writeFileSync(manifest, JSON.stringify(parsed));
    await refusal(openedAt(index.path), 'CORRUPT_INDEX');
  });

  it('(keeps no numbers that could be scored) is refused', async () => {
    const index = await built({ nodes: randomNodes(20, 2) }, { ...options, vectors: 'int8' });
    const manifest = join(index.path, index.generation, 'manifest.json');
    const parsed = JSON.parse(readFileSync(manifest, 'utf8'));
    parsed.embedding.vectors = 'int8-only';
    writeFileSync(manifest, JSON.stringify(parsed));
    await refusal(openedAt(index.path), 'CORRUPT_INDEX', 'graphs of neighbours are garbled');
  });
});
