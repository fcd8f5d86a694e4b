import { getEventListeners } from 'node:events';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import {
  bm25,
  type CorankError,
  dense,
  type HttpEmbedderOptions,
  httpEmbedder,
  hybrid,
} from '../../../dist/index.js';
import { HttpEmbedder } from '../../../dist/retrieve/embed/http-embedder.js';
import { opened, refusal } from '../../index/small-index.js';
import { type Behaviour, complaining, good, json, rowsOf, serving } from './local-service.js';

const KEY = 'sk-Test_/4711+secret==';

/** An embedder of a service that behaves so; back-off from 1 ms. */
async function asking(behave: Behaviour, options: Partial<HttpEmbedderOptions> = {}, backOff = 1) {
  const service = await serving(behave);
  const embedder = new HttpEmbedder({ url: service.url, model: 'm', ...options }, backOff);
  const embed = (texts: string[], signal?: AbortSignal) => embedder.embed(texts, 'document', { signal });
  return { ...service, embedder, embed };
}

const plain = (vectors: ArrayLike<number>[]) => vectors.map((vector) => Array.from(vector));

describe('a request', () => {
  it('is a POST of model, texts and format, with the key in its header', async () => {
    const { embedder, asked } = await asking(good, { key: KEY });
    expect(plain(await embedder.embed(['a', 'bcd'], 'query', {}))).toEqual([
      [1, 1],
      [3, 1],
    ]);
    expect(asked[0]).toMatchObject({
      path: '/v1/embeddings',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    });
    expect(asked[0]!.body).toEqual({ model: 'm', input: ['a', 'bcd'], encoding_format: 'float' });
    expect(embedder.dimension).toBe(2);
  });

  it('has no authorization without a key', async () => {
    const { embed, asked } = await asking(good);
    await embed(['a']);
    expect(asked[0]!.headers).not.toHaveProperty('authorization');
  });

  it('tells queries from documents when the service wants it', async () => {
    const { embedder, asked } = await asking(good, { inputType: true });
    await embedder.embed(['a'], 'query', {});
    await embedder.embed(['a'], 'document', {});
    expect(asked.map(({ body }) => body.input_type)).toEqual(['query', 'document']);
  });

  it.each([
    ['', '/v1/embeddings'],
    ['/', '/v1/embeddings'],
    ['/v1', '/v1/embeddings'],
    ['/v1/', '/v1/embeddings'],
    ['/api', '/api/v1/embeddings'],
    ['/deep/embeddings', '/deep/embeddings'],
    ['/v1/embeddings?version=3#x', '/v1/embeddings?version=3'],
  ])('to the URL %j goes to %j', async (below, path) => {
    const { url, asked } = await serving(good);
    await httpEmbedder({ url: url + below, model: 'm' }).embed(['a'], 'query', {});
    expect(asked[0]!.path).toBe(path);
  });

  it('holds at most a batch of texts, one batch after the other; none for no texts', async () => {
    const { embed, asked } = await asking(good, { batch: 3 });
    const texts = Array.from({ length: 8 }, (_, i) => 'x'.repeat(i));
    expect(plain(await embed(texts)).map(([length]) => length)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(asked.map(({ body }) => body.input.length)).toEqual([3, 3, 2]);
    expect(await embed([])).toEqual([]);
    expect(asked).toHaveLength(3);
  });
});

/** An answer of the rows that come out. */
const rows =
  (change: (rows: { index: number; embedding: unknown }[]) => unknown): Behaviour =>
  (response, { body }) =>
    json(response, { data: change(rowsOf(body.input)) });
/** An answer whose second vector is this text, as JSON. */
const second =
  (vector: string): Behaviour =>
  (response) =>
    response.end(`{"data":[{"index":0,"embedding":[1,1]},{"index":1,"embedding":${vector}}]}`);

it('puts vectors in the order of their indexes', async () => {
  const { embed } = await asking(rows((all) => all.reverse()));
  expect(plain(await embed(['', 'a', 'bc']))).toEqual([
    [0, 1],
    [1, 1],
    [2, 1],
  ]);
});

describe('an answer', () => {
  it.each<[what: string, behave: Behaviour, message: RegExp]>([
    ['without an index', rows(([a]) => [a, { embedding: [1, 1] }]), /index is not one of 0 to 1/],
    ['with an index too high', rows(([a, b]) => [a, { ...b, index: 2 }]), /index is not one of 0 to 1/],
    ['with an index twice', rows(([a, b]) => [a, { ...b, index: 0 }]), /two vectors of index 0/],
    ['with fewer vectors', rows((all) => all.slice(1)), /1 vectors for 2 texts/],
    ['with more vectors', rows((all) => [...all, ...all]), /4 vectors for 2 texts/],
    ['with null for a row', rows(([a]) => [a, null]), /index is not one of/],
    ['of two lengths', second('[1,2,3]'), /vectors of 2 and of 3 numbers/],
    ['with an empty vector', second('[]'), /no list of numbers at index 1/],
    ['with a vector in base64', second('"AACAPw=="'), /no list of numbers at index 1/],
    ['with NaN', second('[NaN,1]'), /not JSON/],
    ['with null', second('[1,null]'), /holds null at position 1/],
    ['with a string', second('["1",1]'), /holds a value of type string at position 0/],
    ['with an infinite number', second('[1e999,1]'), /not finite as float32 at position 0/],
    ['with what float32 cannot hold', second('[1,1e39]'), /not finite as float32 at position 1/],
    ['without data', (response) => json(response, { object: 'list' }), /no list `data`/],
    ['of null', (response) => response.end('null'), /no list `data`/],
    ['of nothing', (response) => response.end(), /not JSON/],
    ['that ends early', (response) => response.end('{"data":[{"index":0,'), /not JSON/],
    ['in HTML', (response) => response.end('<html>hello</html>'), /not JSON \(18 characters\)/],
  ])('%s is refused', async (_, behave, message) => {
    const { embed, asked, url } = await asking(behave);
    await refusal(embed(['a', 'b']), 'EMBEDDINGS_UNAVAILABLE', message);
    await expect(embed(['a', 'b'])).rejects.toThrow(`service at ${url}/v1/embeddings answered`);
    expect(asked).toHaveLength(2);
  });

  it('with longer vectors than the one before is refused', async () => {
    const { embed } = await asking(
      (response, _, turn) => json(response, { data: [{ index: 0, embedding: turn === 0 ? [1] : [1, 2] }] }),
      { batch: 1 },
    );
    await refusal(embed(['a', 'b']), 'EMBEDDINGS_UNAVAILABLE', /of 2 numbers, before with 1/);
  });

  it('of more than 64 MiB is not read to its end', async () => {
    let sent = 0;
    const piece = Buffer.alloc(1 << 20, ' ');
    const { embed } = await asking((response) => {
      const more = () => {
        while (sent < 1000 && !response.destroyed) {
          sent++;
          if (!response.write(piece)) break;
        }
      };
      response.on('drain', more);
      more();
    });
    await refusal(embed(['a']), 'EMBEDDINGS_UNAVAILABLE', /more than 64 MiB/);
    expect(sent).toBeLessThan(200);
  });
});

describe('a service in trouble', () => {
  it('is asked again after 429, when Retry-After says', async () => {
    const { embed, asked } = await asking(complaining(1, 429, { 'retry-after': '1' }));
    const start = performance.now();
    expect(plain(await embed(['ab']))).toEqual([[2, 1]]);
    expect(performance.now() - start).toBeGreaterThan(990);
    expect(asked).toHaveLength(2);
  });

  it('is asked five times, no more', async () => {
    const { embed, asked } = await asking(complaining(99, 429, {}, '{"error":{"message":"slow down"}}'));
    await refusal(embed(['a']), 'EMBEDDINGS_UNAVAILABLE', /answered 429: "slow down", 5 times in a row/);
    expect(asked).toHaveLength(5);
  });

  it('waits twice as long each time', async () => {
    const { embed } = await asking(complaining(4, 503), {}, 20);
    const start = performance.now();
    await embed(['a']);
    expect(performance.now() - start).toBeGreaterThan(20 + 40 + 80 + 160 - 10);
  });

  it.each([500, 502, 503])('is asked again after %i', async (status) => {
    const { embed, asked } = await asking(complaining(2, status));
    expect(plain(await embed(['a']))).toEqual([[1, 1]]);
    expect(asked).toHaveLength(3);
  });

  it('is asked again when it closes the connection, in the middle of an answer too', async () => {
    const { embed, asked } = await asking((response, one, turn) => {
      if (turn === 0) response.destroy();
      else if (turn === 1) {
        response.writeHead(200, { 'content-length': 1000 });
        response.write('{"data":[', () => response.destroy());
      } else good(response, one, turn);
    });
    expect(plain(await embed(['a']))).toEqual([[1, 1]]);
    expect(asked).toHaveLength(3);
  });

  it('that always closes the connection is told by its code', async () => {
    const { embed, asked } = await asking((response) => response.destroy());
    await refusal(embed(['a']), 'EMBEDDINGS_UNAVAILABLE', /the connection failed \(\w+\), 5 times/);
    expect(asked).toHaveLength(5);
  });

  it('that never answers is given up', async () => {
    const { embed, asked } = await asking(() => {}, { timeout: 40 });
    await refusal(embed(['a']), 'EMBEDDINGS_UNAVAILABLE', /no whole answer within 40 ms, 5 times/);
    expect(asked).toHaveLength(5);
  });

  it('that is not there is told at once', async () => {
    const nowhere = new HttpEmbedder({ url: 'http://127.0.0.1:1', model: 'm' }, 60_000);
    await refusal(nowhere.embed(['a'], 'query', {}), 'EMBEDDINGS_UNAVAILABLE', /connection failed/);
  });
});

describe('a refusal', () => {
  it.each<[status: number, key: string | undefined, message: RegExp]>([
    [401, undefined, /answered 401: it wants a key and none is set/],
    [401, KEY, /answered 401: it does not take the key/],
    [403, KEY, /answered 403: it does not take the key/],
  ])('with %i (key %s) is a matter of configuration', async (status, key, message) => {
    const { embed, asked } = await asking(complaining(9, status), { key });
    await refusal(embed(['a']), 'NOT_CONFIGURED', message);
    expect(asked).toHaveLength(1);
  });

  it.each([400, 404, 413, 422])('with %i is final', async (status) => {
    const { embed, asked } = await asking(complaining(9, status, {}, '<h1>no such thing</h1>'));
    await refusal(embed(['a']), 'EMBEDDINGS_UNAVAILABLE', `answered ${status}: "<h1>no such thing</h1>"`);
    expect(asked).toHaveLength(1);
  });

  it.each([301, 302, 307, 308])('to go on elsewhere (%i) is not followed', async (status) => {
    const elsewhere = await serving(good);
    const { embed, asked } = await asking(
      complaining(9, status, { location: `${elsewhere.url}/v1/embeddings` }),
      { key: KEY },
    );
    await refusal(embed(['a']), 'EMBEDDINGS_UNAVAILABLE', /redirect, which is not followed/);
    expect([asked.length, elsewhere.asked.length]).toEqual([1, 0]);
  });
});

describe('the key', () => {
  const ECHOES = [
    KEY,
    JSON.stringify({ error: { message: `Incorrect key: ${KEY}` } }),
    JSON.stringify({ error: { message: `Incorrect key: ${KEY}` } }).replaceAll('/', '\\/'),
    JSON.stringify({ error: `Bearer ${KEY}` }).replaceAll('+', '\\u002b'),
    JSON.stringify({ headers: { authorization: `Bearer ${KEY}` } }),
    `<p>${KEY.replaceAll('/', '&#x2F;').replaceAll('=', '&#61;').replaceAll('+', '&plus;')}</p>`,
    `?key=${encodeURIComponent(KEY)}`,
    `${'-'.repeat(50)}${KEY}`,
  ];

  it.each(ECHOES)('is not told when the service answers 400 %s', async (echo) => {
    const { embed } = await asking(complaining(99, 400, {}, echo), { key: KEY });
    const error = await embed(['a']).catch((thrown: CorankError) => thrown);
    expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/4711|secret/i);
  });

  it.each(ECHOES)('is not told when it answers with %s as if all were well, or breaks HTTP', async (echo) => {
    const { embed } = await asking(
      (response, _, turn) => {
        if (turn === 0) response.end(echo);
        else if (turn === 1) json(response, { data: [{ index: 0, embedding: [echo] }] });
        else response.socket!.end(`${echo}\r\n\r\n`);
      },
      { key: KEY },
    );
    for (let i = 0; i < 3; i++) {
      const error = await embed(['a']).catch((thrown: CorankError) => thrown);
      expect(error).toMatchObject({ code: 'EMBEDDINGS_UNAVAILABLE' });
      expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/4711|secret/i);
    }
  });

  it('is not in what the embedder shows of itself', async () => {
    const embedder = httpEmbedder({ url: 'http://127.0.0.1:1', model: 'm', key: KEY });
    const shown = [inspect(embedder, { depth: 9, showHidden: true }), JSON.stringify(embedder)];
    expect(shown.join()).not.toMatch(/4711/);
    expect(JSON.parse(shown[1]!)).toEqual({ model: 'm' });
  });

  it.each(['', ' 4711', '4711\n', 'ключ4711', 4711, null])('cannot be %j, and is not told', (key) => {
    const make = () => httpEmbedder({ url: 'http://127.0.0.1:1', model: 'm', key: key as string });
    expect(make).toThrow(/httpEmbedder.key must be a text of visible ASCII/);
    expect(make).not.toThrow(/4711/);
  });
});

describe('cancelling', () => {
  const reason = { why: 'enough' };

  it('before the request rejects with the reason and asks nothing', async () => {
    const { embed, asked } = await asking(good);
    await expect(embed(['a'], AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(asked).toEqual([]);
  });

  it.each<[when: string, behave: (abort: () => void) => Behaviour]>([
    ['before an answer', (abort) => () => abort()],
    [
      'in the middle of an answer',
      (abort) => (response) => {
        response.write('{"data":');
        setTimeout(abort, 20);
      },
    ],
    [
      'during the back-off',
      (abort) => (response) => {
        response.writeHead(429, { 'retry-after': '50' }).end();
        setTimeout(abort, 30);
      },
    ],
  ])('%s rejects with the reason at once', async (_, behave) => {
    const controller = new AbortController();
    const { embed, asked } = await asking(behave(() => controller.abort(reason)));
    await expect(embed(['a'], controller.signal)).rejects.toBe(reason);
    expect(asked).toHaveLength(1);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });

  it('leaves no listener on a signal that stays', async () => {
    const { signal } = new AbortController();
    const { embed } = await asking(complaining(2, 500), { batch: 1 });
    await embed(['a', 'b', 'c'], signal);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

it.each<[what: string, options: object, message: RegExp]>([
  ['no URL', { url: undefined }, /url must be an http or https URL, got undefined/],
  ['what is no URL', { url: 'localhost' }, /url must be an http or https URL, got another text/],
  ['a file', { url: 'file:///etc/passwd' }, /http or https URL/],
  ['a password in the URL', { url: 'http://me:pw@127.0.0.1' }, /must not hold a user or a password/],
  ['no model', { model: '' }, /model must be a name, got ""/],
  ['no batch', { batch: 0 }, /batch must be a whole number from 1 to 2048, got 0/],
  ['no time', { timeout: 0 }, /timeout must be a whole number from 1/],
  ['too much time', { timeout: 2 ** 31 }, /timeout must be a whole number from 1/],
  ['a type of input', { inputType: 'query' }, /inputType must be true or false/],
  ['an unknown option', { retries: 3 }, /no option "retries"/],
])('%s is refused', (_, options, message) => {
  expect(() => httpEmbedder({ url: 'http://127.0.0.1:1', model: 'm', ...options })).toThrow(
    expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringMatching(message) }),
  );
});

describe('a search', () => {
  const engine = opened(
    {
      nodes: [
        { id: 'x', text: 'word', embedding: [4, 1] },
        { id: 'y', text: 'word', embedding: [-4, 1] },
      ],
    },
    { embeddingModel: 'm' },
  );
  const search = async (behave: Behaviour) => {
    const { embedder } = await asking(behave);
    const retriever = hybrid([bm25(), dense({ embed: embedder.embed, model: embedder.model })]);
    return (await engine).search({ text: 'word', principal: 'open' }, { retriever });
  };

  it('ranks by the vectors of the service', async () => {
    const { candidates, skipped } = await search(good);
    expect(candidates.map(({ id, ranks }) => [id, ranks.dense])).toEqual([
      ['x', 1],
      ['y', 2],
    ]);
    expect(skipped).toEqual([]);
  });

  it.each<[status: number, code: string]>([
    [400, 'embedder_unavailable'],
    [503, 'embedder_unavailable'],
    [401, 'not_configured'],
  ])('goes on without a service that answers %i, and says why: %s', async (status, code) => {
    const { candidates, skipped } = await search(complaining(99, status));
    expect(candidates).toHaveLength(2);
    expect(skipped).toMatchObject([
      { channel: 'dense', code, message: expect.stringContaining(`${status}`) },
    ]);
  });
});
