import type { Scope } from '../access/scope.js';
import { bitmapWords, countBits, fillBitmap, isSet, setBit } from '../memory/bitmap.js';
import type { Directory } from '../memory/directory.js';
import { perScope, type ScoreContext } from './context.js';
import type { VectorRange } from './vector-part.js';

export type Embeddings = NonNullable<Directory['embeddings']>;

/** How many visible rows have a vector, and how many of one model. `model` -1: a model that no row has. */
export interface VisibleVectors {
  any: number;
  ofModel: number;
}

export function visibleVectors(context: ScoreContext, scope: Scope, model: number): VisibleVectors {
  const { index } = context;
  const embeddings = index.directory.embeddings;
  if (embeddings === undefined) return { any: 0, ofModel: 0 };
  const words = index.u32(scope.bitmapAt, bitmapWords(index.nodes));
  const rows = index.u32(embeddings.rows, embeddings.count);
  const models = index.u16(embeddings.model, embeddings.count);
  const counts = { any: 0, ofModel: 0 };
  for (let v = 0; v < rows.length; v++) {
    if (!isSet(words, rows[v]!)) continue;
    counts.any++;
    if (models[v] === model) counts.ofModel++;
  }
  return counts;
}

/** Vectors of one model whose node is visible: the scope's own bitmap where vectors and nodes go one to one. */
export function visibleBitmap(
  context: ScoreContext,
  scope: Scope,
  embeddings: Embeddings,
  model: number,
): { bitmapAt: number; count: number } {
  const { index, scratch } = context;
  const oneToOne = embeddings.count === index.nodes && embeddings.models.length === 1;
  if (oneToOne) return { bitmapAt: scope.bitmapAt, count: scope.visible };
  const count = perScope(context, scope, `vectors:${model}`, () => {
    // The bitmap is shared by all models: another model's count no longer describes it.
    for (const name of context.kept.keys()) if (name.startsWith('vectors:')) context.kept.delete(name);
    const visible = index.u32(scope.bitmapAt, bitmapWords(index.nodes));
    const words = index.u32(scratch.vectorBitmap, bitmapWords(embeddings.count));
    const rows = index.u32(embeddings.rows, embeddings.count);
    const models = index.u16(embeddings.model, embeddings.count);
    if (scope.full && embeddings.models.length === 1) fillBitmap(words, embeddings.count);
    else {
      words.fill(0);
      for (let v = 0; v < rows.length; v++)
        if (models[v] === model && isSet(visible, rows[v]!)) setBit(words, v);
    }
    return countBits(words);
  });
  return { bitmapAt: scratch.vectorBitmap, count };
}

/** The visible vectors of a model in a range of them: the same bitmap, from the range's first word on. */
export function visibleInRange(
  context: ScoreContext,
  scope: Scope,
  all: Embeddings,
  { embeddings, from }: VectorRange,
  model: number,
): { bitmapAt: number; count: number } {
  const { bitmapAt, count } = visibleBitmap(context, scope, all, model);
  if (embeddings.count === all.count) return { bitmapAt, count };
  const firstWord = bitmapAt + from / 8;
  const inRange = perScope(context, scope, `vectors of ${model} in ${from}+${embeddings.count}`, () =>
    countBits(context.index.u32(firstWord, bitmapWords(embeddings.count))),
  );
  return { bitmapAt: firstWord, count: inRange };
}
