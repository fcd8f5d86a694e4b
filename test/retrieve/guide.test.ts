import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bm25, type Engine, graphCompletion, hybrid, type Retriever } from '../../dist/index.js';
import { opened, refusal } from '../index/small-index.js';

/** The code of docs/retrievers.md, as it stands there. */
const root = fileURLToPath(new URL('../../', import.meta.url));
mkdirSync(join(root, 'out'), { recursive: true });
const folder = mkdtempSync(join(root, 'out', 'guide-'));
const guide = readFileSync(join(root, 'docs', 'retrievers.md'), 'utf8');

async function block(name: string) {
  const code = new RegExp(`\`\`\`js ${name}\n(.*?)\`\`\``, 's').exec(guide)![1]!;
  const path = join(folder, `${name}.mjs`);
  const library = pathToFileURL(join(root, 'dist', 'index.js')).href;
  writeFileSync(path, code.replaceAll("from 'corank'", `from '${library}'`));
  return import(/* @vite-ignore */ pathToFileURL(path).href);
}

const access = { org: 'acme', source: 'wiki', acl: ['all'] };
const caller = { principal: { org: 'acme', grants: ['all'] }, sources: ['wiki'], text: 'night shift' };
let engine: Engine;
beforeAll(async () => {
  engine = await opened({
    nodes: [
      { id: 'a', text: 'night shift rules', ...access },
      { id: 'b', text: 'shift swaps', ...access },
      { id: 'c', text: 'holidays', ...access },
      { id: 'secret', text: 'night shift pay', ...access, acl: ['boss'] },
    ],
    edges: [{ from: 'a', to: 'c', kind: 'cites' }],
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ask = (retriever: Retriever, signal?: AbortSignal) =>
  engine.search(caller, { retriever, ...(signal === undefined ? {} : { signal }) });

const ids = async (retriever: Retriever) => (await ask(retriever)).candidates.map(({ id }) => id);

/** Cancels a search that would not end, and expects the reason at once. */
async function cancelled(retriever: Retriever) {
  const controller = new AbortController();
  const reason = new Error('enough');
  setTimeout(() => controller.abort(reason), 20);
  await expect(ask(retriever, controller.signal)).rejects.toBe(reason);
}

describe('a remote service', () => {
  let server: Server;
  let url: string;
  const seen: unknown[] = [];
  beforeAll(async () => {
    server = createServer((request, response) => {
      let body = '';
      request.on('data', (piece) => {
        body += piece;
      });
      request.on('end', () => {
        seen.push(JSON.parse(body));
        const way = request.url!.slice(1);
        if (way === 'hang') return;
        if (way === 'garbage') return void response.end('<html>');
        if (way === 'list') return void response.end('[]');
        if (/^\d+$/.test(way)) return void response.writeHead(Number(way)).end();
        const hits = ['b', 'secret', 'a', 'gone'].map((id, i) => ({ id, score: 9 - i }));
        response.end(JSON.stringify({ hits }));
      });
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  it('is asked for the text and the constant limit; hidden and unknown ids are left out alike', async () => {
    const { remote } = await block('remote');
    const { candidates, skipped } = await ask(remote(url));
    expect(seen.at(-1)).toEqual({ text: 'night shift', limit: 200 });
    expect(candidates.map(({ id, ranks }) => [id, ranks])).toEqual([
      ['b', { remote: 1 }],
      ['a', { remote: 2 }],
    ]);
    expect(skipped).toMatchObject([{ channel: 'remote', code: 'not_visible', count: 2 }]);
  });

  it('stands in a fusion and under graph completion', async () => {
    const { remote } = await block('remote');
    expect(await ids(hybrid([bm25(), remote(url)]))).toEqual(['a', 'b']);
    expect(await ids(graphCompletion({ seeder: remote(url) }))).toEqual(['b', 'a', 'c']);
  });

  it('that fails, or answers nonsense, fails the search by its name and with its cause', async () => {
    const { remote } = await block('remote');
    const error = await refusal(ask(remote(`${url}500`)), 'RETRIEVE_FAILED', 'remote', '500');
    expect((error.cause as Error).message).toBe('the service answered 500');
    await refusal(ask(remote(`${url}garbage`)), 'RETRIEVE_FAILED', 'remote', 'JSON');
    await refusal(ask(hybrid([bm25(), remote(`${url}503`)])), 'RETRIEVE_FAILED', 'remote', '503');
    await refusal(ask(remote('http://127.0.0.1:1/')), 'RETRIEVE_FAILED', 'remote', 'fetch failed');
    await refusal(ask(remote(`${url}429`)), 'OVERLOADED', 'come back later');
    expect(await ids(remote(`${url}list`))).toEqual([]);
  });

  it('that hangs does not keep a cancelled search', async () => {
    const { remote } = await block('remote');
    await cancelled(remote(`${url}hang`));
    await cancelled(graphCompletion({ seeder: remote(`${url}hang`) }));
  });
});

describe('a database', () => {
  const changed: Record<string, [owner: string, changed: string]> = {
    a: ['shift', '10'],
    b: ['night', '30'],
    c: ['day', '40'],
    secret: ['night', '50'],
  };
  /** Answers the query of the guide as PostgreSQL would, numbers as text. */
  const pool = {
    query: async (_sql: string, [owners, limit]: [string[], number]) => ({
      rows: Object.entries(changed)
        .filter(([, [owner]]) => owners.includes(owner))
        .map(([id, [, at]]) => ({ id, changed: at }))
        .sort((x, y) => Number(y.changed) - Number(x.changed))
        .slice(0, limit),
    }),
  };

  it('brings its rows, those that the caller may see', async () => {
    const { ownedBy } = await block('database');
    const { candidates, skipped } = await ask(ownedBy(pool));
    expect(candidates.map(({ id, score }) => [id, score])).toEqual([
      ['b', 30],
      ['a', 10],
    ]);
    expect(skipped).toMatchObject([{ code: 'not_visible', count: 1 }]);
    expect(await ids(hybrid([bm25(), ownedBy(pool)]))).toEqual(['a', 'b']);
  });

  it('that refuses fails the search; one that is slow does not keep it', async () => {
    const { ownedBy } = await block('database');
    const down = { query: () => Promise.reject(new Error('too many connections')) };
    await refusal(ask(ownedBy(down)), 'RETRIEVE_FAILED', 'owned_by', 'too many connections');
    await cancelled(ownedBy({ query: () => new Promise(() => {}) }));
    const odd = {
      query: async () => ({
        rows: [
          { id: 'a', changed: 'yesterday' },
          { id: 'b', changed: 1 },
        ],
      }),
    };
    const { candidates, skipped } = await ask(ownedBy(odd));
    expect(candidates.map(({ id }) => id)).toEqual(['b']);
    expect(skipped).toMatchObject([{ code: 'bad_scores', count: 1 }]);
  });
});

describe('a language model', () => {
  it('chooses among visible nodes; what it makes up or repeats is left out and counted', async () => {
    const { chosen } = await block('model');
    const prompts: string[] = [];
    const complete = async (prompt: string) => {
      prompts.push(prompt);
      return 'Best: [b], then [a], [b] again, [x9] and [secret].';
    };
    const { candidates, skipped } = await ask(chosen(complete));
    expect(candidates.map(({ id, score }) => [id, score])).toEqual([
      ['b', 1],
      ['a', 1 / 2],
    ]);
    expect(prompts).toHaveLength(1);
    expect(prompts[0]).toContain('[a] night shift rules');
    expect(prompts[0]).not.toContain('secret');
    expect(Object.fromEntries(skipped.map(({ code, count }) => [code, count]))).toEqual({
      not_visible: 2,
      duplicates: 1,
    });
  });

  it('that refuses to answer gives nothing; one that fails or dawdles is an error or let go', async () => {
    const { chosen } = await block('model');
    expect(await ids(chosen(async () => 'I cannot help with that.'))).toEqual([]);
    const away = async () => Promise.reject(new Error('model overloaded'));
    await refusal(ask(chosen(away)), 'RETRIEVE_FAILED', 'chosen', 'model overloaded');
    await cancelled(chosen(() => new Promise(() => {})));
    expect(await ids(hybrid([bm25(), chosen(async () => '[b]')]))).toEqual(['b', 'a']);
  });
});
