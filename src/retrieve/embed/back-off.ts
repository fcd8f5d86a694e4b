import { setTimeout } from 'node:timers/promises';

/** Milliseconds; a service that asks for more patience gets this much. */
const LONGEST_WAIT = 60_000;

/**
 * Milliseconds to wait after the `turn`th attempt (1-based): what `Retry-After` says, in seconds or as an HTTP
 * date, else `first` doubled with every turn. `now`: milliseconds since the epoch.
 */
export function waitAfter(turn: number, retryAfter: string | null, first: number, now: number): number {
  return Math.min(LONGEST_WAIT, asked(retryAfter, now) ?? first * 2 ** (turn - 1));
}

function asked(retryAfter: string | null, now: number): number | undefined {
  const text = retryAfter?.trim() ?? '';
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  // As HTTP dates end; Date.parse alone would take "-1" for a year.
  const date = text.endsWith(' GMT') ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** Rejects with the signal's reason. */
export async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await setTimeout(milliseconds, undefined, signal === undefined ? {} : { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}
