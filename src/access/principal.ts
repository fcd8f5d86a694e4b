import { CorankError, quote, reasonOf } from '../errors.js';
import type { AccessMode, Principal } from '../types.js';

/** Turns an opaque identity of the embedding service into a principal; null means that it may ask nothing. */
export type GrantsFor = (identity: unknown) => Promise<Principal | null> | Principal | null;

export type Caller = { mode: 'open' } | { mode: 'scoped'; org: string; grants: string[]; sources: string[] };

export interface Asking {
  principal?: unknown;
  sources?: readonly string[] | null | undefined;
}

/**
 * Who asks, checked in this order: the access mode, the principal, its grants, the sources.
 * Throws ACCESS_MODE, NO_PRINCIPAL, NO_SOURCES, INVALID_INPUT.
 */
export async function callerOf(mode: AccessMode, asking: Asking, grantsFor?: GrantsFor): Promise<Caller> {
  try {
    return await checkedCaller(mode, asking, grantsFor);
  } catch (cause) {
    if (cause instanceof CorankError) throw cause;
    // Whoever cannot be asked who he is, a service that is down included, may see nothing.
    throw new CorankError('NO_PRINCIPAL', `who asks cannot be told: ${reasonOf(cause)}`, { cause });
  }
}

async function checkedCaller(mode: AccessMode, asking: Asking, grantsFor?: GrantsFor): Promise<Caller> {
  if (mode === 'open') return openCaller(asking);
  if (asking.principal === 'open') {
    throw new CorankError(
      'ACCESS_MODE',
      "this index is scoped: ask with a principal and sources, not with 'open'",
    );
  }
  const principal = await principalOf(asking.principal, grantsFor);
  const sources = asking.sources;
  if (sources === undefined || sources === null || (Array.isArray(sources) && sources.length === 0)) {
    throw new CorankError(
      'NO_SOURCES',
      'no sources named: an empty list asks nothing of any source, it is not leave to read them all',
    );
  }
  return {
    mode: 'scoped',
    org: principal.org,
    grants: [...new Set(principal.grants)].sort(),
    sources: [...new Set(strings(sources, 'sources'))].sort(),
  };
}

function openCaller(asking: Asking): Caller {
  if (asking.principal === undefined || asking.principal === null) {
    throw new CorankError('NO_PRINCIPAL', "no principal: an open index is asked with principal 'open'");
  }
  if (asking.principal !== 'open') {
    throw new CorankError(
      'ACCESS_MODE',
      "this index is open and would not enforce a principal: ask with principal 'open', or build the index scoped",
    );
  }
  if (asking.sources !== undefined && asking.sources !== null) {
    throw new CorankError(
      'ACCESS_MODE',
      'this index is open and has no sources to choose from: leave them out',
    );
  }
  return { mode: 'open' };
}

async function principalOf(given: unknown, grantsFor: GrantsFor | undefined): Promise<Principal> {
  let principal = given;
  if (grantsFor !== undefined && given !== undefined && given !== null) {
    if (looksReady(given)) {
      throw new CorankError(
        'NO_PRINCIPAL',
        'this engine derives grants itself (grantsFor): pass the identity, not a ready-made principal',
      );
    }
    principal = await grantsFor(given);
  }
  if (principal === undefined || principal === null || typeof principal !== 'object') throw noPrincipal();
  const { org, grants } = principal as Partial<Principal>;
  if (typeof org !== 'string' || org === '' || !org.isWellFormed()) throw noPrincipal();
  if (!Array.isArray(grants) || grants.length === 0) throw noPrincipal();
  return { org, grants: strings(grants, 'grants') };
}

const looksReady = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'grants' in value;

const noPrincipal = (): CorankError =>
  new CorankError(
    'NO_PRINCIPAL',
    'a caller needs an organisation and at least one grant: { org, grants: [...] }',
  );

function strings(values: unknown, what: string): string[] {
  if (!Array.isArray(values)) throw new CorankError('INVALID_INPUT', `${what} must be a list of strings`);
  for (const value of values) {
    if (typeof value !== 'string' || value === '' || !value.isWellFormed()) {
      throw new CorankError('INVALID_INPUT', `${what} holds ${quote(value)}: expected non-empty strings`);
    }
  }
  return values as string[];
}
