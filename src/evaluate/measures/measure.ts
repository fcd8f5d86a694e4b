/** What is known of one query: document id -> relevance. Above 0 is relevant. */
export type Judgments = ReadonlyMap<string, number>;

/** A measure with its cutoff, under the name that ir_measures gives it (`nDCG@10`). */
export interface Measure {
  readonly name: string;
  /** Its value for one query: what was returned, best first, against what was judged. */
  value(ranked: readonly string[], judged: Judgments): number;
}

/** A measure before its cutoff is chosen. `k` is Infinity when there is none. */
export interface MeasureFamily {
  readonly name: string;
  readonly cutoff: 'required' | 'optional';
  value(ranked: readonly string[], judged: Judgments, k: number): number;
}

export function isRelevant(judged: Judgments, id: string): boolean {
  return (judged.get(id) ?? 0) > 0;
}

export function relevantCount(judged: Judgments): number {
  let count = 0;
  for (const relevance of judged.values()) if (relevance > 0) count++;
  return count;
}

/** How many of the first k are relevant. */
export function relevantInTop(ranked: readonly string[], judged: Judgments, k: number): number {
  let count = 0;
  for (let i = 0; i < ranked.length && i < k; i++) if (isRelevant(judged, ranked[i]!)) count++;
  return count;
}
