import { CorankError, quote, reasonOf } from './errors.js';
import { untilAborted } from './retrieve/cancel.js';
import type { Query, Result } from './types.js';

/** One query's result in a batch; `error` instead of candidates when it failed: a bad query never stops a job. */
export interface BatchResult extends Result {
  error?: CorankError;
}

export type Stream<T> = AsyncIterable<T> | Iterable<T>;

/**
 * Answers a stream of queries, `window` at a time, and yields in query order. The next query is read only when
 * a place is free and the consumer has taken its results, so memory stays bounded however long the stream is.
 */
export async function* answerAll(
  queries: Stream<Query>,
  answer: (query: Query) => Promise<Result>,
  window: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<BatchResult> {
  const waiting: Promise<BatchResult>[] = [];
  const stream = iterator(queries);
  let next: Promise<IteratorResult<Query>> | undefined;
  let ended = false;
  try {
    for (;;) {
      if (!ended && waiting.length < window) next ??= handled(Promise.resolve(stream.next()));
      if (next === undefined && waiting.length === 0) return;
      // Whichever comes first: a stream that is silent for a while holds no finished result back.
      const read = next?.then((step) => ({ step }));
      const answered = waiting[0]?.then((result) => ({ result }));
      const turn = await untilAborted(Promise.race([answered, read].filter((p) => p !== undefined)), signal);
      if ('step' in turn) {
        next = undefined;
        ended = turn.step.done === true;
        if (!ended) waiting.push(handled(guarded(turn.step.value, answer, signal)));
      } else {
        waiting.shift();
        yield turn.result;
      }
    }
  } finally {
    await Promise.allSettled(waiting);
    // A stream that is silent may never answer this either: it is told, not waited for.
    if (!ended) Promise.resolve(stream.return?.()).catch(() => {});
  }
}

/** A rejection is met when its turn comes; until then it is not unhandled. */
function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

function iterator(queries: Stream<Query>): AsyncIterator<Query> | Iterator<Query> {
  const { [Symbol.asyncIterator]: later, [Symbol.iterator]: now } = Object(queries) as Partial<
    AsyncIterable<Query> & Iterable<Query>
  >;
  if (typeof later !== 'function' && typeof now !== 'function') {
    throw new CorankError('INVALID_INPUT', `queries must be an (async) iterable, got ${quote(queries)}`);
  }
  return Symbol.asyncIterator in queries ? queries[Symbol.asyncIterator]() : queries[Symbol.iterator]();
}

async function guarded(
  query: Query,
  answer: (query: Query) => Promise<Result>,
  signal: AbortSignal | undefined,
): Promise<BatchResult> {
  try {
    return await answer(query);
  } catch (cause) {
    signal?.throwIfAborted();
    const error =
      cause instanceof CorankError ? cause : new CorankError('RETRIEVE_FAILED', reasonOf(cause), { cause });
    if (error.code === 'CLOSED') throw error;
    return {
      ...(query?.id === undefined ? {} : { id: query.id }),
      candidates: [],
      retriever: '',
      skipped: [],
      totalTokens: 0,
      error,
    };
  }
}
