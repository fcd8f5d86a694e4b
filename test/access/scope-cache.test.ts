import { describe, expect, it } from 'vitest';
import type { Caller } from '../../src/access/principal.js';
import type { Scope } from '../../src/access/scope.js';
import { ScopeCache } from '../../src/access/scope-cache.js';
import { CorankError } from '../../src/errors.js';
import { isSet } from '../../src/memory/bitmap.js';

const TAGS = ['everyone', 'role:a', 'role:b', 'role:c', 'role:d'];

/** Node n, of class n, is readable with tag n; one organisation, one source. Codes: 0 org, 1 source, 2 and on the tags. */
function access() {
  const labels = ['acme', 'wiki', ...TAGS];
  const lookups: string[] = [];
  return {
    classOf: Uint32Array.from(TAGS, (_, i) => i),
    org: new Uint32Array(TAGS.length).fill(0),
    source: new Uint32Array(TAGS.length).fill(1),
    tagStarts: Int32Array.from({ length: TAGS.length + 1 }, (_, i) => i),
    tags: Uint32Array.from(TAGS, (_, i) => i + 2),
    labelCount: labels.length,
    code: (label: string) => {
      lookups.push(label);
      return labels.indexOf(label);
    },
    lookups,
  };
}

function cacheOf(slots: number) {
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
  const bitmaps = Array.from({ length: slots }, (_, i) => i * 64);
  const view = access();
  const cache = new ScopeCache(
    memory,
    bitmaps,
    TAGS.length,
    view as never,
    { fields: new Map() } as never,
    {},
  );
  /** How often a scope was computed: each looks the organisation up once. */
  const fills = () => view.lookups.filter((label) => label === 'acme').length;
  const rows = (scope: Scope) => {
    const words = new Uint32Array(memory.buffer, scope.bitmapAt, 1);
    return TAGS.map((_, row) => row).filter((row) => isSet(words, row));
  };
  return { cache, fills, rows };
}

const caller = (...grants: string[]): Caller => ({ mode: 'scoped', org: 'acme', grants, sources: ['wiki'] });

/** Whether a promise has settled, after everything that is due now has run. */
async function isDone(promise: Promise<unknown>): Promise<boolean> {
  let done = false;
  void promise.then(
    () => {
      done = true;
    },
    () => {
      done = true;
    },
  );
  await new Promise((resolve) => setImmediate(resolve));
  return done;
}

describe('the cache of scopes', () => {
  it('gives a caller the same scope again, computed once', async () => {
    const { cache, fills, rows } = cacheOf(2);
    const first = await cache.acquire(caller('role:a'), []);
    const again = await cache.acquire(caller('role:a'), []);
    expect(again).toBe(first);
    expect(fills()).toBe(1);
    expect(rows(first)).toEqual([1]);
    expect(first).toMatchObject({ visible: 1, full: false });
  });

  it('never shares one between callers who differ in anything', async () => {
    const { cache } = cacheOf(8);
    const callers: Caller[] = [
      caller('role:a'),
      caller('role:b'),
      caller('role:a', 'role:b'),
      { ...caller('role:a'), org: 'globex' } as Caller,
      { ...caller('role:a'), sources: ['handbook'] } as Caller,
      { ...caller('role:a'), sources: ['handbook', 'wiki'] } as Caller,
      caller('role:a,role:b'),
      caller('role:a","role:b'),
    ];
    const scopes = await Promise.all(callers.map((who) => cache.acquire(who, [])));
    expect(new Set(scopes.map(({ bitmapAt }) => bitmapAt)).size).toBe(callers.length);
    expect(new Set(scopes.map(({ id }) => id)).size).toBe(callers.length);
  });

  it('lets the least recently used go first', async () => {
    const { cache, fills } = cacheOf(2);
    for (const grant of ['role:a', 'role:b', 'role:a', 'role:c']) {
      cache.release(await cache.acquire(caller(grant), []));
    }
    expect(fills()).toBe(3);
    // role:b went, role:a stayed.
    cache.release(await cache.acquire(caller('role:a'), []));
    expect(fills()).toBe(3);
    cache.release(await cache.acquire(caller('role:b'), []));
    expect(fills()).toBe(4);
  });

  it('gives a recomputed scope an id of its own, under which nothing old is kept', async () => {
    const { cache } = cacheOf(1);
    const ids = [];
    for (const grant of ['role:a', 'role:b', 'role:a']) {
      const scope = await cache.acquire(caller(grant), []);
      ids.push(scope.id);
      cache.release(scope);
    }
    expect(new Set(ids).size).toBe(3);
  });

  it('never overwrites a scope that a request holds', async () => {
    const { cache, rows } = cacheOf(2);
    const held = await cache.acquire(caller('role:a'), []);
    for (const grant of ['role:b', 'role:c', 'role:d', 'everyone']) {
      const scope = await cache.acquire(caller(grant), []);
      expect(scope.bitmapAt).not.toBe(held.bitmapAt);
      cache.release(scope);
    }
    expect(rows(held)).toEqual([1]);
  });

  it('makes a request wait while all are held, until one is let go', async () => {
    const { cache, rows } = cacheOf(2);
    const first = await cache.acquire(caller('role:a'), []);
    const second = await cache.acquire(caller('role:b'), []);
    const third = cache.acquire(caller('role:c'), []);
    expect(await isDone(third)).toBe(false);
    cache.release(second);
    expect(rows(await third)).toEqual([3]);
    expect(rows(first)).toEqual([1]);
  });

  it('lets a request for a held scope in while others wait', async () => {
    const { cache } = cacheOf(1);
    const first = await cache.acquire(caller('role:a'), []);
    const other = cache.acquire(caller('role:b'), []);
    expect(await isDone(other)).toBe(false);
    expect(await cache.acquire(caller('role:a'), [])).toBe(first);
    cache.release(first);
    // Still held once.
    expect(await isDone(other)).toBe(false);
    cache.release(first);
    expect((await other).visible).toBe(1);
  });

  it('serves everybody who waits, in the end', async () => {
    const { cache, rows } = cacheOf(1);
    const served: number[][] = [];
    const one = async (grant: string) => {
      const scope = await cache.acquire(caller(grant), []);
      await new Promise((resolve) => setImmediate(resolve));
      served.push(rows(scope));
      cache.release(scope);
    };
    await Promise.all([...TAGS, ...TAGS].map(one));
    expect(served).toHaveLength(2 * TAGS.length);
    expect(served.every((found) => found.length === 1)).toBe(true);
    expect(new Set(served.flat()).size).toBe(TAGS.length);
  });

  it('gives all who wait for one scope the scope as soon as it is there', async () => {
    const { cache } = cacheOf(1);
    const held = await cache.acquire(caller('role:a'), []);
    const waiting = [caller('role:b'), caller('role:b')].map((who) => cache.acquire(who, []));
    cache.release(held);
    const [first] = await Promise.all([waiting[0]!]);
    expect(await isDone(waiting[1]!)).toBe(true);
    expect(await waiting[1]).toBe(first);
  });

  it('leaves no place idle while a request waits', async () => {
    const { cache } = cacheOf(2);
    const held = [await cache.acquire(caller('role:a'), []), await cache.acquire(caller('role:b'), [])];
    const waiting = ['role:c', 'role:c', 'role:d'].map((grant) => cache.acquire(caller(grant), []));
    // Two places become free and two scopes are wanted, one of them twice.
    for (const scope of held) cache.release(scope);
    await Promise.all(waiting.slice(0, 2).map(isDone));
    expect(await isDone(waiting[2]!)).toBe(true);
  });

  it('does not let a bad filter take up a place', async () => {
    const { cache } = cacheOf(1);
    for (let i = 0; i < 3; i++) {
      const asking = cache.acquire(caller('role:a'), [{ field: 'nope', op: '=', value: 1 }]);
      await expect(asking).rejects.toBeInstanceOf(CorankError);
    }
    expect((await cache.acquire(caller('role:a'), [])).visible).toBe(1);
  });

  it('notices a scope that is let go twice', async () => {
    const { cache } = cacheOf(1);
    const scope = await cache.acquire(caller('role:a'), []);
    cache.release(scope);
    expect(() => cache.release(scope)).toThrow('twice');
  });

  it('tells a scope of everything from one of some', async () => {
    const { cache } = cacheOf(2);
    expect(await cache.acquire(caller(...TAGS), [])).toMatchObject({ visible: TAGS.length, full: true });
    expect(await cache.acquire(caller('nobody'), [])).toMatchObject({ visible: 0, full: false });
  });
});
