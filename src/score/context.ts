import type { Scope } from '../access/scope.js';
import type { Kernels } from '../kernels/load.js';
import type { Scratch } from '../memory/layout.js';
import type { SharedIndex } from '../memory/shared-index.js';

/** What a scoring function works with: the index, the kernels and one thread's scratch memory. */
export interface ScoreContext {
  index: SharedIndex;
  kernels: Kernels;
  scratch: Scratch;
  /** Numbers that depend on the scope alone, kept from one query to the next of the same scope. */
  kept: Map<string, { scope: number; value: unknown }>;
}

/** Polled between blocks and iterations; true when the caller no longer wants the answer. */
export type Cancelled = () => boolean;

/** Thrown by a scoring function that was cancelled; whoever runs it turns it into the signal's reason. */
export class Cancellation extends Error {
  override readonly name = 'Cancellation';
}

export function stopIf(cancelled: Cancelled): void {
  if (cancelled()) throw new Cancellation('cancelled');
}

/** The value that `make` gives for this scope, made once as long as consecutive requests share the scope. */
export function perScope<T>(context: ScoreContext, scope: Scope, name: string, make: () => T): T {
  const known = context.kept.get(name);
  if (known !== undefined && known.scope === scope.id) return known.value as T;
  const value = make();
  context.kept.set(name, { scope: scope.id, value });
  return value;
}
