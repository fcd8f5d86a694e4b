import { CorankError, type Engine, type Query, type Retriever } from '../../dist/index.js';
import type { Asked, Caller } from './corpora.js';
import { OWN, PROBED, probe, type World } from './retrievers.js';
import { type Asking, SYSTEM_C } from './system-c.js';

/** What a caller gets: the answer, or the error as a program and a person see it. */
export type Outcome = { answer: unknown } | { error: { code: string; message: string; place: unknown } };

/** Errors of corank are outcomes; any other is a fault of it and passes through. */
export async function outcome(ask: () => Promise<unknown>): Promise<Outcome> {
  try {
    return { answer: await ask() };
  } catch (cause) {
    return { error: refusal(cause) };
  }
}

function refusal(cause: unknown): { code: string; message: string; place: unknown } {
  if (!(cause instanceof CorankError)) throw cause;
  // A retriever that failed in an unforeseen way is wrapped: the fault underneath is what matters here.
  if (cause.cause instanceof TypeError || cause.cause instanceof RangeError) throw cause.cause;
  return { code: cause.code, message: cause.message, place: cause.place };
}

/** `whyNot`: a node to ask about, when the request is a search. */
export function ask(
  engine: Engine,
  who: Caller,
  asked: Asked,
  retriever: Retriever,
  whyNot?: string,
): Promise<Outcome> {
  const { depth, explain, batch, walk: _, ...rest } = asked;
  const query: Query = { ...rest, ...who };
  const options = { retriever, explain, ...(depth === undefined ? {} : { depth }) };
  return outcome(async () => {
    if (!batch) return engine.search(query, whyNot === undefined ? options : { ...options, whyNot });
    for await (const { error, ...result } of engine.rank([query], options)) {
      if (error !== undefined) throw error;
      return result;
    }
    return undefined;
  });
}

function walk(engine: Engine, who: Caller, asked: Asked, { ids, visible }: World): Promise<Outcome> {
  const { filters, walk: wanted } = asked;
  const among = wanted.any || visible.length === 0 ? ids : visible;
  const seeds = wanted.seeds.map(({ place, ...weight }) => ({ id: among[place % among.length]!, ...weight }));
  const request = { ...wanted.options, ...who, ...(filters === undefined ? {} : { filters }), seeds };
  return outcome(() => engine.walk(request));
}

function question(engine: Engine, who: Caller, asked: Asked, put: Asking, world: World): Promise<Outcome> {
  const { depth: _d, explain: _e, batch: _b, walk: _w, ...rest } = asked;
  return outcome(() => put(engine, { ...rest, ...who }, world));
}

/** One request to every retriever, the bare walk, and the questions of system C: name -> outcome. */
export async function askAll(
  engine: Engine,
  who: Caller,
  asked: Asked,
  world: World,
): Promise<Map<string, unknown>> {
  const outcomes = new Map<string, unknown>();
  let place = asked.walk.seeds[0]?.place ?? 0;
  const someNode = () => world.ids[place++ % world.ids.length];
  for (const [name, make] of Object.entries(OWN)) {
    outcomes.set(name, await ask(engine, who, asked, make(world), someNode()));
  }
  for (const [name, make] of Object.entries(PROBED)) {
    const probed = probe(world);
    const told = await ask(engine, who, asked, make(probed), someNode());
    outcomes.set(name, { ...told, seen: probed.seen });
  }
  outcomes.set('walk', await walk(engine, who, asked, world));
  for (const [name, put] of Object.entries(SYSTEM_C)) {
    outcomes.set(name, await question(engine, who, asked, put, world));
  }
  return outcomes;
}

/**
 * Where two values differ, or undefined. Numbers by Object.is, so that -0 and NaN count; keys in their order,
 * because that is the order in which they are printed.
 */
export function difference(a: unknown, b: unknown, at = ''): string | undefined {
  if (Object.is(a, b)) return undefined;
  const differs = `${at || '.'}: ${shown(a)} against ${shown(b)}`;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return differs;
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return differs;
  if (ArrayBuffer.isView(a) || Array.isArray(a)) {
    const [left, right] = [a, b] as unknown as [ArrayLike<unknown>, ArrayLike<unknown>];
    if (left.length !== right.length) return differs;
    for (let i = 0; i < left.length; i++) {
      const found = difference(left[i], right[i], `${at}[${i}]`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  const keys = Object.keys(a);
  if (keys.join('\0') !== Object.keys(b).join('\0')) return differs;
  for (const key of keys) {
    const [left, right] = [a, b] as Record<string, unknown>[];
    const found = difference(left![key], right![key], `${at}.${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Equal in every number and, as printed, byte for byte. */
export function assertSame(where: string, a: unknown, b: unknown): void {
  const found = difference(a, b);
  if (found !== undefined) throw new Error(`${where}\n  ${found}`);
  if (JSON.stringify(a) !== JSON.stringify(b)) throw new Error(`${where}\n  differs as JSON`);
}

const shown = (value: unknown): string => {
  const text = Object.is(value, -0)
    ? '-0'
    : typeof value === 'number'
      ? String(value)
      : JSON.stringify(value, (_key, part) =>
          ArrayBuffer.isView(part) ? [...(part as Float64Array)] : part,
        );
  return text === undefined || text.length <= 600 ? String(text) : `${text.slice(0, 600)}...`;
};
