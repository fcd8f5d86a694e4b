import type { Placed, Stream } from './build-options.js';

/** An object that throws when it is looked at is refused later, by its place. */
function isPlaced<T extends object>(item: T | Placed<T>): item is Placed<T> {
  try {
    return typeof item === 'object' && item !== null && 'place' in item && 'value' in item;
  } catch {
    return false;
  }
}

/** Records as they come, each with where it came from: its own place, or its number in the stream. */
export async function* placed<T extends object>(stream: Stream<T | Placed<T>>): AsyncGenerator<Placed<T>> {
  let line = 0;
  const wrap = (item: T | Placed<T>): Placed<T> => {
    line++;
    return isPlaced(item) ? item : { value: item, place: { line } };
  };
  // Not awaited where nothing has to be: that would look for a `then` on every item.
  if (Symbol.asyncIterator in stream) for await (const item of stream) yield wrap(item);
  else for (const item of stream) yield wrap(item);
}
