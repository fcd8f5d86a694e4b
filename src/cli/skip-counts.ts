import type { Skip } from '../types.js';

/** How often each channel was skipped in a batch, and why. */
export class SkipCounts {
  readonly #counts = new Map<string, { first: Skip; queries: number }>();

  add(skipped: readonly Skip[]): void {
    for (const skip of skipped) {
      const key = `${skip.channel} ${skip.code}`;
      const known = this.#counts.get(key);
      if (known === undefined) this.#counts.set(key, { first: skip, queries: 1 });
      else known.queries++;
    }
  }

  lines(): string[] {
    return [...this.#counts.values()].map(({ first: { channel, code, message }, queries }) => {
      return `skipped ${channel} in ${queries} ${queries === 1 ? 'query' : 'queries'} (${code}): ${message}`;
    });
  }
}
