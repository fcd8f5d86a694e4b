import { CorankError, quote, reasonOf } from '../../errors.js';
import type { RerankCandidate } from '../../rank/rerank/batch.js';
import type { Skip } from '../../types.js';
import { untilAborted } from '../cancel.js';

/** What the caller's own systems know of a node: any part of it. */
export type NodeInputs = Pick<
  RerankCandidate,
  | 'churn'
  | 'authors'
  | 'lastAuthored'
  | 'repo'
  | 'project'
  | 'exported'
  | 'coChange'
  | 'feedback'
  | 'frecency'
  | 'combo'
>;

/** Asked once a query for all candidates, which the caller may all see. What it says of others is not looked at. */
export type InputProvider = (
  request: { text: string; ids: readonly string[] },
  options: { signal?: AbortSignal | undefined },
) => Promise<ReadonlyMap<string, NodeInputs>> | ReadonlyMap<string, NodeInputs>;

const KINDS: Readonly<Record<keyof NodeInputs, 'number' | 'string' | 'boolean' | 'map'>> = {
  churn: 'number',
  authors: 'number',
  lastAuthored: 'number',
  repo: 'string',
  project: 'string',
  exported: 'boolean',
  coChange: 'map',
  feedback: 'number',
  frecency: 'number',
  combo: 'number',
};

export interface Provided {
  inputs: ReadonlyMap<string, NodeInputs>;
  skipped: Skip[];
}

/** A provider that fails leaves its signals without input, and says so; a search is not worth less for it. */
export async function provided(
  provider: InputProvider | undefined,
  request: { text: string; ids: readonly string[] },
  signal: AbortSignal | undefined,
): Promise<Provided> {
  if (provider === undefined) return { inputs: new Map(), skipped: [] };
  try {
    const told = await untilAborted(Promise.resolve(provider(request, { signal })), signal);
    if (!(told instanceof Map)) throw new TypeError(`it returned ${quote(told)}, no Map`);
    return { inputs: new Map(request.ids.map((id) => [id, checked(id, told.get(id))])), skipped: [] };
  } catch (cause) {
    signal?.throwIfAborted();
    const message = `the provider of signals failed, and what it knows is left out: ${reasonOf(cause)}`;
    return { inputs: new Map(), skipped: [{ channel: 'rerank', code: 'provider_failed', message }] };
  }
}

/** A copy of what is known and sound. */
function checked(id: string, told: unknown): NodeInputs {
  const inputs: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(Object(told) as object)) {
    const kind = Object.hasOwn(KINDS, name) ? KINDS[name as keyof NodeInputs] : undefined;
    if (value === undefined) continue;
    const sound =
      kind === 'map'
        ? value instanceof Map &&
          [...value].every(([key, tie]) => typeof key === 'string' && Number.isFinite(tie))
        : kind === 'number'
          ? Number.isFinite(value)
          : typeof value === kind;
    if (!sound) {
      const known = kind === undefined ? `known: ${Object.keys(KINDS).join(', ')}` : `a ${kind} is wanted`;
      throw new CorankError('INVALID_INPUT', `${name} of ${quote(id)} is ${quote(value)}; ${known}`);
    }
    inputs[name] = value;
  }
  return inputs;
}
