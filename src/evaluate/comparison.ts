/** How far the second of two runs is ahead of the first, query by query. */
export interface Comparison {
  /** Mean over the queries of second minus first. */
  difference: number;
  /** 95 % interval of it: paired bootstrap, percentiles. */
  interval: [number, number];
  /** How likely so large a difference, either way, is by chance: sign flips (Fisher's randomisation test). */
  p: number;
  queries: number;
}

/** One run against another, by the measure's name. */
export interface RunComparison {
  baseline: string;
  name: string;
  measures: Record<string, Comparison>;
}
