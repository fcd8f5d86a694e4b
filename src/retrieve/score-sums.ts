import { byScoreThenRow } from '../rank/order.js';
import type { Contribution } from '../types.js';
import type { RowHit } from './hits.js';
import type { Hit } from './retriever.js';

interface Sum {
  row: number;
  score: number;
  parts: Contribution[];
  ranks: Record<string, number>;
  scores: Record<string, number>;
}

/** Scores by row that come together from several lists, with what each gave. */
export class ScoreSums {
  private readonly byRow = new Map<number, Sum>();

  /** `explain`: whether parts are kept. */
  constructor(private readonly explain: boolean) {}

  of(row: number): number {
    return this.byRow.get(row)?.score ?? 0;
  }

  add(row: number, from: string, value: number): void {
    if (value === 0) return;
    const sum = this.sumOf(row);
    sum.score += value;
    if (this.explain) sum.parts.push({ from, value });
  }

  /** `weight` times each score's share of the first; a walk's ways are told in the same share. */
  addShares(hits: readonly RowHit[], from: string, weight = 1): void {
    const best = hits[0]?.score ?? 1;
    for (const hit of hits) {
      const sum = this.sumOf(hit.row);
      sum.score += (weight * hit.score) / best;
      Object.assign(sum.ranks, hit.ranks);
      Object.assign(sum.scores, hit.scores);
      if (!this.explain) continue;
      const { explain = [] } = hit;
      const parts = explain.some(({ path }) => path !== undefined) ? explain : [{ from, value: hit.score }];
      for (const part of parts) sum.parts.push({ ...part, value: (weight * part.value) / best });
    }
  }

  /** Best first, ties by row, of the rows that are shown. */
  hits(idOf: (row: number) => string, shown: (row: number) => boolean): Hit[] {
    return [...this.byRow.values()]
      .filter(({ row }) => shown(row))
      .sort(byScoreThenRow)
      .map(({ row, score, parts, ranks, scores }) => ({
        id: idOf(row),
        score,
        ranks,
        scores,
        ...(this.explain ? { explain: parts } : {}),
      }));
  }

  private sumOf(row: number): Sum {
    let sum = this.byRow.get(row);
    if (sum === undefined) {
      sum = { row, score: 0, parts: [], ranks: {}, scores: {} };
      this.byRow.set(row, sum);
    }
    return sum;
  }
}
