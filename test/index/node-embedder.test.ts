import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  buildIndex,
  type CorankError,
  dense,
  type Embedder,
  Engine,
  lsa,
  type Node,
} from '../../dist/index.js';

const folder = mkdtempSync(join(tmpdir(), 'corank-embedder-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let count = 0;
const out = () => join(folder, `index-${count++}`);

/** The vector of a text: its length and its number of spaces. */
const vectorOf = (text: string) => [text.length, text.split(' ').length - 1, 1];

function recorder(embed: (texts: readonly string[]) => unknown = (texts) => texts.map(vectorOf)) {
  const asked: { texts: readonly string[]; kind: string }[] = [];
  const embedder = {
    model: 'count',
    embed: async (texts: readonly string[], kind: string) => {
      asked.push({ texts, kind });
      return embed(texts);
    },
  } as Embedder;
  return { asked, embedder };
}

const numbered = (many: number): Node[] =>
  Array.from({ length: many }, (_, i) => ({ id: `n${i}`, text: 'word '.repeat(i + 1).trim() }));

describe('an embedder in buildIndex', () => {
  it('is asked for documents, in input order, at most 64 at once, and its model is the declared one', async () => {
    const { asked, embedder } = recorder();
    const done: number[] = [];
    const dir = out();
    const { manifest } = await buildIndex(
      { nodes: numbered(150) },
      { out: dir, embed: embedder, onProgress: (p) => void (p.stage === 'embed' && done.push(p.done)) },
    );
    expect(asked.map(({ texts }) => texts.length)).toEqual([64, 64, 22]);
    expect(asked.every(({ kind }) => kind === 'document')).toBe(true);
    expect(asked.flatMap(({ texts }) => texts)).toEqual(numbered(150).map(({ text }) => text));
    expect(done).toEqual([64, 128]);
    expect(manifest.embedding).toMatchObject({ model: 'count', dimension: 3 });
    expect(manifest.counts.vectors).toBe(150);
  });

  it('gives each node the vector of its own text, so that a node finds itself', async () => {
    const { embedder } = recorder();
    const nodes = numbered(9).reverse();
    const dir = out();
    await buildIndex({ nodes }, { out: dir, embed: embedder });
    await using engine = await Engine.open(dir, { threads: 0 });
    for (const { id, text } of nodes) {
      const query = { text: '', embedding: vectorOf(text!), principal: 'open' as const };
      const { candidates } = await engine.search(
        { ...query, text: text! },
        { retriever: dense({ embed: embedder.embed }) },
      );
      expect(candidates[0]).toMatchObject({ id });
      expect(candidates[0]!.score).toBeCloseTo(1, 12);
    }
  });

  it('reads title, heading, name, signature and text, and leaves nodes without any of them out', async () => {
    const { asked, embedder } = recorder();
    const { manifest } = await buildIndex(
      {
        nodes: [
          {
            id: 'a',
            title: 'T',
            heading: 'H',
            name: 'n',
            qualifiedName: 'q.n',
            signature: 'n()',
            text: 'body',
          },
          { id: 'b', name: 'n', text: '  ' },
          { id: 'c', text: '' },
          { id: 'd', path: 'x/y' },
        ],
      },
      { out: out(), embed: embedder },
    );
    expect(asked.map(({ texts }) => texts)).toEqual([['T\nH\nq.n\nn()\nbody', 'n']]);
    expect(manifest.counts.vectors).toBe(2);
  });

  const build = (embed: unknown, more: object = {}, nodes: Node[] = numbered(3)) =>
    buildIndex({ nodes }, { out: out(), embed: embed as Embedder, ...more }).then(
      () => undefined,
      (error: CorankError) => ({ code: error.code, message: error.message }),
    );

  it.each([
    ['a list too short', () => [[1, 2]], /no list of 3 vectors/],
    ['no list', () => 'vectors', /no list of 3 vectors/],
    ['null for a vector', () => [[1], null, [1]], /null for a vector/],
    ['words in a vector', () => [[1], ['1'], [1]], /a vector of non-numbers/],
    [
      'a rejection',
      () => {
        throw new Error('out of order');
      },
      /"n0" to "n2" cannot be made: out of order/,
    ],
  ])('%s refuses the index with EMBEDDINGS_UNAVAILABLE', async (_, embed, message) => {
    const failed = await build(recorder(embed).embedder);
    expect(failed).toMatchObject({ code: 'EMBEDDINGS_UNAVAILABLE', message: expect.stringMatching(message) });
  });

  it('vectors that no index can hold are refused with the id of their node', async () => {
    expect(await build(recorder(() => [[1], [Number.NaN], [1]]).embedder)).toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringMatching(/"n1" holds NaN/),
    });
    expect(await build(recorder(() => [[1], [1, 2], [1]]).embedder)).toMatchObject({
      code: 'DIMENSION_MISMATCH',
      message: expect.stringMatching(/"n1" has 2 numbers, this index has 1/),
    });
  });

  it('contradictions are INVALID_INPUT before anything is embedded', async () => {
    const { asked, embedder } = recorder();
    for (const [embed, more] of [
      [embedder, { embeddingModel: 'other' }],
      [embedder, { dimension: 3 }],
      [{ model: '', embed: embedder.embed }, {}],
      [{ model: 'x' }, {}],
      [7, {}],
    ] as const)
      expect(await build(embed, more)).toMatchObject({ code: 'INVALID_INPUT' });
    const own = [{ id: 'own', text: 'a b', embedding: [1], embeddingModel: 'count' }];
    for (const embed of [embedder, lsa()])
      expect(await build(embed, {}, own)).toMatchObject({
        code: 'INVALID_INPUT',
        message: expect.stringMatching(/"own" has a vector of its own/),
      });
    expect(asked).toEqual([]);
  });

  it('a cancelled build rejects with the reason of its signal', async () => {
    const stop = new AbortController();
    const { embedder } = recorder(() => {
      stop.abort(new Error('enough'));
      throw new Error('cut off');
    });
    expect(await build(embedder, { signal: stop.signal })).toMatchObject({ message: 'enough' });
  });
});
