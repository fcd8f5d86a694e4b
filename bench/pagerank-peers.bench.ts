import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { pagerankContributions, pagerankStep } from '../src/kernels/pagerank.js';
import { Arena } from '../test/kernels/arena.js';
import { csr, type Edges, rmat } from './generate.js';
import { median, printCells, type Table } from './report.js';

const DAMPING = 0.85;
const PAIRS = 7;
const HEP_TH = fileURLToPath(new URL('../../shared/data/graphs/hep-th/edges.csv.gz', import.meta.url));
const require = createRequire(new URL('./peers/package.json', import.meta.url));
const script = (name: string) => fileURLToPath(new URL(`./peers/${name}`, import.meta.url));

/**
 * Whole solves against igraph, ngraph.pagerank and graphology-metrics, each at the error that the peer reaches, with
 * the restart everywhere and, where the peer can, at ten nodes; and single steps against C++ in the same layout. Peers that are not found are named as absent: run
 * `npm install --prefix bench/peers`, and have python3-igraph and g++ at hand. `large` adds R-MAT 20.
 */
export default async function pagerankPeers(seed: number, large: boolean): Promise<Table[]> {
  if (existsSync(HEP_TH)) await subject('hep-th', hepTh(), true);
  else console.log('hep-th: absent');
  await subject('R-MAT 17', distinct(rmat(seed, 17, 1_900_000)), true);
  if (!large) return [];
  const big = distinct(rmat(seed, 20, 16_100_000));
  await subject('R-MAT 20', big, false);
  await subject('R-MAT 20, sorted by out-degree', byDegree(big), false);
  return [];
}

async function subject(name: string, edges: Edges, solves: boolean): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'corank-peers-'));
  try {
    const ours = new Solver(edges);
    const files = written(folder, edges);
    const rows: string[][] = [];
    for (const peer of solves ? [...packages(edges), ...igraph(files, someRows(edges))] : [])
      rows.push(await solved(ours, peer));
    if (solves)
      printCells(`pagerank, solved: ${name}`, ['', 'error', 'peer ms', 'corank ms', 'faster'], rows);
    await steps(name, ours, files);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** corank's kernels on one graph. */
class Solver {
  readonly nodes: number;
  private readonly arena: Arena;
  private readonly at: { graph: number; inverse: number; restart: number; parts: number; scores: number };

  constructor({ nodes, from, to }: Edges) {
    this.nodes = nodes;
    this.arena = new Arena(nodes * 60 + from.length * 4 + 2 ** 20, 65536);
    const inward = csr(nodes, to, from);
    const outward = csr(nodes, from, to);
    const inverse = Float64Array.from({ length: nodes }, (_, i) => {
      const degree = outward.starts[i + 1]! - outward.starts[i]!;
      return degree === 0 ? 0 : 1 / degree;
    });
    const even = new Float64Array(nodes).fill(1 / nodes);
    this.at = {
      graph: this.arena.u32([this.arena.u32(inward.starts), this.arena.u32(inward.ends), 0, 0, 0]),
      inverse: this.arena.f64(inverse),
      restart: this.arena.f64(even),
      parts: this.arena.room(Float64Array, nodes),
      scores: this.arena.f64(even),
    };
  }

  get scores(): Float64Array {
    return this.arena.view(Float64Array, this.at.scores, this.nodes);
  }

  step(): number {
    const { kernels } = this.arena;
    const { graph, inverse, restart, parts, scores } = this.at;
    const dangling = pagerankContributions(kernels, scores, inverse, this.nodes, parts);
    const base = 1 - DAMPING + DAMPING * dangling;
    return pagerankStep(kernels, graph, 0, 0, 0, this.nodes, 0, parts, restart, 0, 0, base, DAMPING, scores);
  }

  /** From here on, walks restart at these rows; everywhere when there are none. */
  restartAt(rows: readonly number[]): void {
    const restart = this.arena.view(Float64Array, this.at.restart, this.nodes);
    restart.fill(rows.length === 0 ? 1 / this.nodes : 0);
    for (const row of rows) restart[row] = 1 / rows.length;
  }

  begin(): void {
    this.scores.set(this.arena.view(Float64Array, this.at.restart, this.nodes));
  }

  /** Steps until they change no more than the tolerance, in milliseconds. */
  solve(tolerance: number): number {
    const begun = performance.now();
    this.begin();
    while (this.step() > tolerance);
    return performance.now() - begun;
  }
}

interface Peer {
  name: string;
  /** The rows that it restarts at; none: everywhere. */
  seeds: readonly number[];
  /** Milliseconds and scores of one solve. */
  run(): Promise<{ ms: number; scores: ArrayLike<number> }>;
  end(): void;
}

/** A peer's time and ours, in alternating runs, once ours is as near to the fixed point as the peer comes. */
async function solved(ours: Solver, peer: Peer): Promise<string[]> {
  ours.restartAt(peer.seeds);
  ours.solve(1e-14);
  const exact = ours.scores.slice();
  const error = (scores: ArrayLike<number>) =>
    exact.reduce((sum, score, i) => sum + Math.abs(score - scores[i]!), 0);
  try {
    const first = await peer.run();
    const reached = error(first.scores);
    assert.ok(reached < 1e-3, `${peer.name} solves something else: it is ${reached} away`);
    let tolerance = 1e-3;
    do {
      tolerance /= 2;
      ours.solve(tolerance);
    } while (error(ours.scores) > reached && tolerance > 1e-15);
    const times: [number, number][] = [];
    for (let i = 0; i < PAIRS; i++) times.push([(await peer.run()).ms, ours.solve(tolerance)]);
    return [
      peer.name,
      reached.toExponential(1),
      median(times.map(([peerMs]) => peerMs)).toFixed(1),
      median(times.map(([, ms]) => ms)).toFixed(2),
      `${median(times.map(([peerMs, ms]) => peerMs / ms)).toFixed(1)}x`,
    ];
  } finally {
    peer.end();
  }
}

/** Ten rows with out-edges, spread over the graph. */
function someRows({ from }: Edges): number[] {
  const rows = [...new Set(from)].sort((a, b) => a - b);
  return Array.from({ length: 10 }, (_, i) => rows[Math.floor((i * rows.length) / 10)]!);
}

/** The npm packages of bench/peers that are installed. */
function packages({ nodes, from, to }: Edges): Peer[] {
  const timed = (run: () => (node: number) => number) => async () => {
    const begun = performance.now();
    const of = run();
    return { ms: performance.now() - begun, scores: Float64Array.from({ length: nodes }, (_, i) => of(i)) };
  };
  const peers: Peer[] = [];
  const add = (name: string, make: () => () => (node: number) => number) => {
    try {
      peers.push({ name, seeds: [], run: timed(make()), end() {} });
    } catch (cause) {
      if ((cause as { code?: string }).code !== 'MODULE_NOT_FOUND') throw cause;
      console.log(`${name}: absent`);
    }
  };
  add('ngraph.pagerank', () => {
    const solve = exported(require('ngraph.pagerank'));
    const graph = exported(require('ngraph.graph'))();
    for (let i = 0; i < nodes; i++) graph.addNode(i);
    from.forEach((source, e) => void graph.addLink(source, to[e]!));
    return () => {
      const scores = solve(graph, DAMPING, 1e-6);
      return (i) => scores[i];
    };
  });
  add('graphology-metrics', () => {
    const solve = exported(require('graphology-metrics/centrality/pagerank'));
    const { DirectedGraph } = require('graphology');
    const graph = new DirectedGraph();
    for (let i = 0; i < nodes; i++) graph.addNode(i);
    from.forEach((source, e) => void graph.mergeEdge(source, to[e]!));
    const options = {
      alpha: DAMPING,
      maxIterations: 200,
      tolerance: 1e-6 / nodes,
      getEdgeWeight: null,
    };
    return () => {
      const scores = solve(graph, options);
      return (i) => scores[i];
    };
  });
  return peers;
}

// biome-ignore lint/suspicious/noExplicitAny: packages without types
const exported = (module: any) => module.default ?? module;

interface Files {
  outStarts: string;
  outEnds: string;
  inStarts: string;
  inEnds: string;
  folder: string;
}

function written(folder: string, { nodes, from, to }: Edges): Files {
  const [outward, inward] = [csr(nodes, from, to), csr(nodes, to, from)];
  const put = (name: string, numbers: Uint32Array) => {
    const path = join(folder, name);
    writeFileSync(path, numbers);
    return path;
  };
  return {
    outStarts: put('out-starts', outward.starts),
    outEnds: put('out-ends', outward.ends),
    inStarts: put('in-starts', inward.starts),
    inEnds: put('in-ends', inward.ends),
    folder,
  };
}

/** A process that answers each line with a number. */
class Answers {
  private readonly child: ChildProcessWithoutNullStreams;
  private readonly lines: AsyncIterator<string>;

  constructor(command: string, args: readonly string[]) {
    this.child = spawn(command, args);
    this.lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]();
  }

  async next(): Promise<number> {
    this.child.stdin.write('\n');
    const { value, done } = await this.lines.next();
    assert.ok(!done, 'the peer ended early');
    return Number(value);
  }

  end(): void {
    this.child.stdin.end();
  }
}

function igraph({ outStarts, outEnds, folder }: Files, seeds: readonly number[]): Peer[] {
  const python = ['/usr/bin/python3', 'python3'].find((path) => works(path, ['-c', 'import igraph']));
  if (python === undefined) {
    console.log('igraph: absent');
    return [];
  }
  return [[], seeds].map((rows) => {
    const result = join(folder, 'igraph');
    const args = [script('pagerank_igraph.py'), outStarts, outEnds, result, ...rows.map(String)];
    const answers = new Answers(python, args);
    const run = async () => {
      const ms = await answers.next();
      return { ms, scores: new Float64Array(new Uint8Array(readFileSync(result)).buffer) };
    };
    const name = rows.length === 0 ? 'igraph (prpack)' : `igraph (prpack), ${rows.length} seeds`;
    return { name, seeds: rows, run, end: () => answers.end() };
  });
}

function works(command: string, args: readonly string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** A step against C++ (g++ -O3 -march=native), one thread each, in alternating processes. */
async function steps(
  name: string,
  ours: Solver,
  { outStarts, inStarts, inEnds, folder }: Files,
): Promise<void> {
  const program = join(folder, 'step');
  if (!works('g++', ['-O3', '-march=native', '-o', program, script('pagerank_step.cpp')])) {
    console.log('C++: absent');
    return;
  }
  ours.restartAt([]);
  const cpp = new Answers(program, [outStarts, inStarts, inEnds]);
  const times: [number, number][] = [];
  for (let i = 0; i <= PAIRS; i++) {
    const peer = await cpp.next();
    ours.begin();
    const begun = performance.now();
    for (let step = 0; step < 10; step++) ours.step();
    // The first pair warms up.
    if (i > 0) times.push([peer, (performance.now() - begun) / 10]);
  }
  cpp.end();
  printCells(
    `pagerank, one step: ${name}`,
    ['', 'C++ ms', 'corank ms', 'corank / C++'],
    [
      [
        'f64, one thread',
        median(times.map(([peer]) => peer)).toFixed(2),
        median(times.map(([, ms]) => ms)).toFixed(2),
        median(times.map(([peer, ms]) => peer / ms)).toFixed(2),
      ],
    ],
  );
}

function hepTh(): Edges {
  const [, ...lines] = gunzipSync(readFileSync(HEP_TH)).toString().trim().split('\n');
  const pairs = lines.map((line) => line.split(',').map(Number) as [number, number]);
  const from = Uint32Array.from(pairs, ([source]) => source - 1);
  const to = Uint32Array.from(pairs, ([, target]) => target - 1);
  const nodes = 1 + pairs.reduce((most, [source, target]) => Math.max(most, source - 1, target - 1), 0);
  return distinct({ nodes, from, to });
}

/** Without loops and repeats, by source and target: peers treat those in ways of their own. */
function distinct({ nodes, from, to }: Edges): Edges {
  const keys = Float64Array.from(from, (source, e) => source * nodes + to[e]!).sort();
  const kept = keys.filter((key, i) => key !== keys[i - 1] && Math.floor(key / nodes) !== key % nodes);
  return {
    nodes,
    from: Uint32Array.from(kept, (key) => Math.floor(key / nodes)),
    to: Uint32Array.from(kept, (key) => key % nodes),
  };
}

/** The same graph with its nodes numbered by out-degree, most first. */
function byDegree({ nodes, from, to }: Edges): Edges {
  const degree = new Uint32Array(nodes);
  for (const source of from) degree[source]!++;
  const order = Uint32Array.from({ length: nodes }, (_, i) => i).sort(
    (a, b) => degree[b]! - degree[a]! || a - b,
  );
  const place = new Uint32Array(nodes);
  order.forEach((node, i) => {
    place[node] = i;
  });
  return distinct({ nodes, from: from.map((node) => place[node]!), to: to.map((node) => place[node]!) });
}
