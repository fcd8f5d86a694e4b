import type { Scope } from '../access/scope.js';
import { bestOf } from '../score/walk.js';
import type { OneWalk, Seed, WalkAnswer, WalkSettings } from '../score/walk-request.js';
import type { Contribution, RankedList } from '../types.js';
import type { Runtime } from './runtime.js';
import { explainWalk } from './walk-explain.js';

/** `sum`: a forward and a reverse walk, added (system C). */
export type WalkKind = WalkSettings['direction'] | 'sum';

export interface WalkAsked {
  kind: WalkKind;
  settings: Omit<WalkSettings, 'direction'>;
  seeds: Seed[];
  limit: number;
  explain: boolean;
}

/** The best visible rows with a score above 0, and on request what each score is made of. */
export async function rankByWalk(
  runtime: Runtime,
  scope: Scope,
  { kind, settings, seeds, limit, explain }: WalkAsked,
  signal: AbortSignal | undefined,
): Promise<{ list: RankedList; explained?: Contribution[][] }> {
  const { walks, context, index } = runtime;
  const ask = (direction: WalkSettings['direction'], one: OneWalk): Promise<WalkAnswer> =>
    walks.ask(scope, { ...settings, direction }, one, signal);
  if (kind !== 'sum' && !explain) return { list: (await ask(kind, { seeds, limit })).list! };
  const directions = kind === 'sum' ? (['forward', 'reverse'] as const) : [kind];
  const whole: OneWalk = { seeds, limit: undefined };
  const scores = await Promise.all(directions.map(async (way) => (await ask(way, whole)).scores!));
  const total = index.f64(context.scratch.scores, index.nodes);
  total.set(scores[0]!.subarray(0, index.nodes));
  if (kind === 'sum') for (let row = 0; row < total.length; row++) total[row]! += scores[1]![row]!;
  const list = bestOf(context, scope, context.scratch.scores, limit);
  if (!explain) return { list };
  const parts = directions.map((direction, i) =>
    explainWalk(
      runtime,
      scope,
      { settings: { ...settings, direction }, seeds, scores: scores[i]! },
      list.rows,
    ),
  );
  return { list, explained: Array.from(list.rows, (_, i) => parts.flatMap((part) => part[i]!)) };
}
