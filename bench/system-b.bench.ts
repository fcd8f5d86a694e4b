import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  bm25,
  buildIndex,
  coverDensity,
  dense,
  Engine,
  evaluate,
  hybrid,
  type Node,
  parseMeasure,
  type Query,
  type Retriever,
  type Run,
  readQrels,
  rrf,
} from '../dist/index.js';
import { readNpy } from '../dist/ingest/npy.js';
import { readQueries } from '../dist/ingest/queries.js';
import { readSource } from '../dist/ingest/sources.js';
import { median, printCells, type Table } from './report.js';

const SHARED = fileURLToPath(new URL('../../shared/', import.meta.url));
const PEER = `${SHARED}peers/pg_system_b.py`;
const SET = `${SHARED}data/scifact`;
const MODEL = 'lsa-128';
const VECTORS = `${SET}/embeddings/${MODEL}`;
const DEPTH = 100;
const PASSES = 3;

interface Figures {
  ndcg: number;
  recall: number;
  ms: number;
}

/** Its two statements, and their fusion by the client; the time of that is the sum of both medians. */
type Channel = 'sparse' | 'dense' | 'fused';

const RETRIEVERS: [name: string, retriever: Retriever, peer: Channel][] = [
  ['coverDensity', coverDensity(), 'sparse'],
  ['bm25', bm25(), 'sparse'],
  ['dense, dot', dense({ metric: 'dot' }), 'dense'],
  [
    'hybrid coverDensity + dense',
    hybrid([coverDensity(), dense({ metric: 'dot' })], { fusion: rrf() }),
    'fused',
  ],
  ['hybrid bm25 + dense', hybrid([bm25(), dense({ metric: 'dot' })], { fusion: rrf() }), 'fused'],
];

/**
 * The same corpus, vectors and judged queries asked of PostgreSQL and of corank, one query at a time. The
 * environment variable PGBIN names the folder of PostgreSQL's programs where the usual ones do not hold version 15.
 */
export default async function systemB(): Promise<Table[]> {
  const absent = [
    existsSync(PEER) && existsSync(SET) ? '' : '../shared with peers and data/scifact',
    works('python3', ['-c', 'import numpy']) ? '' : 'python3 with numpy',
    process.getuid?.() === 0 ? '' : 'root, to run the server as postgres',
    postgresql() === undefined ? 'PostgreSQL 15 (PGBIN)' : '',
  ].filter((what) => what !== '');
  if (absent.length > 0) {
    console.log(`\nsystem-b: skipped, absent: ${absent.join('; ')}`);
    return [];
  }
  const work = mkdtempSync(join(tmpdir(), 'corank-system-b-'));
  chmodSync(work, 0o755); // the server's user must get through
  try {
    const theirs = askPostgresql(postgresql()!, join(work, 'postgresql'));
    const { ours, title } = await askCorank(join(work, 'index'));
    printCells(
      title,
      ['', 'nDCG@10', 'R@100', 'median ms', 'PostgreSQL', 'nDCG@10', 'R@100', 'median ms', 'x faster'],
      RETRIEVERS.map(([name, , peer], i) => [
        name,
        ...cells(ours[i]!),
        peer,
        ...cells(theirs[peer]),
        (theirs[peer].ms / ours[i]!.ms).toFixed(1),
      ]),
    );
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return [];
}

const cells = ({ ndcg, recall, ms }: Figures) => [ndcg.toFixed(4), recall.toFixed(4), ms.toPrecision(3)];

function works(file: string, args: string[]): boolean {
  return output(file, args) !== undefined;
}

function output(file: string, args: string[]): string | undefined {
  try {
    return execFileSync(file, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
}

/** Folder of the programs: PGBIN, else the first of the usual ones that holds version 15. */
function postgresql(): string | undefined {
  const given = process.env.PGBIN;
  if (given !== undefined) return existsSync(join(given, 'initdb')) ? given : undefined;
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian) : [];
  return [output('pg_config', ['--bindir']), ...versions.map((version) => join(debian, version, 'bin'))].find(
    (bin) => bin !== undefined && / 15\./.test(output(join(bin, 'initdb'), ['--version']) ?? ''),
  );
}

function askPostgresql(bin: string, work: string): Record<Channel, Figures> {
  const text = execFileSync('python3', [PEER, SET, VECTORS, bin, work], { encoding: 'utf8' });
  const figures = (channel: Channel): Figures => {
    const found = text.match(
      new RegExp(`^${channel} nDCG@10 ([\\d.]+) R@100 ([\\d.]+)(?: median ms ([\\d.]+))?`, 'm'),
    );
    if (found === null) throw new Error(`${PEER}: no figures of ${channel} in ${text}`);
    return { ndcg: Number(found[1]), recall: Number(found[2]), ms: Number(found[3]) };
  };
  const [sparse, dense] = [figures('sparse'), figures('dense')];
  return { sparse, dense, fused: { ...figures('fused'), ms: sparse.ms + dense.ms } };
}

async function askCorank(out: string): Promise<{ ours: Figures[]; title: string }> {
  const nodes: Node[] = [];
  for await (const { node } of readSource(SET)) nodes.push(node);
  const embeddings = await readNpy(`${VECTORS}.docs.npy`);
  await buildIndex({ nodes, embeddings }, { out, embeddingModel: MODEL });
  const qrels = await readQrels(`${SET}/qrels/test.tsv`);
  const queries = (await allQueries()).filter(({ id }) => qrels.has(id));
  const measures = ['nDCG@10', 'R@100'].map(parseMeasure);
  const engine = await Engine.open(out);
  try {
    const ours: Figures[] = [];
    for (const [, retriever] of RETRIEVERS) {
      const { run, ms } = await timed(engine, queries, retriever);
      const { 'nDCG@10': ndcg, 'R@100': recall } = evaluate(qrels, run, measures).measures;
      ours.push({ ndcg: ndcg!, recall: recall!, ms });
    }
    const title = `system-b: scifact, ${nodes.length} documents, ${queries.length} queries one at a time, ${MODEL}, depth ${DEPTH}`;
    return { ours, title };
  } finally {
    await engine.close();
  }
}

/** In file order, which is the row order of the stored vectors. */
async function allQueries(): Promise<(Query & { id: string })[]> {
  const { data, columns } = await readNpy(`${VECTORS}.queries.npy`);
  const queries: (Query & { id: string })[] = [];
  for await (const entry of readQueries(`${SET}/queries.jsonl`)) {
    if ('error' in entry) throw entry.error;
    const row = queries.length;
    queries.push({
      id: entry.query.id!,
      text: entry.query.text,
      principal: 'open',
      embedding: data.subarray(row * columns, (row + 1) * columns),
      embeddingModel: MODEL,
    });
  }
  return queries;
}

/** The run, and the median time of a query over all passes but the first, which warms up. */
async function timed(
  engine: Engine,
  queries: readonly (Query & { id: string })[],
  retriever: Retriever,
): Promise<{ run: Run; ms: number }> {
  const run: Run = new Map();
  const times: number[] = [];
  for (let pass = 0; pass <= PASSES; pass++) {
    for (const query of queries) {
      const start = performance.now();
      for await (const result of engine.rank([query], { retriever, k: DEPTH, depth: DEPTH, cite: false })) {
        if (result.error !== undefined) throw result.error;
        run.set(query.id, result.candidates);
      }
      if (pass > 0) times.push(performance.now() - start);
    }
  }
  return { run, ms: median(times) };
}
