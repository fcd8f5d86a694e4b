import { classOf, type QueryClass, shapeOf } from './query-class.js';

/** Factors on the weights of the channels, by what the query is. What is not named counts 1. */
export interface Multipliers {
  bm25: number;
  /** Of `semantic` and `semantic_cosine`. */
  semantic: number;
  proximity: number;
}

/** `continuous`: from the share of names and stop words. `class`: a row of the table. */
export const BLENDS = ['continuous', 'class'] as const;

export type Blend = (typeof BLENDS)[number];

/** Spec A.4: alpha is the share of vectors. */
const TABLE: Readonly<Record<QueryClass, Multipliers & { alpha: number }>> = {
  concept: { alpha: 0.5, bm25: 1, semantic: 1, proximity: 1.3 },
  symbol: { alpha: 0.3, bm25: 1.2, semantic: 0.65, proximity: 0.55 },
  path: { alpha: 0.15, bm25: 1.25, semantic: 0.45, proximity: 0.4 },
  signature: { alpha: 0.35, bm25: 1.1, semantic: 0.8, proximity: 0.75 },
  keyword_soup: { alpha: 0.3, bm25: 1.2, semantic: 0.5, proximity: 0.6 },
};

/** Where prose is searched: its words and meaning say more than its code. */
const PROSE: ReadonlyMap<string, number> = new Map([
  ['bm25', 1.25],
  ['semantic', 1.3],
  ['semantic_cosine', 1.3],
  ['api_signature', 0],
  ['type_signature', 0],
  ['definition_bias', 0],
]);

const clamp01 = (value: number): number => Math.min(1, Math.max(0, value));

/** The share of vectors for a query of this class: the more of its words are names, the less. */
export function alphaOf(text: string, queryClass: QueryClass = classOf(text)): number {
  if (queryClass !== 'concept' && queryClass !== 'symbol') return TABLE[queryClass].alpha;
  const { words, identifiers, stopWords } = shapeOf(text);
  if (words < 2) return TABLE[queryClass].alpha;
  const specific = clamp01(identifiers - stopWords - 0.12 * (words - 2));
  return 0.5 - 0.2 * specific;
}

/** Lines between alpha 0.5 (the row of concept) and 0.15 (that of path). */
export function multipliersAt(alpha: number): Multipliers {
  const [from, to] = [TABLE.concept, TABLE.path];
  const share = (from.alpha - alpha) / (from.alpha - to.alpha);
  const between = (key: keyof Multipliers): number => from[key] + share * (to[key] - from[key]);
  return { bm25: between('bm25'), semantic: between('semantic'), proximity: between('proximity') };
}

export const multipliersOfClass = (queryClass: QueryClass): Multipliers => TABLE[queryClass];

/** The factor on each signal's weight, as a function of its name. */
export function factorsFor(
  text: string,
  queryClass: QueryClass,
  { blend, prose }: { blend: Blend; prose: boolean },
): (signal: string) => number {
  const { bm25, semantic, proximity } =
    blend === 'class' ? multipliersOfClass(queryClass) : multipliersAt(alphaOf(text, queryClass));
  const factors = new Map([
    ['bm25', bm25],
    ['semantic', semantic],
    ['semantic_cosine', semantic],
    ['proximity', proximity],
  ]);
  return (signal) => (factors.get(signal) ?? 1) * (prose ? (PROSE.get(signal) ?? 1) : 1);
}
