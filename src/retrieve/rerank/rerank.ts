import { batchOf } from '../../rank/rerank/batch.js';
import { factorsFor } from '../../rank/rerank/blend.js';
import { descending } from '../../rank/rerank/descending.js';
import { Pipeline, type Reranked } from '../../rank/rerank/pipeline.js';
import { classOf } from '../../rank/rerank/query-class.js';
import type { Contribution } from '../../types.js';
import { ask, type RowHit } from '../hits.js';
import type { Hit, Retriever } from '../retriever.js';
import { gather } from './gather.js';
import { type RerankOptions, rerankSettings } from './options.js';

const NAME = 'rerank';
/** How slowly the scores of what stands behind the pool fall from the pool's last. */
const BEHIND = 60;

/**
 * Puts the first hits of another retriever in order by system A's signals (spec A.2 to A.4): the sum of weight times
 * value, halved for tests where the query is for a concept. The pool is a constant; what stands behind it keeps its
 * order. A signal whose input is not to be had counts nothing, and explanations say so. Throws INVALID_INPUT for
 * options out of range.
 */
export function rerank(options: RerankOptions = {}): Retriever {
  const settings = rerankSettings(options);
  return {
    name: NAME,
    async retrieve(request, { signal }) {
      const found = await ask(settings.retriever, request, { signal });
      const pool = found.hits.slice(0, settings.pool);
      const { candidates, skipped } = await gather(request, settings, pool, signal);
      const queryClass = settings.queryClass ?? classOf(request.text);
      const factor = factorsFor(request.text, queryClass, settings);
      const weighed = settings.signals.map(({ signal, weight }) => ({
        signal,
        weight: weight * factor(signal.name),
      }));
      const batch = batchOf(request.text, queryClass, candidates, settings);
      const pipeline = new Pipeline(batch, weighed);
      const byId = new Map(pool.map((hit) => [hit.id, hit]));
      const ordered = pipeline
        .run()
        .map((one) => ({ one, hit: byId.get(one.candidate.id)!, score: one.score }));
      const placed = [...ordered, ...behind(found.hits.slice(settings.pool), ordered.at(-1)?.score ?? 0)];
      const scores = descending(placed, ({ hit, score }) => ({ score, row: hit.row }));
      const hits = placed.map(({ one, hit }, i): Hit => {
        const { explain: _, ...rest } = hit;
        if (!request.explain) return { ...rest, score: scores[i]! };
        return { ...rest, score: scores[i]!, explain: explained(pipeline, one, scores[i]!) };
      });
      return { hits, skipped: [...found.skipped, ...skipped] };
    },
  };
}

interface Placed {
  one: Reranked | undefined;
  hit: RowHit;
  score: number;
}

/** What no signal looked at: 60 / (60 + place) of the last that some did. */
const behind = (hits: readonly RowHit[], last: number): Placed[] =>
  hits.map((hit, i) => ({ one: undefined, hit, score: (last * BEHIND) / (BEHIND + i + 1) }));

/** Addends of a score: signals, the demotion of tests, and what moved for the sake of the order. */
function explained(pipeline: Pipeline, one: Reranked | undefined, score: number): Contribution[] {
  if (one === undefined) return [{ from: `${NAME}:behind_pool`, value: score }];
  const signals = pipeline.evidence(one.candidate).map(({ name, raw, value, needs }): Contribution => {
    const from = `${NAME}:${name}`;
    return raw === undefined ? { from, value: 0, absent: needs } : { from, value, raw };
  });
  const further = [
    { from: `${NAME}:test_file`, value: one.demotion },
    { from: `${NAME}:order`, value: score - one.score },
  ];
  return [...signals, ...further.filter(({ value }) => value !== 0)];
}
