import { foldIn } from '../index/lsa.js';
import type { Runtime } from './runtime.js';

/** The vector that the index's own model gives a text; all zeros when it knows none of its words. */
export function ownVectorOf(runtime: Runtime, text: string): Float32Array {
  const model = runtime.lsa!;
  const frequencies = new Map<number, number>();
  runtime.analyzer.analyze(text, (term) => {
    const place = model.place(term);
    if (place >= 0) frequencies.set(place, (frequencies.get(place) ?? 0) + 1);
  });
  const known = Array.from(frequencies, ([place, frequency]) => ({ place, frequency }));
  return foldIn(model, known) ?? new Float32Array(model.dimension);
}
