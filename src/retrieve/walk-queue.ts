import type { Scope } from '../access/scope.js';
import { WALK_LANES } from '../memory/layout.js';
import type { Pool } from '../pool/pool.js';
import type { OneWalk, WalkAnswer, WalkSettings } from '../score/walk-request.js';

interface Waiting {
  scope: Scope;
  settings: WalkSettings;
  /** Scope and settings: walks that agree in both may run side by side. */
  key: string;
  one: OneWalk;
  signal: AbortSignal | undefined;
  resolve(answer: WalkAnswer): void;
  reject(reason: unknown): void;
}

/**
 * Walks that wait for a thread are run side by side, up to eight in one task: several times the throughput, the same
 * bits. One that finds a thread free starts at once.
 */
export class WalkQueue {
  private readonly pool: Pool;
  private readonly waiting: Waiting[] = [];
  private running = 0;

  constructor(pool: Pool) {
    this.pool = pool;
  }

  /** Rejects with the signal's reason when cancelled, and as a task does. */
  ask(
    scope: Scope,
    settings: WalkSettings,
    one: OneWalk,
    signal: AbortSignal | undefined,
  ): Promise<WalkAnswer> {
    return new Promise((resolve, reject) => {
      const key = JSON.stringify([scope.id, settings]);
      this.waiting.push({ scope, settings, key, one, signal, resolve, reject });
      // In the calling thread a task blocks: whoever asks in the same turn comes along.
      if (this.pool.threads === 0) setImmediate(() => this.start());
      else this.start();
    });
  }

  private start(): void {
    while (this.waiting.length > 0 && this.running < Math.max(1, this.pool.threads)) {
      const { key } = this.waiting[0]!;
      const block = this.waiting.filter((one) => one.key === key).slice(0, WALK_LANES);
      for (const one of block) this.waiting.splice(this.waiting.indexOf(one), 1);
      this.running++;
      void this.run(block).finally(() => {
        this.running--;
        this.start();
      });
    }
  }

  private async run(block: readonly Waiting[]): Promise<void> {
    const alive = new Set(block.filter((one) => !settledIfAborted(one)));
    if (alive.size === 0) return;
    const asked = [...alive];
    const all = new AbortController();
    // Whoever goes first is let go at once: the others hold the scope. The last waits until the thread has stopped.
    const leave = asked.map((one) => () => {
      alive.delete(one);
      if (alive.size > 0) one.reject(one.signal!.reason);
      else all.abort(one.signal!.reason);
    });
    asked.forEach(({ signal }, i) => void signal?.addEventListener('abort', leave[i]!, { once: true }));
    const { scope, settings } = asked[0]!;
    try {
      const request = { settings, walks: asked.map(({ one }) => one) };
      const answers = await this.pool.run('walks', scope, request, all.signal);
      asked.forEach((one, i) => void one.resolve(answers[i]!));
    } catch (reason) {
      for (const one of asked) one.reject(reason);
    } finally {
      asked.forEach(({ signal }, i) => void signal?.removeEventListener('abort', leave[i]!));
    }
  }
}

function settledIfAborted({ signal, reject }: Waiting): boolean {
  if (signal?.aborted !== true) return false;
  reject(signal.reason);
  return true;
}
