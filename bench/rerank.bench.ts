import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildIndex, Engine, type Node, ORIGINAL_WEIGHTS, type Retriever, rerank } from '../src/index.js';
import { communities, uniform } from './generate.js';
import { race, type Table } from './report.js';

const NODES = 20_000;
const DEGREE = 5;
const CANDIDATES = 1000;
const KINDS = ['function', 'method', 'type', 'field', 'file'];
const WORDS = ['open', 'Index', 'Session', 'user', 'Token', 'parse', 'Header', 'HTTP', 'route', 'Cache'];
const FINDING = 'found alone';

/** Reranks of a thousand candidates of a code-like graph, all in the calling thread, against finding them alone. */
export default async function bench(seed: number): Promise<Table[]> {
  const folder = await mkdtemp(join(tmpdir(), 'corank-bench-'));
  try {
    await buildIndex(corpus(seed), {
      out: join(folder, 'index'),
      fields: [
        { name: 'churn', type: 'int' },
        { name: 'lastAuthored', type: 'int' },
      ],
    });
    await using engine = await Engine.open(join(folder, 'index'), { threads: 0 });
    return await reranks(engine, seed);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function reranks(engine: Engine, seed: number): Promise<Table[]> {
  const next = uniform(seed + 1);
  const ids = [...new Set(Array.from({ length: 2 * CANDIDATES }, () => `n${Math.floor(next() * NODES)}`))];
  const found: Retriever = {
    name: 'found',
    retrieve: async ({ limit }) =>
      ids.slice(0, limit).map((id, i) => ({ id, score: 1 / (1 + i), ranks: { bm25: i + 1 } })),
  };
  const asking =
    (retriever: Retriever, explain = false) =>
    async () => {
      const query = {
        text: 'where does openSession parse the user token',
        principal: 'open' as const,
        k: 50,
      };
      const { candidates } = await engine.search(query, {
        retriever,
        depth: CANDIDATES,
        cite: false,
        explain,
      });
      assert.equal(candidates.length, 50);
    };
  const pool = CANDIDATES;
  const noWalk = { proximity: 0 };
  const off = Object.fromEntries(Object.keys(ORIGINAL_WEIGHTS).map((name) => [name, 0]));
  return [
    await race(
      `rerank: ${CANDIDATES} candidates of ${NODES} nodes, ${NODES * DEGREE} edges, one thread`,
      [
        { name: FINDING, run: asking(found) },
        { name: 'all signals', run: asking(rerank({ retriever: found, pool })) },
        { name: 'all but the walk', run: asking(rerank({ retriever: found, pool, weights: noWalk })) },
        { name: 'no signal', run: asking(rerank({ retriever: found, pool, weights: off })) },
        { name: 'the usual 100, all signals', run: asking(rerank({ retriever: found })) },
        { name: 'all signals, explained', run: asking(rerank({ retriever: found, pool }), true) },
      ],
      [FINDING],
    ),
  ];
}

function corpus(seed: number): { nodes: Node[]; edges: { from: string; to: string; kind: string }[] } {
  const next = uniform(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(next() * from.length)]!;
  const { from, to } = communities(seed, NODES, DEGREE);
  return {
    nodes: Array.from({ length: NODES }, (_, i) => ({
      id: `n${i}`,
      kind: pick(KINDS),
      name: `${pick(WORDS)}${pick(WORDS)}${i % 97}`,
      qualifiedName: `pkg.${pick(WORDS)}.${pick(WORDS)}`,
      path: `src/${pick(WORDS)}/${i % 11 === 0 ? 'test/' : ''}f${i % 1500}.ts`,
      signature: `(${pick(WORDS)}: ${pick(WORDS)}, n: number) => ${pick(WORDS)}`,
      meta: { churn: i % 50, lastAuthored: 1.6e9 + i * 1000 },
    })),
    edges: Array.from(from, (node, e) => ({
      from: `n${node}`,
      to: `n${to[e]!}`,
      kind: pick(['calls', 'calls', 'references', 'contains', 'similar_to']),
    })),
  };
}
