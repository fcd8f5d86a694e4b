import type { RerankCandidate } from '../../rank/rerank/batch.js';
import { cosinesOf } from '../../score/cosines.js';
import type { Skip } from '../../types.js';
import { vectorQuestion } from '../query-vector.js';
import type { RetrieveRequest } from '../retriever.js';
import { ChannelUnavailable } from '../unavailable.js';
import type { RerankSettings } from './options.js';

/** Characters of a signature and of a text that go into the vector of a candidate. */
const LONGEST = 200;

export interface Cosines {
  values: readonly (number | undefined)[];
  skipped: Skip[];
}

/** Cosines of the query with some rows, by the index's vectors or by vectors of their fields. */
export async function queryCosines(
  request: RetrieveRequest,
  { vectors, cosine }: RerankSettings,
  rows: readonly number[],
  signal: AbortSignal | undefined,
): Promise<Cosines> {
  try {
    if (cosine === 'fields') return { values: await ofFields(request, vectors, rows, signal), skipped: [] };
    const question = await vectorQuestion('semantic_cosine', request, vectors, signal);
    if ('zero' in question) return none([]);
    const { runtime, scope } = request;
    const asked = { query: question.vector, model: question.model };
    return { values: cosinesOf(runtime.context, scope, asked, rows), skipped: [] };
  } catch (cause) {
    signal?.throwIfAborted();
    if (cause instanceof ChannelUnavailable) return none(worthSaying(cause));
    throw cause;
  }
}

const none = (skipped: Skip[]): Cosines => ({ values: [], skipped });

/** That there is no model is plain to see; that one failed is not. */
function worthSaying({ skip, message }: ChannelUnavailable): Skip[] {
  if (skip.code !== 'embedder_unavailable' && skip.code !== 'not_configured') return [];
  return [{ channel: 'rerank', code: skip.code, message }];
}

async function ofFields(
  { runtime, text }: RetrieveRequest,
  { embed, timeout }: RerankSettings['vectors'],
  rows: readonly number[],
  signal: AbortSignal | undefined,
): Promise<(number | undefined)[]> {
  const limit = AbortSignal.timeout(timeout);
  const both = signal === undefined ? limit : AbortSignal.any([signal, limit]);
  const texts = rows.map((row) => fieldsText(runtime.nodes.citation(row)));
  try {
    const [[query], documents] = await Promise.all([
      embed!([text], 'query', { signal: both }),
      embed!(texts, 'document', { signal: both }),
    ]);
    return rows.map((_, i) => cosineOf(query!, documents[i]));
  } catch (cause) {
    signal?.throwIfAborted();
    const message = `semantic_cosine cannot run: the embedder failed: ${(cause as Error)?.message ?? cause}`;
    throw new ChannelUnavailable(
      { channel: 'rerank', code: 'embedder_unavailable', message },
      message,
      cause,
    );
  }
}

/** What system A makes a candidate's vector of. */
export function fieldsText(
  node: Pick<RerankCandidate, 'name' | 'qualifiedName' | 'path' | 'signature'> & { text?: string },
): string {
  const { name, qualifiedName, path, signature, text } = node;
  const first = (value: string | undefined): string | undefined =>
    value === undefined ? undefined : [...value.slice(0, 2 * LONGEST)].slice(0, LONGEST).join('');
  return [name, qualifiedName === name ? undefined : qualifiedName, path, first(signature), first(text)]
    .filter((part) => part !== undefined && part !== '')
    .join(' ');
}

/** undefined where lengths differ or a vector is missing, zero or not finite. */
function cosineOf(query: ArrayLike<number>, vector: ArrayLike<number> | undefined): number | undefined {
  if (vector === undefined || query.length !== vector.length) return undefined;
  let [dot, a, b] = [0, 0, 0];
  for (let d = 0; d < query.length; d++) {
    dot += query[d]! * vector[d]!;
    a += query[d]! * query[d]!;
    b += vector[d]! * vector[d]!;
  }
  const cosine = dot / Math.sqrt(a * b);
  return Number.isFinite(cosine) ? cosine : undefined;
}
