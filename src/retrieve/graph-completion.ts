import type { Skip } from '../types.js';
import { ask } from './hits.js';
import { checkRetriever, type Hit, type Retriever } from './retriever.js';

export interface GraphCompletionOptions {
  /** Producer of the seeds, required. */
  seeder: Retriever;
}

/** Neighbours that one seed may add. */
const MAX_SEED_EXPANSION = 8;
/** The output takes so many seeds, then so many expansions, and so on. */
const SEEDS_PER_TURN = 3;
const EXPANSIONS_PER_TURN = 2;
/** The score of a place in the output: 1 / (60 + rank), as in reciprocal rank fusion. */
const RANK_CONSTANT = 60;

/**
 * One hop along the outgoing edges of another retriever's hits (system A): every seed adds its heaviest
 * neighbours that are neither seeds nor added before, and says by which edge. Seeds and expansions are
 * interleaved three to two in seed order, so that neither starves the other whatever the limit.
 */
export function graphCompletion({ seeder }: GraphCompletionOptions): Retriever {
  checkRetriever(seeder, 'graphCompletion needs a seeder, the retriever whose hits it expands');
  return {
    name: 'graph_completion',
    async retrieve(request, { signal }) {
      const found = await ask(seeder, request, { signal });
      const expansions: Hit[] = [];
      const seen = new Set(found.hits.map((hit) => hit.id));
      const edges = request.graph.outEdges(found.hits.map((hit) => hit.id));
      for (const seed of found.hits) {
        signal?.throwIfAborted();
        let added = 0;
        for (const edge of edges.get(seed.id) ?? []) {
          if (added === MAX_SEED_EXPANSION) break;
          if (seen.has(edge.id)) continue;
          seen.add(edge.id);
          added++;
          expansions.push({
            id: edge.id,
            score: 0,
            ranks: {},
            scores: {},
            via: { from: seed.id, edgeKind: edge.kind, direction: 'out' },
          });
        }
      }
      const hits = interleave(found.hits, expansions)
        .slice(0, request.limit)
        .map((hit, i) => placed(hit, i + 1, request.explain));
      return { hits, skipped: found.skipped satisfies Skip[] };
    },
  };
}

function interleave(seeds: readonly Hit[], expansions: readonly Hit[]): Hit[] {
  const out: Hit[] = [];
  for (let s = 0, e = 0; s < seeds.length || e < expansions.length; ) {
    out.push(...seeds.slice(s, s + SEEDS_PER_TURN), ...expansions.slice(e, e + EXPANSIONS_PER_TURN));
    s += SEEDS_PER_TURN;
    e += EXPANSIONS_PER_TURN;
  }
  return out;
}

function placed(hit: Hit, rank: number, explain: boolean): Hit {
  const score = 1 / (RANK_CONSTANT + rank);
  const { explain: _, ...rest } = hit;
  return {
    ...rest,
    score,
    ...(explain ? { explain: [{ from: 'graph_completion:rank', value: score }] } : {}),
  };
}
