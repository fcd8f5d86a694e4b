/**
 * Every class of bad input at every way in. Each case ends in a result with a count or a reason, or in a typed
 * error that names the place; never in a crash, a hang or a silent drop. Expectations are those of INTERFACE and
 * DESIGN (sections 1, 3, 4, 7); where these are silent a comment says what a user would expect.
 */

import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { readRun } from '../../dist/evaluate/run.js';
import { bm25, dense, Engine, graphCompletion, hybrid, pagerank } from '../../dist/index.js';
import { verifyIndex } from '../../dist/memory/verify.js';
import { reachable, run } from './cli.js';
import {
  build,
  buildAndVerify,
  CALLER,
  circular,
  EDGES,
  file,
  jsonl,
  NODES,
  nested,
  newFolder,
  OPTIONS,
  open,
  opened,
  sound,
  trap,
} from './corpus.js';
import {
  checksummed,
  copyOf,
  failuresUnder,
  flipped,
  generationOf,
  manifestPath,
  tablePath,
  tablesOf,
  withFile,
  withManifest,
} from './damage.js';
import {
  asNobody,
  BAD_QUERIES,
  batch,
  builderKilled,
  builtAtOnce,
  codeOfOpening,
  codesOfOpening,
  commandsAtOnce,
  DISK,
  failingNodes,
  fifo,
  HOSTILE_HITS,
  halfWritten,
  intoReadOnly,
  manifestFlips,
  manifestValues,
  never,
  npy,
  openedAndClosed,
  openedWhileReplaced,
  own,
  readable,
  tableFlips,
} from './hostile.js';
import {
  answers,
  command,
  either,
  fails,
  finds,
  type Outcome,
  refused,
  rejectsWith,
  succeeds,
} from './outcomes.js';

type Case = [input: string, entry: string, act: () => unknown, ends: Outcome<never>, limit?: number];

/** Nothing may take longer; what reads 50 MB or starts a dozen processes says so itself. */
const LIMIT = 15_000;

let index = '';
let other = '';
let plain = '';
let engine: Engine;

beforeAll(async () => {
  index = (await sound()).path;
  other = (await build({ nodes: [...NODES, { ...NODES[0], id: 'e' }], edges: EDGES }, OPTIONS)).path;
  const open = [
    { id: 'a', text: 'red apple', meta: { year: 2000 } },
    { id: 'b', text: 'green apple' },
  ];
  plain = (
    await build({ nodes: open, edges: [{ from: 'a', to: 'b' }] }, { fields: [{ name: 'year', type: 'int' }] })
  ).path;
  engine = await Engine.open(index, { threads: 0 });
  return () => engine.close();
});

// ---------------------------------------------------------------------------------------------------------
// How a case reads: what is built, asked or run. `as never` lets in what TypeScript would stop.

const nodes =
  (...list: unknown[]) =>
  () =>
    buildAndVerify({ nodes: list });
const vectors = (...list: unknown[]) =>
  nodes(...list.map((embedding, i) => ({ id: `n${i}`, embedding, embeddingModel: 'm' })));
const matrix =
  (rows: unknown, columns: unknown, data: unknown, count = 1) =>
  () =>
    build(
      {
        nodes: Array.from({ length: count }, (_, i) => ({ id: `n${i}` })),
        embeddings: { rows, columns, data },
      },
      { embeddingModel: 'm' },
    );
const edges =
  (...list: unknown[]) =>
  () =>
    buildAndVerify({ nodes: [{ id: 'a' }, { id: 'b' }], edges: list });
const edge = (fields: object) => edges({ from: 'a', to: 'b', ...fields });
const access =
  (...rows: unknown[]) =>
  () =>
    buildAndVerify({ nodes: [{ id: 'a', text: 'apple' }], access: rows });
const search =
  (query: object, options: object = {}) =>
  () =>
    engine.search(
      { text: 'apple', ...CALLER, ...query } as never,
      { retriever: bm25(), ...options } as never,
    );
const vector = (embedding: unknown, more: object = {}) =>
  search({ embedding, ...more }, { retriever: dense() });
const retrieve = (retriever: unknown) => search({}, { retriever });
const walk = (request: object) => () => engine.walk({ ...CALLER, ...request } as never);
const rank =
  (queries: unknown, options: object = {}) =>
  async () => {
    const results = [];
    for await (const result of engine.rank(queries as never, options)) results.push(result);
    return results;
  };
const query = (fields: object) => ({ id: 'q', text: 'apple', ...CALLER, ...fields });
const opening = (damaged: () => string) => () => open(damaged());

/** Corpus lines -> `corank index`. */
const indexing =
  (content: string | Buffer, ...args: string[]) =>
  () => {
    const out = ['--out', join(newFolder(), 'index')];
    return run(['index', file('x.jsonl', content), ...out, '--json', '--quiet', ...args], { limit: 60_000 });
  };
const indexingWith =
  (option: string, name: string, content: string | Buffer, ...args: string[]) =>
  () =>
    indexing(jsonl({ _id: 'a' }, { _id: 'b' }), option, file(name, content), ...args)();
const searching =
  (...args: string[]) =>
  () =>
    run(['search', plain, 'apple', '--quiet', '--json', ...args]);
const ranking =
  (queries: string | Buffer, ...args: string[]) =>
  () =>
    batch(plain, queries, ...args);
const evaluating =
  (qrels: string, ranked: string | Buffer, ...args: string[]) =>
  () =>
    run(['eval', '--qrels', file('qrels.txt', qrels), file('x.run', ranked), '--json', ...args]);

const counts = (expected: object) => answers((value) => expect(value).toMatchObject(expected));
const soundly = (expected: object) => counts({ ...expected, problems: [] });
const ids = (...expected: string[]) =>
  answers(({ candidates }: { candidates: { id: string }[] }) =>
    expect(candidates.map(({ id }) => id)).toEqual(expected),
  );
const prints = (expected: object) =>
  succeeds(({ stdout }) => expect(JSON.parse(stdout)).toMatchObject(expected));
const printsIds = (...expected: string[]) =>
  succeeds(({ stdout }) =>
    expect(JSON.parse(stdout).candidates.map(({ id }: { id: string }) => id)).toEqual(expected),
  );
const nothingWrong = answers((failures: string[]) => expect(failures).toEqual([]));
const massOfOne = answers(({ forward, reverse }: { forward: Float64Array; reverse: Float64Array }) => {
  for (const scores of [forward, reverse]) {
    expect(scores.reduce((sum, score) => sum + score, 0)).toBeCloseTo(1, 9);
  }
});
const failing = (...codes: unknown[]) =>
  answers((results: { error?: { code: string } }[]) =>
    expect(results.map(({ error }) => error?.code)).toEqual(codes),
  );
const skips = (...skipped: object[]) =>
  answers((result: Answer) => expect(result).toMatchObject({ candidates: [], skipped }));
const each = (one: Outcome<never>) =>
  answers(async (all: never[]) => {
    for (const ran of all) await one(Promise.resolve(ran));
  });
const STRANGER = { principal: { org: 'nobody', grants: ['x'] } };
const AS_CALLER = ['--principal', JSON.stringify(CALLER.principal), '--sources', 'handbook'];
/** The bytes of a weight that one edge has. */
const TWO = Buffer.from(new Float64Array([2]).buffer);
const throwsNull = {
  id: 'x',
  ...CALLER,
  get text() {
    throw null;
  },
};
const BAD = 'INVALID_INPUT';
/** Whoever cannot be read as a caller may be told either. */
const NOBODY = ['NO_PRINCIPAL', 'INVALID_INPUT'] as const;
/** What a damaged index may be called; never a crash. */
const DAMAGED = ['CORRUPT_INDEX', 'UNSUPPORTED_VERSION', 'INVALID_INPUT'] as const;

// ---------------------------------------------------------------------------------------------------------

// biome-ignore format: one case a line
const LIBRARY: Case[] = [
  // Nodes. Without a file, the place is the id, or the number of the record.
  ['null as a node', 'buildIndex', nodes({ id: 'a' }, null), refused(BAD)],
  ['a string as a node', 'buildIndex', nodes('a'), refused(BAD)],
  ['no nodes at all', 'buildIndex', () => build({}), refused(BAD, /nodes/)],
  ['no source', 'buildIndex', () => build(undefined), refused(BAD)],
  ['duplicate id', 'buildIndex', nodes({ id: 'a' }, { id: 'b' }, { id: 'a' }), refused(BAD, /"a"/)],
  ['empty id', 'buildIndex', nodes({ id: '' }), refused(BAD, /id/)],
  ['no id', 'buildIndex', nodes({ text: 'x' }), refused(BAD, /id/)],
  ['a number as id', 'buildIndex', nodes({ id: 2 ** 53 }), refused(BAD, /9007199254740992/)],
  ['lone surrogate in an id', 'buildIndex', nodes({ id: 'a\ud800' }), refused(BAD, /\\ud800/)],
  ['lone surrogate in a text', 'buildIndex', nodes({ id: 'a', text: '\udc00' }), refused(BAD, /"a".*text/)],
  ['ids __proto__ and constructor', 'buildIndex', () => buildAndVerify({ nodes: [{ id: '__proto__' }, { id: 'constructor' }], edges: [{ from: '__proto__', to: 'constructor' }] }), soundly({ nodes: 2, edges: 1 })],
  ['unknown key', 'buildIndex', nodes({ id: 'a', txet: 'x' }), refused(BAD, /"txet"/, /text/)],
  ['a bigint as ordinal', 'buildIndex', nodes({ id: 'a', ordinal: 5n }), refused(BAD, /"a".*ordinal/)],
  ['a circular object as ordinal', 'buildIndex', nodes({ id: 'a', ordinal: circular() }), refused(BAD, /"a".*ordinal/)],
  // An object that throws is the caller's bug; a service still wants a code to branch on.
  ['a node that throws', 'buildIndex', nodes(trap()), refused(BAD, /trap/)],
  ['nested meta', 'buildIndex', nodes({ id: 'a', meta: { x: [1], y: {}, z: 1 } }), soundly({ nodes: 1, droppedMeta: 2 })],
  ['NaN in meta', 'buildIndex', nodes({ id: 'a', meta: { x: NaN } }), refused(BAD, /"a".*"x".*NaN/)],
  ['a field value of another type', 'buildIndex', () => build({ nodes: [{ id: 'a', meta: { year: 'x' } }] }, OPTIONS), refused(BAD, /year/, /"a"/)],
  ['an undeclarable field type', 'buildIndex', () => build({ nodes: [] }, { fields: [{ name: 'x', type: 'date' }] }), refused(BAD, /"date"/, /bool/)],
  ['null as a field declaration', 'buildIndex', () => build({ nodes: [] }, { fields: [null] }), refused(BAD)],
  ['a field called __proto__', 'buildIndex, search', fieldProto, ids('a')],
  ['unknown analyzer', 'buildIndex', () => build({ nodes: [] }, { analyzer: 'french' }), refused(BAD, /"french"/, /english/)],
  ['nodes that end in an error', 'buildIndex', () => build({ nodes: failingNodes() }), rejectsWith(DISK)],
  ['a signal that is aborted', 'buildIndex', () => build({ nodes: [] }, { signal: AbortSignal.abort(DISK) }), rejectsWith(DISK)],
  ['empty corpus', 'buildIndex, search', async () => (await opened({ nodes: [] })).search({ text: 'x', principal: 'open' }), ids()],
  ['one row', 'buildIndex, search', async () => (await opened({ nodes: [{ id: 'a', text: 'x' }] })).search({ text: 'x', principal: 'open' }), ids('a')],
  ['no row but an edge table', 'buildIndex', () => buildAndVerify({ nodes: [], edges: [] }, { accessMode: 'scoped' }), soundly({ nodes: 0, access: 'scoped' })],
  ['10^6-character token', 'buildIndex, search', async () => (await opened({ nodes: [{ id: 'a', text: `${'x'.repeat(1e6)} apple` }] })).search({ text: 'apple', principal: 'open' }), ids('a')],

  // Vectors.
  ['NaN in a vector', 'buildIndex', vectors([1, NaN]), refused(BAD, /"n0".*\[?1\]?.*NaN/)],
  ['Infinity in a vector', 'buildIndex', vectors([1, Infinity]), refused(BAD, /"n0".*Infinity/)],
  ['1e39, no float32, in a vector', 'buildIndex', vectors([1, 1e39]), refused(BAD, /"n0"/)],
  ['sparse array as a vector', 'buildIndex', vectors(new Array(4)), refused(BAD, /"n0"/)],
  ['string as a vector', 'buildIndex', vectors('1234'), refused(BAD, /"n0"/)],
  ['numbers as strings in a vector', 'buildIndex', vectors(['1', '2']), refused(BAD, /"n0"/)],
  ['empty vector', 'buildIndex', vectors([]), refused(BAD, /"n0"/)],
  ['short vector', 'buildIndex', vectors([1, 2, 3], [1, 2]), refused('DIMENSION_MISMATCH', /"n1"/, /2/, /3/)],
  ['long vector', 'buildIndex', vectors([1, 2, 3], [1, 2, 3, 4]), refused('DIMENSION_MISMATCH', /"n1"/, /4/, /3/)],
  ['vector without a model', 'buildIndex', nodes({ id: 'a', embedding: [1] }), refused(BAD, /"a"/, /embeddingModel/)],
  ['vectors of two models', 'buildIndex', nodes({ id: 'a', embedding: [1], embeddingModel: 'm1' }, { id: 'b', embedding: [1], embeddingModel: 'm2' }), refused(BAD, /"m1"/, /"m2"/)],
  ['zero vector as a row', 'buildIndex, search', () => denseOver([[0, 0], [1, 0]], [1, 0]), answers(finiteScores)],
  ['largest float32 numbers', 'buildIndex, search', () => denseOver([[3e38, 3e38], [3e38, -3e38]], [3e38, 3e38]), answers((result: Answer) => { finiteScores(result); expect(result.candidates[0]!.id).toBe('n0'); })],
  ['smallest float32 numbers', 'buildIndex, search', () => denseOver([[1e-45, 0], [0, 1e-45]], [1e-45, 0]), answers((result: Answer) => { finiteScores(result); expect(result.candidates[0]!.id).toBe('n0'); })],
  ['fewer vectors than nodes', 'buildIndex', matrix(1, 2, new Float32Array(2), 2), refused('DIMENSION_MISMATCH', /1/, /2/)],
  ['matrix with too few numbers', 'buildIndex', matrix(1, 4, new Float32Array(2)), refused(['DIMENSION_MISMATCH', BAD])],
  ['matrix with too many numbers', 'buildIndex', matrix(1, 2, new Float32Array(8)), refused(['DIMENSION_MISMATCH', BAD])],
  ['matrix that is no typed array', 'buildIndex', matrix(1, 2, [1, 2]), refused(BAD)],
  ['matrix of -4 columns', 'buildIndex', matrix(0, -4, new Float32Array(0), 0), refused(['DIMENSION_MISMATCH', BAD])],
  // Published, it could never be opened.
  ['dimension of 2^31', 'buildIndex', () => build({ nodes: [] }, { dimension: 2 ** 31, embeddingModel: 'm' }), refused(['INDEX_TOO_LARGE', BAD])],
  ['dimension of NaN', 'buildIndex', () => build({ nodes: [] }, { dimension: NaN, embeddingModel: 'm' }), refused(BAD, /dimension/)],

  // Edges.
  ['null as an edge', 'buildIndex', edges(null), refused(BAD)],
  ['edge to an unknown node', 'buildIndex', edges({ from: 'a', to: 'zz' }), refused(BAD, /"a"/, /"zz"/)],
  ['edges to unknown nodes, skipped', 'buildIndex', () => build({ nodes: [{ id: 'a' }], edges: [{ from: 'a', to: 'y' }, { from: 'z', to: 'a' }, { from: 'a', to: 'a' }] }, { skipDangling: true }), counts({ edges: 1, skippedEdges: 2 })],
  // Dangling is an end that no node has; an edge without an end is malformed.
  ['edge without an end, dangling ones skipped', 'buildIndex', () => build({ nodes: [{ id: 'a' }], edges: [{ from: null, to: 'a' }] }, { skipDangling: true }), refused(BAD)],
  ['self loop', 'buildIndex', edges({ from: 'a', to: 'a' }), soundly({ edges: 1 })],
  ['edge weight NaN', 'buildIndex', edge({ weight: NaN }), refused(BAD, /"a".*"b".*NaN/)],
  ['edge weight 0', 'buildIndex', edge({ weight: 0 }), refused(BAD, /"a".*"b".*0/)],
  ['edge weight -1', 'buildIndex', edge({ weight: -1 }), refused(BAD, /"a".*"b".*-1/)],
  ['edge weight Infinity', 'buildIndex', edge({ weight: Infinity }), refused(BAD, /"a".*"b".*Infinity/)],
  ['edge weight as a string', 'buildIndex', edge({ weight: '2' }), refused(BAD, /"a".*"b"/)],
  ['a number as edge kind', 'buildIndex', edge({ kind: 5 }), refused(BAD, /kind/)],
  // Refused or taken, but not taken and then called damaged by verify.
  ['empty edge kind', 'buildIndex, verify', edge({ kind: '' }), either(refused(BAD, /kind/), soundly({ edges: 1 }))],
  ['lone surrogates in edge kinds', 'buildIndex', edges({ from: 'a', to: 'b', kind: '\ud800' }, { from: 'a', to: 'b', kind: '\ud801' }), refused(BAD, /kind/)],
  ['a number as provenance', 'buildIndex', edge({ provenance: 5 }), refused(BAD, /provenance/)],
  ['confidence above 1', 'buildIndex', edge({ confidence: 5 }), refused(BAD, /confidence/)],
  ['a bigint in edge fields', 'buildIndex', edge({ fields: { x: 5n } }), refused(BAD)],
  ['unknown key of an edge', 'buildIndex', edge({ wieght: 3 }), refused(BAD, /wieght/)],

  // Access.
  ['row without access columns in a scoped index', 'buildIndex', nodes({ id: 'a', org: 'o', source: 's', acl: [] }, { id: 'b' }, { id: 'c' }), refused(BAD, /"b"/, /2 of 3/)],
  ['access columns in an open index', 'buildIndex', () => build({ nodes: [NODES[0]] }, { ...OPTIONS, accessMode: 'open' }), refused('ACCESS_MODE')],
  // Read as "not scoped", a slip of the pen would publish everything to everybody.
  ['unknown access mode', 'buildIndex', () => build({ nodes: [{ id: 'a' }] }, { accessMode: 'scopd' }), refused([BAD, 'ACCESS_MODE'], /scopd/)],
  ['access row without org', 'buildIndex', access({ id: 'a', source: 's', acl: ['t'] }), refused(BAD, /"a".*org/)],
  ['access row without acl', 'buildIndex', access({ id: 'a', org: 'o', source: 's' }), refused(BAD, /"a".*acl/)],
  ['access row with a number as tag', 'buildIndex', access({ id: 'a', org: 'o', source: 's', acl: [5] }), refused(BAD, /"a".*acl/)],
  ['lone surrogate as an organisation', 'buildIndex', access({ id: 'a', org: '\ud800', source: 's', acl: ['t'] }), refused(BAD, /"a".*org/)],
  // Tags in one string are separated by spaces, as in nodes and files; a letter is never a tag.
  ['acl as a string', 'buildIndex, search', aclAsString, either(refused(BAD, /acl/), answers((seen) => expect(seen).toEqual({ admin: 1, a: 0 })))],
  ['two access rows for a node', 'buildIndex', access({ id: 'a', org: 'o', source: 's', acl: [] }, { id: 'a', org: 'o', source: 's', acl: [] }), refused(BAD, /"a"/)],
  ['access row of an unknown node', 'buildIndex', access({ id: 'zz', org: 'o', source: 's', acl: [] }), refused(BAD, /"zz"/)],
  ['null as an access row', 'buildIndex', access(null), refused(BAD)],

  // Targets.
  ['empty name of the target', 'buildIndex', () => build({ nodes: [] }, { out: '' }), refused(BAD)],
  ['a file as target', 'buildIndex', () => build({ nodes: [] }, { out: file('x', 'x') }), refused(BAD, /cannot write/)],
  ['a folder with other files as target', 'buildIndex', () => build({ nodes: [] }, { out: join(file('x', 'x'), '..') }), refused(BAD, /holds x/)],
  ['an index as target, no replace', 'buildIndex', () => build({ nodes: [] }, { out: index }), refused(BAD, /replace/)],
  ['a symlink to nothing as target', 'buildIndex', () => { const path = join(newFolder(), 'link'); symlinkSync('nowhere', path); return build({ nodes: [] }, { out: path }); }, refused(BAD, /cannot write/)],
  ['three builders of one index at once', 'buildIndex', () => builtAtOnce(3), answers(oneIndexLeft)],

  // Engine.open.
  ['missing folder', 'Engine.open', () => open(join(newFolder(), 'nope')), refused(BAD, /nope does not exist/)],
  ['a folder that is no index', 'Engine.open', () => open(newFolder()), refused(BAD, /not a corank index/)],
  ['a file in place of the folder', 'Engine.open', () => open(file('index', 'x')), refused(BAD, /not a corank index/)],
  ['undefined as the folder', 'Engine.open', () => open(undefined as never), refused(BAD)],
  ['-1 threads', 'Engine.open', () => open(index, { threads: -1 }), refused(BAD, /threads.*-1/)],
  ['NaN threads', 'Engine.open', () => open(index, { threads: NaN }), refused(BAD, /threads.*NaN/)],
  ['a bigint as threads', 'Engine.open', () => open(index, { threads: 2n }), refused(BAD, /threads/)],
  ['CURRENT that points outside', 'Engine.open', opening(() => withFile(index, 'CURRENT', () => '../../etc\n')), refused('CORRUPT_INDEX', /CURRENT/)],
  ['empty CURRENT', 'Engine.open', opening(() => withFile(index, 'CURRENT', () => '')), refused('CORRUPT_INDEX', /CURRENT/)],
  ['CURRENT naming a missing generation', 'Engine.open', opening(() => withFile(index, 'CURRENT', () => 'gen-000009\n')), refused('CORRUPT_INDEX', /gen-000009/)],
  ['a flipped bit anywhere in CURRENT', 'Engine.open', () => codesOfOpening(eachFlip('CURRENT')), answers((codes: object) => expect(Object.keys(codes).sort()).toEqual(expect.not.arrayContaining([expect.stringMatching(/^raw/)])))],
  ['a folder as CURRENT', 'Engine.open', opening(() => { const copy = copyOf(index); rmSync(join(copy, 'CURRENT')); mkdirSync(join(copy, 'CURRENT')); return copy; }), refused(DAMAGED)],
  ['manifest that is not JSON', 'Engine.open', opening(() => withFile(index, 'manifest.json', (bytes) => bytes.subarray(0, 100))), refused('CORRUPT_INDEX', /manifest\.json/)],
  ['manifest of something else', 'Engine.open', opening(() => withFile(index, 'manifest.json', () => '{"name":"left-pad"}')), refused('CORRUPT_INDEX', /manifest\.json/)],
  ['manifest null', 'Engine.open', opening(() => withFile(index, 'manifest.json', () => 'null')), refused('CORRUPT_INDEX', /manifest\.json/)],
  ['a newer format', 'Engine.open', opening(() => withManifest(index, (manifest) => { manifest.version = 99; })), refused('UNSUPPORTED_VERSION', /99/)],
  ['another analyzer', 'Engine.open', opening(() => withManifest(index, (manifest) => { manifest.analyzer = { name: 'english', fingerprint: 'english/9:0' }; })), refused('UNSUPPORTED_VERSION', /english\/9/)],
  // Access tables in an index that calls itself open: would be answered to everybody.
  ['manifest that calls a scoped index open', 'Engine.open', opening(() => withManifest(index, (manifest) => { manifest.access = 'open'; })), refused('CORRUPT_INDEX')],
  ['manifest that counts one node more', 'Engine.open', opening(() => withManifest(index, (manifest) => { manifest.counts.nodes = 5; })), refused('CORRUPT_INDEX')],
  ['manifest that counts fewer vectors', 'Engine.open', opening(() => withManifest(index, (manifest) => { manifest.counts.vectors = 1; })), refused('CORRUPT_INDEX')],
  ['a missing table', 'Engine.open', opening(() => { const copy = copyOf(index); rmSync(tablePath(copy, 'out')); return copy; }), refused('CORRUPT_INDEX', /out\.arrow/)],
  ['every table cut to nothing, a half, all but a byte', 'Engine.open', () => codesOfOpening(eachTruncation()), answers((codes) => expect(Object.keys(codes as object)).toEqual(['CORRUPT_INDEX']))],
  ['every table with a byte more', 'Engine.open', () => codesOfOpening(eachTable((bytes) => Buffer.concat([bytes, Buffer.from([0])]))), answers((codes) => expect(Object.keys(codes as object)).toEqual(['CORRUPT_INDEX']))],
  ['a flipped bit at 12 places of every table', 'Engine.open', () => codesOfOpening(eachFlip()), answers((codes) => expect(Object.keys(codes as object)).toEqual(['CORRUPT_INDEX']))],
  ['two tables swapped', 'Engine.open', opening(() => withSwap('out', 'in')), refused('CORRUPT_INDEX', /(out|in)\.arrow/)],
  ['a table of another index', 'Engine.open', opening(() => withForeign('postings')), refused('CORRUPT_INDEX', /postings\.arrow/)],
  ['each table of another index, checksum and all', 'Engine.open', () => codesOfOpening(tablesOf(index).map((table) => checksummed(withForeign(table)))), answers(noneRaw)],
  ['each table of another index, checksum and all', 'verify', foreignTablesUnseen, answers((unseen) => expect(unseen).toEqual([]))],
  ['out and in swapped, checksums and all', 'verify', () => verifyIndex(checksummed(withSwap('out', 'in'))), answers((problems: unknown[]) => expect(problems.length).toBeGreaterThan(0))],
  ['a generation that is a symlink', 'Engine.open', () => codeOfOpening(withLink('generation')), answers((code) => expect(code).toBe('opened'))],
  ['a table that is a symlink to a folder', 'Engine.open', opening(() => withLink('table')), refused('CORRUPT_INDEX', /out\.arrow/)],
  ['a half-written generation beside a sound one', 'Engine.open', () => codeOfOpening(halfWritten(copyOf(index))), answers((code) => expect(code).toBe('opened'))],
  ['a half-written generation alone', 'Engine.open', opening(() => halfWritten(newFolder())), refused(BAD, /not a corank index/)],
  ['opened four times at once', 'Engine.open', openedFourTimes, answers((all) => expect(new Set(all as string[]).size).toBe(1))],
  // Node 20 aborts when a thread ends that is just loading a module by require.
  ['closed while its threads are starting', 'Engine.open, close', () => openedAndClosed(plain, 16, 15_000), counts({ code: 0, stderr: '' }), 60_000],
  ['replaced all the time', 'Engine.open', () => openedWhileReplaced(60), answers((codes) => expect(Object.keys(codes as object)).toEqual(['opened'])), 60_000],

  // Damage under checksums that match: refused or answered sanely, in a process that may hang or crash.
  ['byte 8 of kinds.arrow, checksum and all', 'Engine.open', () => failuresUnder(index, [{ name: 'kinds', table: 'kinds', flips: [{ at: 8, bit: 0 }] }]), nothingWrong],
  ['flipped bits in every table, checksums and all', 'Engine.open, search, verify', () => failuresUnder(index, tableFlips(index, 72, 8), { most: 3 }), nothingWrong, 60_000],
  ['flipped bits in manifest.json', 'Engine.open, search, verify', () => failuresUnder(index, manifestFlips(index, 37), { most: 5 }), nothingWrong, 60_000],
  ['every value of the manifest missing', 'Engine.open, search, verify', () => failuresUnder(index, manifestValues(index, undefined), { most: 9 }), nothingWrong, 60_000],
  ['every value of the manifest null', 'Engine.open, search, verify', () => failuresUnder(index, manifestValues(index, null), { most: 9 }), nothingWrong, 60_000],
  ['every value of the manifest -1', 'Engine.open, search, verify', () => failuresUnder(index, manifestValues(index, -1), { most: 9 }), nothingWrong, 60_000],
  ['every value of the manifest 2^40', 'Engine.open, search, verify', () => failuresUnder(index, manifestValues(index, 2 ** 40), { most: 9 }), nothingWrong, 60_000],
  ['every value of the manifest a list', 'Engine.open, search, verify', () => failuresUnder(index, manifestValues(index, [{}]), { most: 9 }), nothingWrong, 60_000],

  // Who asks.
  ['no principal', 'search', search({ principal: undefined }), refused('NO_PRINCIPAL')],
  ['grants as a string', 'search', search({ principal: { org: 'acme', grants: 'role:ops' } }), refused(NOBODY)],
  ['empty grants', 'search', search({ principal: { org: 'acme', grants: [] } }), refused('NO_PRINCIPAL')],
  ['a bigint among the grants', 'search', search({ principal: { org: 'acme', grants: [5n] } }), refused(NOBODY)],
  ['a circular object among the grants', 'search', search({ principal: { org: 'acme', grants: [circular()] } }), refused(NOBODY)],
  ['a principal whose getter throws', 'search', search({ principal: { get org() { throw new Error('boo'); }, grants: ['role:ops'] } }), refused(NOBODY)],
  ['a principal that throws', 'search', search({ principal: trap() }), refused(NOBODY)],
  ['an open principal of a scoped index', 'search', search({ principal: 'open' }), refused('ACCESS_MODE')],
  ['a real principal of an open index', 'search', async () => (await open(plain)).search({ text: 'x', ...CALLER }), refused('ACCESS_MODE')],
  // A lone surrogate has the UTF-8 bytes of U+FFFD, which may be an organisation.
  ['lone surrogate as the caller’s organisation', 'search', loneOrganisation, either(refused(NOBODY), ids())],
  ['grantsFor that throws', 'search', async () => (await open(index, { grantsFor: () => { throw new Error('ldap is down'); } })).search({ text: 'apple', principal: 'me', sources: ['handbook'] }), refused(NOBODY, /ldap is down/)],
  ['no sources', 'search', search({ sources: [] }), refused('NO_SOURCES')],
  ['sources as a string', 'search', search({ sources: 'handbook' }), refused([BAD, 'NO_SOURCES'])],
  ['numbers among the sources', 'search', search({ sources: ['handbook', 5] }), refused(BAD, /sources/)],
  ['a bigint among the sources', 'search', search({ sources: [5n] }), refused(BAD, /sources/)],
  ['no visible row', 'search', search(STRANGER), ids()],
  ['no visible row', 'search, hybrid', search({ ...STRANGER, embedding: [1, 0, 0, 0] }, { retriever: hybrid([bm25(), dense()]) }), skips({ channel: 'dense', code: 'no_visible_vectors' })],

  // What is asked.
  ['null as a query', 'search', () => engine.search(null as never), refused(BAD, /query/)],
  ['no text', 'search', search({ text: undefined }), refused(BAD, /text/)],
  ['a number as text', 'search', search({ text: 5 }), refused(BAD, /text/)],
  ['blank text', 'search', search({ text: ' \n\t' }), ids()],
  ['control characters and a lone surrogate', 'search', search({ text: '\0\u001b[2J\ud800 sky' }), ids('c')],
  ['10 MB of one word', 'search', search({ text: 'sky '.repeat(2.5e6) }), ids('c')],
  ['3 MB of different words', 'search', search({ text: `${Array.from({ length: 4e5 }, (_, i) => `w${i}`).join(' ')} sky` }), ids('c'), 60_000],
  ['10^6 quotes', 'search', search({ text: `${'"'.repeat(1e6)} sky` }), ids('c')],
  ['a phrase of 10^5 words', 'search', search({ text: `"${'apple tree '.repeat(5e4)}"` }), answers(({ skipped }: Answer) => expect(skipped.length).toBeGreaterThan(0))],
  ['10^6-character token', 'search', search({ text: `${'x'.repeat(1e6)} sky` }), ids('c')],
  ['k of NaN', 'search', search({ k: NaN }), refused(BAD, /k.*NaN/)],
  ['k of 2.5', 'search', search({ k: 2.5 }), refused(BAD, /k.*2\.5/)],
  ['k of 2^31', 'search', search({ k: 2 ** 31 }), answers(({ candidates, skipped }: Answer) => { expect(candidates).toHaveLength(3); expect(skipped).toMatchObject([{ code: 'k_clamped' }]); })],
  ['k as a string', 'search', search({ k: '5' }), refused(BAD, /k /)],
  ['depth of NaN', 'search', search({}, { depth: NaN }), refused(BAD, /depth.*NaN/)],
  ['depth of 2^31', 'search', search({}, { depth: 2 ** 31 }), refused(BAD, /depth/)],
  ['null among the filters', 'search', search({ filters: [null] }), refused([BAD, 'UNKNOWN_FIELD'])],
  ['a filter on an object', 'search', search({ filters: [{ field: 'year', op: '=', value: {} }] }), refused(BAD, /year/)],
  ['a filter on NaN', 'search', search({ filters: [{ field: 'year', op: '=', value: NaN }] }), refused(BAD, /year.*NaN/)],
  ['a filter on a bigint', 'search', search({ filters: [{ field: 'year', op: '=', value: 5n }] }), refused(BAD, /year/)],
  ['unknown field', 'search', search({ filters: [{ field: 'nope', op: '=', value: 1 }] }), refused('UNKNOWN_FIELD', /"nope"/, /year/)],
  ['a filter on the field __proto__', 'search', search({ filters: [{ field: '__proto__', op: '=', value: 1 }] }), refused('UNKNOWN_FIELD')],
  ['unknown operator', 'search', search({ filters: [{ field: 'year', op: '~', value: 1 }] }), refused(BAD, /"~"/, />=/)],
  // Scopes are kept by what was asked for; a filter cannot pass for another one.
  ['filters that print alike', 'search', filtersAlike, ids('b')],

  // The query's vector.
  ['short vector', 'search, dense', vector([1, 0, 0]), refused('DIMENSION_MISMATCH', /3/, /4/)],
  ['long vector', 'search, dense', vector([1, 0, 0, 0, 0]), refused('DIMENSION_MISMATCH', /5/, /4/)],
  ['NaN in the vector', 'search, dense', vector([NaN, 0, 0, 0]), refused(BAD, /NaN/)],
  ['Infinity in the vector', 'search, dense', vector([0, Infinity, 0, 0]), refused(BAD, /Infinity/)],
  ['zero vector', 'search, dense', vector([0, 0, 0, 0]), skips({ channel: 'dense', code: 'zero_vector' })],
  ['string as the vector', 'search, dense', vector('1234'), refused([BAD, 'DIMENSION_MISMATCH'])],
  ['strings in the vector', 'search, dense', vector(['1', '0', '0', '0']), refused(BAD)],
  ['null in the vector', 'search, dense', vector([null, 1, 0, 0]), refused(BAD)],
  ['bigints in the vector', 'search, dense', vector([1n, 0n, 0n, 0n]), refused(BAD)],
  ['sparse array as the vector', 'search, dense', vector(new Array(4)), refused(BAD)],
  ['a vector that claims 2^40 numbers', 'search, dense', vector({ length: 2 ** 40 }), refused([BAD, 'DIMENSION_MISMATCH'])],
  ['vector of another model', 'search, dense', vector([1, 0, 0, 0], { embeddingModel: 'other' }), refused('MODEL_MISMATCH', /"other"/, /"m"/)],
  ['an embedder that gives strings', 'search, dense', search({}, { retriever: dense({ embed: (async () => ['1234']) as never }) }), refused('EMBEDDINGS_UNAVAILABLE')],
  ['an embedder that never answers', 'search, hybrid', search({}, { retriever: hybrid([bm25(), dense({ embed: never, timeout: 200 })]) }), counts({ skipped: [{ channel: 'dense' }] })],

  // Retrievers and their options.
  ['k1 of NaN', 'bm25', async () => bm25({ k1: NaN }), refused(BAD, /k1.*NaN/)],
  ['k1 as a bigint', 'bm25', async () => bm25({ k1: 1n as never }), refused(BAD, /k1/)],
  ['weight of NaN', 'bm25', async () => bm25({ weights: { title: NaN } }), refused(BAD, /title.*NaN/)],
  ['weight of an unknown field', 'bm25', async () => bm25({ weights: { nope: 1 } as never }), refused([BAD, 'UNKNOWN_FIELD'], /"nope"/, /title/)],
  ['unknown key', 'bm25', async () => bm25({ k2: 1 } as never), refused(BAD, /"?k2/, /k1/)],
  ['weights of NaN', 'hybrid', async () => hybrid([bm25(), dense()], { weights: [1, NaN] }), refused(BAD, /weights.*NaN/)],
  ['fewer weights than retrievers', 'hybrid', async () => hybrid([bm25(), dense()], { weights: [1] }), refused(BAD, /weights/)],
  ['no retrievers', 'hybrid', async () => hybrid(undefined as never), refused(BAD)],
  ['a name in place of retrievers', 'hybrid', async () => hybrid('bm25' as never), refused(BAD)],
  ['seeds that are no retriever', 'pagerank', async () => pagerank({ seeds: 'bm25' as never }), refused(BAD, /seeds/)],
  ['unknown key', 'pagerank', async () => pagerank({ dampign: 0.5 } as never), refused(BAD, /dampign/, /damping/)],
  ['no seeder', 'graphCompletion', async () => graphCompletion({} as never), refused(BAD, /seeder/)],
  ['a name in place of a retriever', 'search', retrieve('bm25'), refused([BAD, 'RETRIEVE_FAILED'])],
  // The retriever of a candidate is never empty, so one without a name is refused.
  ['a retriever without a name', 'search', retrieve({ retrieve: async () => [] }), refused([BAD, 'RETRIEVE_FAILED'], /name/)],
  ['a retriever with an empty name', 'search', retrieve(own(async () => [], '')), refused([BAD, 'RETRIEVE_FAILED'], /name/)],
  ['a retriever that returns nothing', 'search', retrieve(own(async () => undefined)), refused('RETRIEVE_FAILED', /own/)],
  ['a retriever with skipped of null', 'search', retrieve(own(async () => ({ hits: [], skipped: null }))), either(refused('RETRIEVE_FAILED', /own/), ids())],
  ['a retriever that throws null', 'search', retrieve(own(async () => { throw null; })), refused('RETRIEVE_FAILED', /own/)],
  ['a retriever that throws an object without prototype', 'search', retrieve(own(async () => { throw Object.create(null); })), refused('RETRIEVE_FAILED', /own/)],
  ['hits that throw', 'search', retrieve(own(async () => [trap()])), either(refused('RETRIEVE_FAILED', /own/), ids())],
  ['hostile hits', 'search', retrieve(own(async () => HOSTILE_HITS)), answers(allButOneCounted)],
  ['a retriever that never settles, and an abort', 'search', () => search({}, { retriever: own(never), signal: abortsSoon() })(), rejectsWith(DISK), 3000],
  ['a channel that never settles, and an abort', 'search, hybrid', () => search({}, { retriever: hybrid([bm25(), own(never)]), signal: abortsSoon() })(), rejectsWith(DISK), 3000],
  // The next request needs one of 64 scopes; those of cancelled requests must be free again.
  ['65 retrievers that never settle, aborted', 'search', manyAborted, ids('c'), 5000],
  ['a signal that is none', 'search', search({}, { signal: {} }), refused(BAD, /signal/)],

  // Batches: a bad query is that query's failure, not the batch's.
  ['null among the queries', 'rank', rank([query({}), null, query({ id: 'r' })]), failing(undefined, BAD, undefined)],
  ['k of NaN, 2^31, 2.5, 0, "5"', 'rank', rank([NaN, 2 ** 31, 2.5, 0, '5'].map((k) => query({ k }))), failing(BAD, BAD, BAD, BAD, BAD)],
  ['a query that throws null', 'rank', rank([query({}), throwsNull, query({ id: 'r' })]), failing(undefined, expect.any(String), undefined)],
  ['queries that are no stream', 'rank', rank(null), refused(BAD, /queries/)],
  ['queries that end in an error', 'rank', rank(failingNodes()), rejectsWith(DISK)],

  // Walks.
  ['no seeds', 'walk', walk({ seeds: [] }), refused('NO_SEEDS')],
  ['seeds as a string', 'walk', walk({ seeds: 'a' }), refused([BAD, 'NO_SEEDS'])],
  ['null among the seeds', 'walk', walk({ seeds: [null] }), refused(BAD, /seed/)],
  ['a bigint as a seed', 'walk', walk({ seeds: [{ id: 5n }] }), refused(BAD, /seed/)],
  ['unknown seed', 'walk', walk({ seeds: [{ id: 'zz' }] }), refused(BAD, /"zz"/)],
  ['hidden seed', 'walk', walk({ seeds: [{ id: 'd' }] }), refused(BAD, /^seed "d" is no node that this caller can see$/)],
  ['seed __proto__', 'walk', walk({ seeds: [{ id: '__proto__' }] }), refused(BAD, /"__proto__"/)],
  ['seed weight NaN', 'walk', walk({ seeds: [{ id: 'a', weight: NaN }] }), refused(BAD, /"a".*NaN/)],
  ['seed weight 0', 'walk', walk({ seeds: [{ id: 'a', weight: 0 }] }), refused(BAD, /"a".*0/)],
  ['seed weight -1', 'walk', walk({ seeds: [{ id: 'a', weight: -1 }] }), refused(BAD, /"a".*-1/)],
  ['seed weight Infinity', 'walk', walk({ seeds: [{ id: 'a', weight: Infinity }] }), refused(BAD, /"a".*Infinity/)],
  ['seed weights whose sum overflows', 'walk', walk({ seeds: [{ id: 'a', weight: 1.7e308 }, { id: 'b', weight: 1.7e308 }] }), either(massOfOne, refused(BAD, /weight/))],
  ['seed weight 5e-324', 'walk', walk({ seeds: [{ id: 'a', weight: 5e-324 }] }), massOfOne],
  ['damping of NaN', 'walk', walk({ seeds: [{ id: 'a' }], damping: NaN }), refused(BAD, /damping.*NaN/)],
  ['tolerance of NaN', 'walk', walk({ seeds: [{ id: 'a' }], tolerance: NaN }), refused(BAD, /tolerance.*NaN/)],
  ['2^31 iterations', 'walk', walk({ seeds: [{ id: 'a' }], maxIterations: 2 ** 31 }), refused(BAD, /maxIterations/)],
  ['kind weight of 1e308', 'walk', walk({ seeds: [{ id: 'a' }], kindWeights: { link: 1e308, cites: 1e308 } }), either(massOfOne, refused(BAD, /kindWeights/))],
  ['kind weight of 5e-324', 'walk', walk({ seeds: [{ id: 'a' }], kindWeights: { link: 5e-324, cites: 5e-324 } }), either(massOfOne, refused(BAD, /kindWeights/))],
  ['edge weights of 5e-324', 'buildIndex, walk', () => walkOver(5e-324), either(massOfOne, refused(BAD, /weight/))],
  ['edge weights whose sum overflows', 'buildIndex, walk', () => walkOver(1.7e308), either(massOfOne, refused(BAD, /weight/))],
  ['edge weights far apart', 'buildIndex, walk', () => walkOver(1e-100, 1e100), massOfOne],
  // Their sums and inverses would overflow: said, rather than walked wrongly.
  ['edge weights beyond what sums can hold', 'buildIndex', () => walkOver(1e-300, 1e300), refused(BAD, /weight/, /1e-100/)],
  ['an index without edges', 'walk', async () => (await opened({ nodes: [{ id: 'a' }] })).walk({ seeds: [{ id: 'a' }], principal: 'open' }), refused([BAD, 'NOT_CONFIGURED'], /edges/)],
  ['a closed engine', 'search', async () => { const closed = await Engine.open(index, { threads: 0 }); await closed.close(); return closed.search({ text: 'x', ...CALLER }); }, refused('CLOSED')],
  ['invalid UTF-8 in a run', 'readRun', () => readRun(file('x.run', Buffer.from([0x71, 0xff, 0x0a]))), refused(BAD, /x\.run:1/)],
];

// biome-ignore format: one case a line
const COMMANDS: Case[] = [
  // Node files.
  ['duplicate id', 'corank index', indexing(jsonl({ _id: 'a' }, { _id: 'b' }, { _id: 'a' })), fails(3, /x\.jsonl:3:.*"a"/)],
  ['no id, empty id', 'corank index', indexing(jsonl({ _id: 'a' }, { _id: '' })), fails(3, /x\.jsonl:2:.*id/)],
  ['lone surrogate in an id', 'corank index', indexing('{"_id":"\\ud800"}\n'), fails(3, /x\.jsonl:1:.*ud800/)],
  ['id __proto__ and meta __proto__', 'corank index', indexing('{"_id":"__proto__","metadata":{"__proto__":1}}\n'), prints({ nodes: 1, droppedMeta: 0 })],
  ['BOM and CRLF', 'corank index, search', async () => bomAndCrlf(), printsIds('first', 'last')],
  ['invalid UTF-8', 'corank index', indexing(Buffer.concat([Buffer.from('{"_id":"a"}\n{"_id":"'), Buffer.from([0xff]), Buffer.from('"}\n')])), fails(3, /x\.jsonl:2:.*UTF-8/)],
  ['a line that is not JSON', 'corank index', indexing('{"_id":"a"}\n\n{"_id":\n'), fails(3, /x\.jsonl:3:.*JSON/)],
  ['a list for a record', 'corank index', indexing('[1]\n'), fails(3, /x\.jsonl:1:.*list/)],
  ['1e999', 'corank index', indexing('{"_id":"a","metadata":{"x":1e999}}\n'), fails(3, /x\.jsonl:1:.*1e999/)],
  ['unknown key', 'corank index', indexing('{"_id":"a","txet":"x"}\n'), fails(3, /x\.jsonl:1: "a":.*"txet".*text/)],
  ['200,000 nested lists in a number', 'corank index', indexing(`{"_id":"a","ordinal":${nested()}}\n`), fails(3, /x\.jsonl:1: "a": ordinal/)],
  ['200,000 nested lists in meta', 'corank index', indexing(`{"_id":"a","meta":{"x":${nested()}}}\n`), prints({ nodes: 1, droppedMeta: 1 })],
  ['a 50 MB line', 'corank index', indexing(`{"_id":"a","text":"${'word '.repeat(1e7)}"}\n`), prints({ nodes: 1, terms: 1 }), 60_000],
  ['10^6-character token', 'corank index', indexing(`{"_id":"a","text":"${'x'.repeat(1e6)}"}\n`), prints({ nodes: 1, terms: 1 })],
  ['empty corpus', 'corank index', indexing(''), prints({ nodes: 0 })],
  ['NUL and control characters', 'corank index', indexing('{"_id":"\\u0000\\u001b[2J","text":"\\u0000"}\n'), prints({ nodes: 1 })],
  ['row without access columns', 'corank index', indexing(jsonl({ _id: 'a', org: 'o', source: 's', acl: [] }, { _id: 'b' })), fails(3, /"b"/, /org/)],
  ['missing file', 'corank index', () => run(['index', join(newFolder(), 'nope.jsonl'), '--out', join(newFolder(), 'i'), '--quiet']), fails(3, /nope\.jsonl:.*no such file/)],
  ['unreadable file', 'corank index', asNobody(0o000, 'secret.jsonl', '{"_id":"a"}\n', (path) => ['index', path, '--out', reachable(join(newFolder(), 'i')), '--quiet']), fails(3, /secret\.jsonl:.*permission denied/)],
  ['a file of no known kind', 'corank index', () => run(['index', file('x.txt', 'x'), '--out', join(newFolder(), 'i'), '--quiet']), fails(3, /x\.txt:.*jsonl/)],
  ['a folder without a corpus', 'corank index', () => run(['index', newFolder(), '--out', join(newFolder(), 'i'), '--quiet']), fails(3, /corpus\.jsonl/)],
  ['a gzip file cut off', 'corank index', () => run(['index', file('x.jsonl.gz', Buffer.from('1f8b0800', 'hex')), '--out', join(newFolder(), 'i'), '--quiet']), fails(3, /x\.jsonl\.gz:.*(truncated|damaged)/)],
  ['read-only target', 'corank index', intoReadOnly(() => file('x.jsonl', '{"_id":"a"}\n')), either(fails(1, /index/), either(fails(2, /index/), fails(3, /index/)))],
  // Node's recursive mkdir never comes back from here.
  ['a target in /proc', 'corank index', () => run(['index', file('x.jsonl', ''), '--out', '/proc/corank', '--quiet'], { limit: 8000 }), either(fails(1, /proc/), either(fails(2, /proc/), fails(3, /proc/)))],
  ['a target that is a file', 'corank index', () => run(['index', file('x.jsonl', ''), '--out', file('y', ''), '--quiet']), either(fails(2, /y/), fails(3, /y/))],
  ['a bad line: nothing is left', 'corank index', leftAfterRefusal, answers((left) => expect(left).toEqual([]))],
  ['unknown option', 'corank index', command('index', 'x', '--out', 'y', '--ouch'), fails(2, /--ouch/, /--out/)],
  ['unknown command', 'corank', command('idnex'), fails(2, /idnex/, /index/)],
  ['unknown field type', 'corank index', indexing('', '--field', 'year:date'), fails(2, /year:date/, /bool/)],

  // Edge, access and vector files.
  ['edge to an unknown node', 'corank index --edges', indexingWith('--edges', 'e.csv', 'src,dst\na,b\na,zz\n'), fails(3, /e\.csv:3:.*"a".*"zz"/)],
  ['edges to unknown nodes, skipped', 'corank index --edges', indexingWith('--edges', 'e.csv', 'src,dst\na,zz\nzz,a\na,b\n', '--skip-dangling'), prints({ edges: 1, skippedEdges: 2 })],
  ['self loop', 'corank index --edges', indexingWith('--edges', 'e.csv', 'src,dst\na,a\n'), prints({ edges: 1 })],
  ['edge weights -1, 0, NaN, 1e999', 'corank index --edges', () => Promise.all(['-1', '0', 'NaN', '1e999'].map((weight) => indexingWith('--edges', 'e.csv', `src,dst,weight\na,b,${weight}\n`)())), each(fails(3, /e\.csv:2: .*"a".*"b"/)), 60_000],
  ['edge file without a header', 'corank index --edges', indexingWith('--edges', 'e.csv', 'a,b\n'), fails(3, /e\.csv:1:.*src/)],
  ['edge row with a cell too few', 'corank index --edges', indexingWith('--edges', 'e.csv', 'src,dst\na,b\na\n'), fails(3, /e\.csv:3:.*1 cell/)],
  ['a quote that is never closed', 'corank index --edges', indexingWith('--edges', 'e.csv', 'src,dst\na,b\n"a,b\n'), fails(3, /e\.csv:3:.*quote/)],
  ['BOM and CRLF', 'corank index --edges', indexingWith('--edges', 'e.csv', '\ufeffsrc,dst\r\na,b\r\n'), prints({ edges: 1 })],
  ['edge rows past the end', 'corank index --edge-rows', indexingWith('--edges', 'e.csv', 'src,dst\n0,2\n', '--edge-rows'), fails(3, /e\.csv:2:.*row 2/)],
  ['200,000 nested lists in an edge field', 'corank index --edges', indexingWith('--edges', 'e.jsonl', `{"from":"a","to":"b","note":${nested()}}\n`), either(fails(3, /e\.jsonl:1/), prints({ edges: 1 }))],
  ['access file without acl', 'corank index --acl', indexingWith('--acl', 'acl.csv', 'id,org,source\na,o,s\n'), fails(3, /acl\.csv:1:.*acl/)],
  ['access row of an unknown node', 'corank index --acl', indexingWith('--acl', 'acl.csv', 'id,org,source,acl\nzz,o,s,t\n'), fails(3, /acl\.csv:2:.*"zz"/)],
  ['access row missing for a node', 'corank index --acl', indexingWith('--acl', 'acl.csv', 'id,org,source,acl\na,o,s,t\n'), fails(3, /"b"/)],
  ['random bytes as.npy', 'corank index --embeddings', indexingWith('--embeddings', 'r.npy', Buffer.from('not numpy at all'), '--embedding-model', 'm'), fails(3, /r\.npy:.*npy/)],
  ['NaN in.npy', 'corank index --embeddings', indexingWith('--embeddings', 'n.npy', npy([2, 2], [1, NaN, 1, 1]), '--embedding-model', 'm'), fails(3, /n\.npy: row 0, column 1.*NaN/)],
  ['.npy cut off', 'corank index --embeddings', indexingWith('--embeddings', 'n.npy', npy([2, 2], [1, 1, 1]), '--embedding-model', 'm'), fails(3, /n\.npy:.*truncated/)],
  ['.npy with a row too many', 'corank index --embeddings', indexingWith('--embeddings', 'n.npy', npy([3, 1], [1, 1, 1]), '--embedding-model', 'm'), fails(3, /3 rows.*2 nodes/)],
  ['.npy that claims 2^40 rows', 'corank index --embeddings', indexingWith('--embeddings', 'n.npy', npy([2 ** 40, 1], [1]), '--embedding-model', 'm'), fails(3, /n\.npy/)],

  // Options of a search.
  ['-k NaN', 'corank search', searching('-k', 'NaN'), fails(2, /-k.*NaN/)],
  ['-k 2.5', 'corank search', searching('-k', '2.5'), fails(2, /-k.*2\.5/)],
  ['-k 2^31', 'corank search', searching('-k', '2147483648'), prints({ skipped: [{ code: 'k_clamped' }] })],
  ['unknown retriever', 'corank search', searching('--retriever', 'bm52'), fails(2, /bm52/, /bm25/)],
  ['unknown key', 'corank search --set', searching('--set', 'bm25.k2=1'), fails(2, /bm25\.k2/, /bm25\.k1/)],
  ['key __proto__', 'corank search --set', searching('--set', '__proto__.k1=1'), fails(2, /__proto__/, /bm25\.k1/)],
  ['1e999', 'corank search --set', searching('--set', 'bm25.k1=1e999'), fails(2, /bm25\.k1.*1e999/)],
  ['unknown field', 'corank search --filter', searching('--filter', 'nope=1'), fails(2, /"nope"/, /year/)],
  ['1e999', 'corank search --filter', searching('--filter', 'year>=1e999'), fails(2, /year.*1e999/)],
  ['control characters in the text', 'corank search', () => run(['search', plain, '\u001b[2J\u0007apple "', '--json']), printsIds('a', 'b')],
  ['no principal for a scoped index', 'corank search', () => run(['search', index, 'apple']), fails(4, /--principal/)],
  ['a principal that is no JSON', 'corank search', () => run(['search', index, 'apple', '--principal', '{"org"', '--sources', 'handbook']), fails(2, /--principal/)],
  ['grants as a string', 'corank search', () => run(['search', index, 'apple', '--principal', '{"org":"acme","grants":"role:ops"}', '--sources', 'handbook']), fails(4, /grant/)],
  ['a principal for an open index', 'corank search', searching('--principal', '{"org":"o","grants":["x"]}', '--sources', 's'), fails(4, /open/)],
  ['missing folder', 'corank search', command('search', '/nope/index', 'apple'), fails(3, /\/nope\/index does not exist/)],
  ['a folder that is no index', 'corank search', () => run(['search', newFolder(), 'apple']), fails(3, /not a corank index/)],
  ['a newer format', 'corank search', () => run(['search', withManifest(plain, (manifest) => { manifest.version = 99; }), 'apple']), fails(3, /99/)],
  ['a truncated table', 'corank search', () => run(['search', withFile(plain, 'postings.arrow', (bytes) => bytes.subarray(0, 99)), 'apple']), fails(3, /postings\.arrow/)],
  ['a table that is a pipe', 'corank search', () => run(['search', withPipe(tablePath), 'apple'], { limit: 8000 }), fails(3, /postings\.arrow/)],
  ['a manifest that is a pipe', 'corank inspect', () => run(['inspect', withPipe(manifestPath)], { limit: 8000 }), fails(3, /manifest\.json/)],

  // Query files. A bad line is that query's failure (exit 1); the others are answered.
  ['every kind of bad line', 'corank rank', ranking(BAD_QUERIES), answers(elevenFailed)],
  ['200,000 nested lists as k', 'corank rank', ranking(`{"_id":"bad","text":"apple","k":${nested()}}\n{"_id":"good","text":"apple"}\n`), counts({ code: 1, run: expect.stringMatching(/^good /), failed: [{ line: 1, code: BAD }] })],
  ['BOM and CRLF', 'corank rank', ranking('\ufeff{"_id":"q","text":"apple"}\r\n'), counts({ code: 0, run: expect.stringMatching(/^q Q0 a 1 /) })],
  ['no queries', 'corank rank', ranking(''), counts({ code: 0, run: '' })],
  ['a 10 MB line', 'corank rank', ranking(`{"_id":"q","text":"${'apple '.repeat(1.7e6)}"}\n`), counts({ code: 0, run: expect.stringMatching(/^q Q0 a 1 /) }), 120_000],
  ['missing file', 'corank rank', () => run(['rank', plain, '--queries', '/nope.jsonl', '--out', join(newFolder(), 'r')]), fails(3, /\/nope\.jsonl/)],
  ['unreadable file', 'corank rank', () => asNobody(0o000, 'q.jsonl', '', (path) => ['rank', readable(plain), '--queries', path, '--out', '-', '--quiet'])(), fails(3, /q\.jsonl:.*permission denied/)],
  ['-k 2^31', 'corank rank', ranking('{"_id":"q","text":"apple"}\n', '-k', '2147483648'), fails(2, /2147483648/, /10000/)],
  ['a full disk', 'corank rank', () => run(['rank', plain, '--queries', file('q.jsonl', '{"_id":"q","text":"apple"}\n'), '--out', '/dev/full', '--quiet']), fails(1, /\/dev\/full/)],
  ['a folder as the run', 'corank rank', () => run(['rank', plain, '--queries', file('q.jsonl', ''), '--out', newFolder(), '--quiet']), fails(2, /cannot write/)],
  ['query vectors of another length', 'corank rank', () => rankingVectors(npy([1, 3], [1, 0, 0])), fails(3, /q\.npy.*3.*4/)],
  ['fewer query vectors than queries', 'corank rank', () => rankingVectors(npy([1, 4], [1, 0, 0, 0])), fails(3, /q\.npy.*1/)],

  // Walks, evaluation, verification.
  ['hidden and unknown seeds', 'corank walk', () => Promise.all(['d', 'zz'].map((seed) => run(['walk', index, '--seed', seed, ...AS_CALLER]))), answers(saidAlike), 60_000],
  ['seed weights 0, -1, 1e999', 'corank walk', () => Promise.all(['0', '-1', '1e999'].map((weight) => run(['walk', plain, '--seed', `a=${weight}`]))), each(fails(2, /"a"/)), 60_000],
  ['damping NaN', 'corank walk', () => run(['walk', plain, '--seed', 'a', '--damping', 'NaN']), fails(2, /damping.*NaN/)],
  ['run with a column too few', 'corank eval', evaluating('q 0 a 1\n', 'q Q0 a 1 1 t\nq Q0 b 2 1\n'), fails(3, /x\.run:2:.*6 columns/)],
  ['run with a score of NaN', 'corank eval', evaluating('q 0 a 1\n', 'q Q0 a 1 NaN t\n'), fails(3, /x\.run:1:.*NaN/)],
  ['run with a document twice', 'corank eval', evaluating('q 0 a 1\n', 'q Q0 a 1 1 t\nq Q0 a 2 1 t\n'), fails(3, /x\.run:2:.*"a".*"q"/)],
  ['invalid UTF-8', 'corank eval', evaluating('q 0 a 1\n', Buffer.from([0x71, 0xff, 0x0a])), fails(3, /x\.run:1:.*UTF-8/)],
  ['BOM and CRLF', 'corank eval', evaluating('\ufeffq 0 a 1\r\n', '\ufeffq Q0 a 1 1 t\r\n'), prints({ runs: [{ measures: { 'RR@10': 1 } }] })],
  ['query __proto__', 'corank eval', evaluating('__proto__ 0 a 1\n', '__proto__ Q0 a 1 1 t\n', '--per-query'), succeeds(({ stdout }) => expect(Object.keys(JSON.parse(stdout).runs[0].perQuery)).toEqual(['__proto__']))],
  ['empty judgments', 'corank eval', evaluating('', 'q Q0 a 1 1 t\n'), fails(3, /qrels\.txt:.*judg/)],
  ['relevance 1e999', 'corank eval', evaluating('q 0 a 1e999\n', 'q Q0 a 1 1 t\n'), fails(3, /qrels\.txt:1:.*1e999/)],
  ['unknown measure', 'corank eval', evaluating('q 0 a 1\n', 'q Q0 a 1 1 t\n', '--measures', 'nDGC@10'), fails(2, /nDGC/, /nDCG/)],
  ['missing run', 'corank eval', () => run(['eval', '--qrels', file('q.txt', 'q 0 a 1\n'), '/nope.run']), fails(3, /\/nope\.run/)],
  ['a flipped bit in a table', 'corank verify', () => run(['verify', withFile(plain, 'postings.arrow', (bytes) => flipped(bytes, bytes.length - 9, 3))]), finds(/postings/)],
  ['a flipped bit in a table, checksum and all', 'corank verify', () => run(['verify', checksummed(withFile(index, 'out.arrow', (bytes) => flipped(bytes, bytes.indexOf(TWO) + 6, 4)))]), finds(/out/)],
  ['a missing table', 'corank verify', () => { const copy = copyOf(plain); rmSync(tablePath(copy, 'out')); return run(['verify', copy]); }, finds(/out/)],
  ['a folder that is no index', 'corank verify', () => run(['verify', newFolder()]), fails(3, /not a corank index/)],

  // Builders that get in each other's way, or do not live to see the end.
  ['three builders of one index at once', 'corank index', () => commandsAtOnce(3), answers(oneCommandWon), 60_000],
  ['a builder killed half way', 'corank index', builderKilled, counts({ opened: Array(4).fill('opened'), again: { code: 0 } }), 60_000],
];

// ---------------------------------------------------------------------------------------------------------
// What takes more than a line.

type Answer = Awaited<ReturnType<Engine['search']>>;

async function denseOver(rows: number[][], embedding: number[]): Promise<Answer> {
  const over = await opened(
    { nodes: rows.map((row, i) => ({ id: `n${i}`, embedding: row })) },
    { embeddingModel: 'm' },
  );
  return over.search({ text: 'x', principal: 'open', embedding }, { retriever: dense() });
}

function finiteScores({ candidates }: Answer): void {
  expect(candidates.filter(({ score }) => !Number.isFinite(score))).toEqual([]);
}

/** A walk over a ring of three with a chord, all edges of these weights in turn. */
async function walkOver(...weights: number[]) {
  const ends = ['ab', 'bc', 'ca', 'ac', 'ac'];
  const ring = ends.map(([from, to], i) => ({ from, to, weight: weights[i % weights.length] }));
  const over = await opened({ nodes: ['a', 'b', 'c'].map((id) => ({ id })), edges: ring });
  return over.walk({ seeds: [{ id: 'a' }], principal: 'open' });
}

/** How many rows each grant sees. */
async function aclAsString(): Promise<Record<string, number>> {
  const built = {
    nodes: [{ id: 'a', text: 'apple' }],
    access: [{ id: 'a', org: 'o', source: 's', acl: 'admin' }],
  };
  const over = await opened(built);
  const seen: Record<string, number> = {};
  for (const grant of ['admin', 'a']) {
    const principal = { org: 'o', grants: [grant] };
    seen[grant] = (await over.search({ text: 'apple', principal, sources: ['s'] })).candidates.length;
  }
  return seen;
}

/** Asks for 2000 and then for 2001 by filters that JSON cannot tell apart. */
async function filtersAlike(): Promise<Answer> {
  const filter = (value: number) => ({ field: 'year', op: '=' as const, value, toJSON: () => 'year' });
  await search({ filters: [filter(2000)] })();
  return search({ filters: [filter(2001)] })();
}

function abortsSoon(): AbortSignal {
  const controller = new AbortController();
  setTimeout(() => controller.abort(DISK), 50);
  return controller.signal;
}

/** More cancelled requests than there are scopes, each with a scope of its own, then one that is answered. */
async function manyAborted(): Promise<Answer> {
  const over = await open(index);
  for (let i = 0; i < 65; i++) {
    const filters = [{ field: 'year', op: '>' as const, value: i }];
    over
      .search({ text: 'apple', ...CALLER, filters }, { retriever: own(never), signal: abortsSoon() })
      .catch(() => {});
  }
  await new Promise((resolve) => setTimeout(resolve, 300));
  return over.search({ text: 'sky', ...CALLER }, { retriever: bm25() });
}

function* eachTable(edit: (bytes: Buffer) => Buffer): Generator<string> {
  for (const table of tablesOf(index)) yield withFile(index, `${table}.arrow`, edit);
}

function* eachTruncation(): Generator<string> {
  for (const part of [0, 0.5, 1])
    yield* eachTable((bytes) => bytes.subarray(0, Math.min(bytes.length - 1, bytes.length * part)));
}

function* eachFlip(name?: string): Generator<string> {
  const parts = Array.from({ length: 12 }, (_, i) => i / 12);
  for (const part of parts) {
    const edit = (bytes: Buffer) => flipped(bytes, Math.floor(bytes.length * part), Math.floor(part * 8));
    if (name === undefined) yield* eachTable(edit);
    else yield withFile(index, name, edit);
  }
}

function withSwap(one: string, two: string): string {
  const copy = copyOf(index);
  const [first, second] = [one, two].map((table) => readFileSync(tablePath(copy, table)));
  writeFileSync(tablePath(copy, one), second!);
  writeFileSync(tablePath(copy, two), first!);
  return copy;
}

function withForeign(table: string): string {
  const copy = copyOf(index);
  copyFileSync(tablePath(other, table), tablePath(copy, table));
  return copy;
}

/** Tables of another index that verify does not miss, though their bytes are other ones. */
async function foreignTablesUnseen(): Promise<string[]> {
  const unseen: string[] = [];
  for (const table of tablesOf(index)) {
    const same = readFileSync(tablePath(other, table)).equals(readFileSync(tablePath(index, table)));
    if (!same && (await problemsOf(checksummed(withForeign(table)))) === 0) unseen.push(table);
  }
  return unseen;
}

function noneRaw(codes: Record<string, number>): void {
  expect(Object.keys(codes).filter((code) => code.startsWith('raw'))).toEqual([]);
}

function oneIndexLeft({ failures, afterwards }: Awaited<ReturnType<typeof builtAtOnce>>): void {
  expect(afterwards).toBe('opened');
  expect(failures.filter((failure) => (failure as Error).name !== 'CorankError')).toEqual([]);
}

function oneCommandWon({ codes, stderr, after }: Awaited<ReturnType<typeof commandsAtOnce>>): void {
  expect(after, stderr).toBe('opened');
  expect(codes).toContain(0);
  for (const line of stderr.trimEnd().split('\n')) expect(line).toMatch(/^(corank: .*)?$/);
}

function withLink(what: 'generation' | 'table'): string {
  const copy = copyOf(index);
  const path = what === 'table' ? tablePath(copy, 'out') : generationOf(copy);
  rmSync(path, { recursive: true });
  symlinkSync(what === 'table' ? '/' : generationOf(index), path);
  return copy;
}

/** A copy in which nobody will ever write into what is read. */
function withPipe(pathOf: (index: string, table: string) => string): string {
  const copy = copyOf(plain);
  const path = pathOf(copy, 'postings');
  rmSync(path);
  fifo(path);
  return copy;
}

async function openedFourTimes(): Promise<string[]> {
  const engines = await Promise.all([1, 2, 3, 4].map(() => open(index)));
  const query = { text: 'apple', ...CALLER };
  return Promise.all(
    engines.map(async (one) => JSON.stringify(await one.search(query, { retriever: bm25() }))),
  );
}

async function fieldProto(): Promise<Answer> {
  const meta = new Map([['__proto__', 'p']]);
  const built = {
    nodes: [
      { id: 'a', text: 'x', meta },
      { id: 'b', text: 'x' },
    ],
  };
  const over = await opened(built, { fields: [{ name: '__proto__', type: 'string' }] });
  return over.search({
    text: 'x',
    principal: 'open',
    filters: [{ field: '__proto__', op: '=', value: 'p' }],
  });
}

async function loneOrganisation(): Promise<Answer> {
  const over = await opened({ nodes: [{ ...NODES[0], org: '\ufffd' }] }, OPTIONS);
  return over.search({ text: 'apple', ...CALLER, principal: { org: '\ud800', grants: ['role:ops'] } });
}

function allButOneCounted({ candidates, skipped }: Answer): void {
  expect(candidates).toMatchObject([{ id: 'a', score: 3 }]);
  expect(skipped.reduce((sum, { count }) => sum + (count ?? 0), 0)).toBe(HOSTILE_HITS.length - 1);
}

async function leftAfterRefusal(): Promise<string[]> {
  const out = join(newFolder(), 'index');
  const { code } = await run(['index', file('x.jsonl', '{"_id":"a"}\n{'), '--out', out, '--quiet']);
  expect(code).toBe(3);
  return existsSync(out) ? readdirSync(out) : [];
}

function rankingVectors(vectors: Buffer) {
  const queries = '{"_id":"q","text":"apple"}\n{"_id":"r","text":"apple"}\n';
  const path = file('q.npy', vectors);
  return batch(index, queries, '--retriever', 'dense', '--query-embeddings', path, ...AS_CALLER);
}

/** All but the first and the last, each under its line; nothing else is left behind. */
function elevenFailed({ code, run, failed, left }: Awaited<ReturnType<typeof batch>>): void {
  expect(code).toBe(1);
  expect(failed.map(({ line }) => line)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  const answered = new Set(run?.split('\n').map((line) => line.split(' ')[0]));
  expect([...answered]).toEqual(['good', '__proto__', '']);
  expect(left.sort()).toEqual(['run.trec', 'run.trec.errors.jsonl']);
}

function saidAlike([hidden, unknown]: Awaited<ReturnType<typeof run>>[]): void {
  expect(hidden!.code).toBe(3);
  expect(hidden!.stderr).toBe(unknown!.stderr.replace('"zz"', '"d"'));
}

async function problemsOf(path: string): Promise<number> {
  return verifyIndex(path).then(
    (problems) => problems.length,
    () => 1,
  );
}

/** A first id after a byte order mark, a last one before a CR. */
async function bomAndCrlf() {
  const out = join(newFolder(), 'index');
  const corpus = file('x.jsonl', '\ufeff{"_id":"first","text":"apple"}\r\n{"_id":"last","text":"apple"}\r\n');
  await run(['index', corpus, '--out', out, '--quiet']);
  return run(['search', out, 'apple', '--json']);
}

describe('bad input to the library', () => {
  for (const [input, entry, act, ends, limit = LIMIT] of LIBRARY) {
    it(`${entry}: ${input}`, () => ends(acting(act)), limit);
  }
});

describe.concurrent('bad input to the command line', () => {
  for (const [input, entry, act, ends, limit = LIMIT * 2] of COMMANDS) {
    it(`${entry}: ${input}`, () => ends(acting(act)), limit);
  }
});

/** What throws at once is a rejection like any other. */
async function acting(act: () => unknown): Promise<never> {
  return (await act()) as never;
}
