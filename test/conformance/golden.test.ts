import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  bm25,
  coverDensity,
  dense,
  type Edge,
  type Engine,
  fused,
  graphCompletion,
  hybrid,
  type Node,
  pagerank,
  type Query,
  type Retriever,
  rrf,
} from '../../dist/index.js';
import { readEdges } from '../../dist/ingest/edges.js';
import { readNpy } from '../../dist/ingest/npy.js';
import { readQueries } from '../../dist/ingest/queries.js';
import { readSource } from '../../dist/ingest/sources.js';
import { built, openedAt } from '../index/small-index.js';

/**
 * Hashes of what an index of the bundled sample holds and answers: the same on every version of Node, every
 * machine and every number of threads (`npm run test:nodes`). They say nothing about what is right; a change
 * that is meant to move them replaces golden.json.
 */
const golden = JSON.parse(readFileSync(new URL('../fixtures/golden.json', import.meta.url), 'utf8'));
const sample = fileURLToPath(new URL('../../data/2wiki-sample/', import.meta.url));
const RETRIEVERS: Record<string, () => Retriever | undefined> = {
  bm25: () => bm25(),
  'bm25 joined': () => bm25({ form: 'joined' }),
  'cover density': () => coverDensity(),
  dense: () => dense(),
  'hybrid of cover density': () => hybrid([coverDensity(), dense()], { fusion: rrf() }),
  hybrid: () => hybrid([bm25(), dense()]),
  pagerank: () => pagerank(),
  'pagerank sum': () => pagerank({ walk: 'sum' }),
  fused: () => fused(),
  'graph completion': () => graphCompletion({ seeder: bm25() }),
  default: () => undefined,
};
const CALLERS = [
  { principal: { org: 'a', grants: ['x'] }, sources: ['s', 't'] },
  { principal: { org: 'a', grants: ['y', 'z'] }, sources: ['s'] },
];
/** Letters of several scripts, digits, marks and what joins characters, all of Unicode 15.0 or older. */
const TEXTS = [
  'Straße ÉCOLE ﬁne',
  'naïve cafe\u0301 東京タワー',
  '\u{1f469}\u200d\u{1f4bb} x² ½ ①',
  'नमस्ते İstanbul ΣΑΣ ς',
];

const hash = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex');

async function sampleNodes(): Promise<Node[]> {
  const matrix = await readNpy(`${sample}/embeddings/lsa-128.docs.npy`);
  const nodes: Node[] = [];
  for await (const { node } of readSource(sample)) {
    const i = nodes.length;
    const embedding = matrix.data.subarray(i * matrix.columns, (i + 1) * matrix.columns);
    const access = {
      org: i % 11 === 0 ? 'b' : 'a',
      source: i % 3 === 0 ? 't' : 's',
      acl: ['xyz'[i % 3]!, 'w'],
    };
    nodes.push({ ...node, ...access, embedding, embeddingModel: 'lsa-128', meta: { year: 1900 + (i % 90) } });
  }
  TEXTS.forEach((text, i) => {
    nodes.push({ id: `text ${i}`, text, org: 'a', source: 's', acl: ['x'] });
  });
  return nodes;
}

async function questions(): Promise<Query[]> {
  const vectors = await readNpy(`${sample}/embeddings/lsa-128.queries.npy`);
  const queries: Query[] = [];
  let place = 0;
  for await (const entry of readQueries(`${sample}/queries.jsonl`)) {
    if ('error' in entry) throw entry.error;
    const embedding = vectors.data.slice(place * vectors.columns, (place + 1) * vectors.columns);
    if (place++ % 20 === 0) queries.push({ ...entry.query, embedding });
  }
  for (const text of TEXTS) queries.push({ text: `"${text}" ${text}` });
  return queries;
}

async function answers(
  engine: Engine,
  retriever: Retriever | undefined,
  queries: Query[],
): Promise<unknown[]> {
  const all: unknown[] = [];
  for (const caller of CALLERS) {
    const asked = queries.map((query) => ({
      ...query,
      ...caller,
      filters: [{ field: 'year', op: '!=' as const, value: 1913 }],
    }));
    for await (const { error, ...result } of engine.rank(asked, {
      ...(retriever && { retriever }),
      k: 50,
      explain: true,
    })) {
      all.push(error === undefined ? result : { code: error.code, message: error.message });
    }
  }
  return all;
}

describe('the golden hashes', async () => {
  const nodes = await sampleNodes();
  const edges: Edge[] = [];
  for await (const { edge } of readEdges(`${sample}/title_edges.csv`)) edges.push(edge);
  const index = await built({ nodes, edges }, { fields: [{ name: 'year', type: 'int' }] });
  const queries = await questions();

  it('hold for the tables of the index', () => {
    expect({ manifest: hash(index.manifest) }).toEqual({ manifest: golden.manifest });
  });

  it.each(Object.entries(RETRIEVERS))(
    'hold for the answers of %s, in this thread and in two',
    async (name, make) => {
      for (const threads of [0, 2]) {
        const engine = await openedAt(index.path, { threads });
        const given = await answers(engine, make(), queries);
        expect(JSON.stringify(given)).toContain('"explain":[{');
        expect({ [name]: hash(given) }).toEqual({ [name]: golden[name] });
      }
    },
  );
});
