import { byScoreThenRow } from '../rank/order.js';
import { neighbours } from '../score/neighbours.js';
import type { Contribution } from '../types.js';
import { bm25 } from './bm25.js';
import { codeSearch } from './code-search.js';
import { ask, type RowHit } from './hits.js';
import { pagerank } from './pagerank.js';
import type { Hit, RetrieveRequest, Retriever } from './retriever.js';
import { seedWeightSettings, weighted } from './seeds/weights.js';

/**
 * What is used when nothing is named: the best that the index can do. On code (analyzer `code`) that is `codeSearch`;
 * without edges it is bm25. With edges
 * the gate of QUALITY section 3: g = share of the seeds' restart weight on rows that have a visible edge,
 * G = clip((g - 0.2) / 0.3, 0, 1), score = G * walk / max(walk) + (1 - 0.9 G) * text / max(text).
 * Questions whose seeds hang together are answered through the links, the others by their words.
 */
export function defaultRetriever(
  text: Retriever = bm25(),
  walk: Retriever = pagerank({ seeds: text }),
  code: Retriever = codeSearch(),
): Retriever {
  return {
    name: 'default',
    async retrieve(request, { signal }) {
      const { analyzer, index } = request.runtime;
      if (analyzer.name === 'code') return ask(code, request, { signal });
      if (index.directory.graph === undefined) return ask(text, request, { signal });
      const [words, walked] = await Promise.all([
        ask(text, request, { signal }),
        ask(walk, request, { signal }),
      ]);
      const gate = gateOf(request, words.hits);
      const hits = blend(words.hits, walked.hits, gate, request.explain).slice(0, request.limit);
      return { hits, skipped: words.skipped };
    },
  };
}

/** Seeds and their weights as the walk takes them by default. */
const GATE_SEEDS = seedWeightSettings('', {});

function gateOf({ runtime, scope }: RetrieveRequest, hits: readonly RowHit[]): number {
  let linked = 0;
  let all = 0;
  for (const { row, weight } of weighted(hits, GATE_SEEDS).sort((a, b) => a.row - b.row)) {
    const hasEdge =
      neighbours(runtime.context, scope, row, 'out').length > 0 ||
      neighbours(runtime.context, scope, row, 'in').length > 0;
    all += weight;
    if (hasEdge) linked += weight;
  }
  return all === 0 ? 0 : Math.min(1, Math.max(0, (linked / all - 0.2) / 0.3));
}

function blend(words: readonly RowHit[], walked: readonly RowHit[], gate: number, explain: boolean): Hit[] {
  const byRow = new Map<number, RowHit & { walk: number; ways: Contribution[]; text: number }>();
  const best = (hits: readonly RowHit[]): number =>
    hits.reduce((most, hit) => Math.max(most, hit.score), Number.NEGATIVE_INFINITY);
  // Another's scores may all be 0 or below: the best one's size is the unit then too.
  const bestText = Math.abs(best(words)) || 1;
  const bestWalk = best(walked);
  for (const hit of words)
    byRow.set(hit.row, { ...hit, walk: 0, ways: [], text: ((1 - 0.9 * gate) * hit.score) / bestText });
  for (const hit of gate > 0 ? walked : []) {
    const known = byRow.get(hit.row) ?? { ...hit, walk: 0, ways: [], text: 0 };
    known.walk = (gate * hit.score) / bestWalk;
    known.ways = (hit.explain ?? []).map((way) => ({ ...way, value: (gate * way.value) / bestWalk }));
    known.ranks = { ...known.ranks, ...hit.ranks };
    known.scores = { ...known.scores, ...hit.scores };
    byRow.set(hit.row, known);
  }
  return [...byRow.values()]
    .map(({ walk, text, ways, explain: _, ...hit }) => ({
      ...hit,
      score: walk + text,
      ...(explain
        ? { explain: [...ways, { from: 'text', value: text }].filter(({ value }) => value !== 0) }
        : {}),
    }))
    .sort(byScoreThenRow);
}
