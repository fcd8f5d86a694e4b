import type { LsaOrigin, Manifest } from '../index/schema.js';
import type { AccessView } from '../memory/access-view.js';
import { bitmapWords } from '../memory/bitmap.js';
import type { FilterView } from '../memory/filter-view.js';
import type { Filter } from '../types.js';
import { compileFilter } from './filter.js';
import type { Caller } from './principal.js';
import { fillScope, type Scope } from './scope.js';

interface Slot {
  bitmapAt: number;
  key: string | undefined;
  scope: Scope | undefined;
  users: number;
  lastUse: number;
}

/**
 * Scopes of one generation of an index (whoever opens another has another cache) in a fixed number of bitmaps of the
 * shared memory, by caller and filters, least recently used first to go. A scope that a
 * request holds is never overwritten; when all are held, the next request waits for one to be released.
 */
export class ScopeCache {
  private readonly memory: WebAssembly.Memory;
  private readonly nodes: number;
  private readonly access: AccessView | undefined;
  private readonly filters: FilterView;
  private readonly origin: LsaOrigin | undefined;
  private readonly slots: Slot[];
  private readonly waiting: (() => void)[] = [];
  private clock = 0;

  constructor(
    memory: WebAssembly.Memory,
    bitmaps: readonly number[],
    nodes: number,
    access: AccessView | undefined,
    filters: FilterView,
    manifest: Pick<Manifest, 'embedding'>,
  ) {
    this.memory = memory;
    this.nodes = nodes;
    this.access = access;
    this.filters = filters;
    this.origin = manifest.embedding?.lsa;
    this.slots = bitmaps.map((bitmapAt) => ({
      bitmapAt,
      key: undefined,
      scope: undefined,
      users: 0,
      lastUse: 0,
    }));
  }

  /** The caller must release the scope when its request is done. */
  async acquire(caller: Caller, asked: readonly Filter[]): Promise<Scope> {
    // Copied: what is checked, compiled and named by the key is the same.
    const filters = asked.map((filter) => {
      const { field, op, value } = Object(filter) as Filter;
      return { field, op, value: Array.isArray(value) ? [...(value as unknown[])] : value } as Filter;
    });
    const tests = filters.map((filter) => compileFilter(filter, this.filters));
    const key = JSON.stringify([caller, filters]);
    for (;;) {
      const slot = this.slots.find((s) => s.key === key) ?? this.idleSlot();
      if (slot !== undefined) {
        slot.users++;
        slot.lastUse = ++this.clock;
        if (slot.key !== key) this.fill(slot, key, caller, tests);
        return slot.scope!;
      }
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
  }

  release(scope: Scope): void {
    const slot = this.slots.find((s) => s.scope === scope);
    if (slot === undefined || slot.users === 0) throw new Error('a scope was released twice');
    slot.users--;
    // All of them: the next may want a scope that is there by now, and the one after it a free slot.
    for (const wake of this.waiting.splice(0)) wake();
  }

  private idleSlot(): Slot | undefined {
    let oldest: Slot | undefined;
    for (const slot of this.slots) {
      if (slot.users === 0 && (oldest === undefined || slot.lastUse < oldest.lastUse)) oldest = slot;
    }
    return oldest;
  }

  private fill(slot: Slot, key: string, caller: Caller, tests: ReturnType<typeof compileFilter>[]): void {
    const words = new Uint32Array(this.memory.buffer, slot.bitmapAt, bitmapWords(this.nodes));
    const visible = fillScope(words, { caller, access: this.access, tests, nodes: this.nodes });
    slot.key = key;
    slot.scope = {
      id: this.clock,
      bitmapAt: slot.bitmapAt,
      visible,
      full: visible === this.nodes,
      mayUseOwnVectors: mayRead(caller, this.origin),
    };
  }
}

/** Whether the caller may read the rows that the index's own vectors were learned from, asked for or not. */
function mayRead(caller: Caller, origin: LsaOrigin | undefined): boolean {
  if (origin === undefined || caller.mode === 'open') return true;
  return caller.org === origin.org && caller.grants.includes(origin.tag!);
}
