import type { Scope } from '../access/scope.js';
import { bestOf } from '../score/walk.js';
import type { OneWalk, Seed, WalkAnswer, WalkEnd, WalkSettings } from '../score/walk-request.js';
import type { RankedList } from '../types.js';
import type { Runtime } from './runtime.js';

/** `sum`: a forward and a reverse walk, added (system C). */
export type WalkKind = WalkSettings['direction'] | 'sum';

export interface WalkAsked {
  kind: WalkKind;
  settings: Omit<WalkSettings, 'direction'>;
  seeds: Seed[];
  limit: number;
}

/** The best visible rows with a score above 0. `ends`: of the walk, or of the forward and the reverse one. */
export async function rankByWalk(
  runtime: Runtime,
  scope: Scope,
  { kind, settings, seeds, limit }: WalkAsked,
  signal: AbortSignal | undefined,
): Promise<{ list: RankedList; ends: WalkEnd[] }> {
  const { walks } = runtime;
  if (kind !== 'sum') {
    const one: OneWalk = { seeds, limit };
    const answer = await walks.ask(scope, { ...settings, direction: kind }, one, signal);
    return { list: answer.list!, ends: [answer] };
  }
  const whole: OneWalk = { seeds, limit: undefined };
  const [forward, reverse] = (await Promise.all([
    walks.ask(scope, { ...settings, direction: 'forward' }, whole, signal),
    walks.ask(scope, { ...settings, direction: 'reverse' }, whole, signal),
  ])) as [WalkAnswer, WalkAnswer];
  const { context } = runtime;
  const total = context.index.f64(context.scratch.scores, context.index.nodes);
  total.set(forward.scores!);
  reverse.scores!.forEach((score, row) => {
    total[row]! += score;
  });
  return { list: bestOf(context, scope, context.scratch.scores, limit), ends: [forward, reverse] };
}
