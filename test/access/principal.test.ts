import { describe, expect, it, vi } from 'vitest';
import { type Asking, callerOf, type GrantsFor } from '../../src/access/principal.js';
import { CorankError, type ErrorCode } from '../../src/errors.js';

const principal = { org: 'acme', grants: ['role:ops'] };
const sources = ['wiki'];

async function outcome(mode: 'open' | 'scoped', asking: Asking, grantsFor?: GrantsFor): Promise<unknown> {
  return callerOf(mode, asking, grantsFor).catch((error) => {
    if (!(error instanceof CorankError)) throw error;
    return error.code;
  });
}

describe('a scoped index', () => {
  it('takes an organisation, grants and sources, each once and sorted', async () => {
    const grants = ['b', 'a', 'b'];
    expect(await outcome('scoped', { principal: { org: 'acme', grants }, sources: ['y', 'x', 'y'] })).toEqual(
      {
        mode: 'scoped',
        org: 'acme',
        grants: ['a', 'b'],
        sources: ['x', 'y'],
      },
    );
  });

  const table: [what: string, asking: Asking, code: ErrorCode][] = [
    ['no principal', { sources }, 'NO_PRINCIPAL'],
    ['null for a principal', { principal: null, sources }, 'NO_PRINCIPAL'],
    ["'open'", { principal: 'open', sources }, 'ACCESS_MODE'],
    ['a string', { principal: 'root', sources }, 'NO_PRINCIPAL'],
    ['a list', { principal: ['acme'], sources }, 'NO_PRINCIPAL'],
    ['an empty object', { principal: {}, sources }, 'NO_PRINCIPAL'],
    ['no organisation', { principal: { grants: ['a'] }, sources }, 'NO_PRINCIPAL'],
    ['an empty organisation', { principal: { org: '', grants: ['a'] }, sources }, 'NO_PRINCIPAL'],
    ['an organisation that is no string', { principal: { org: 7, grants: ['a'] }, sources }, 'NO_PRINCIPAL'],
    ['no grants', { principal: { org: 'acme' }, sources }, 'NO_PRINCIPAL'],
    ['empty grants', { principal: { org: 'acme', grants: [] }, sources }, 'NO_PRINCIPAL'],
    ['grants that are a string', { principal: { org: 'acme', grants: 'all' }, sources }, 'NO_PRINCIPAL'],
    ['a grant that is no string', { principal: { org: 'acme', grants: [7] }, sources }, 'INVALID_INPUT'],
    ['an empty grant', { principal: { org: 'acme', grants: [''] }, sources }, 'INVALID_INPUT'],
    [
      'a grant that is half a pair',
      { principal: { org: 'acme', grants: ['\ud800'] }, sources },
      'INVALID_INPUT',
    ],
    ['no sources', { principal }, 'NO_SOURCES'],
    ['null for sources', { principal, sources: null }, 'NO_SOURCES'],
    ['empty sources', { principal, sources: [] }, 'NO_SOURCES'],
    ['sources that are a string', { principal, sources: 'wiki' as never }, 'INVALID_INPUT'],
    ['an empty source', { principal, sources: [''] }, 'INVALID_INPUT'],
    ['a source that is no string', { principal, sources: [null as never] }, 'INVALID_INPUT'],
    ['neither grants nor sources', { principal: { org: 'acme', grants: [] }, sources: [] }, 'NO_PRINCIPAL'],
  ];

  it.each(table)('refuses %s', async (_, asking, code) => {
    expect(await outcome('scoped', asking)).toBe(code);
  });
});

describe('an open index', () => {
  it("takes 'open' and nothing beside it", async () => {
    expect(await outcome('open', { principal: 'open' })).toEqual({ mode: 'open' });
    expect(await outcome('open', { principal: 'open', sources: undefined })).toEqual({ mode: 'open' });
  });

  it.each([
    ['no principal', {}, 'NO_PRINCIPAL'],
    ['null for a principal', { principal: null }, 'NO_PRINCIPAL'],
    ['a real principal, which it would not enforce', { principal }, 'ACCESS_MODE'],
    ['a real principal with sources', { principal, sources }, 'ACCESS_MODE'],
    ['sources, which it does not have', { principal: 'open', sources }, 'ACCESS_MODE'],
    ['an empty list of sources', { principal: 'open', sources: [] }, 'ACCESS_MODE'],
  ] as [string, Asking, ErrorCode][])('refuses %s', async (_, asking, code) => {
    expect(await outcome('open', asking)).toBe(code);
  });
});

describe('grantsFor', () => {
  it('turns an identity into a principal', async () => {
    const grantsFor = vi.fn((identity: unknown) => ({ org: 'acme', grants: [`user:${identity}`] }));
    expect(await outcome('scoped', { principal: 'jo', sources }, grantsFor)).toMatchObject({
      org: 'acme',
      grants: ['user:jo'],
    });
    expect(grantsFor.mock.calls).toEqual([['jo']]);
  });

  it('may take its time', async () => {
    expect(
      await outcome('scoped', { principal: { token: 'x' }, sources }, async () => principal),
    ).toMatchObject(principal);
  });

  it.each([
    ['null', null],
    ['empty grants', { org: 'acme', grants: [] }],
    ['no organisation', { org: '', grants: ['a'] }],
    ['nothing', undefined],
    ["'open'", 'open'],
  ])('that answers with %s means no principal', async (_, answer) => {
    expect(await outcome('scoped', { principal: 'jo', sources }, () => answer as never)).toBe('NO_PRINCIPAL');
  });

  it('keeps ready-made principals out', async () => {
    const grantsFor = vi.fn(() => principal);
    expect(await outcome('scoped', { principal, sources }, grantsFor)).toBe('NO_PRINCIPAL');
    expect(grantsFor).not.toHaveBeenCalled();
  });

  it('is not asked without an identity, and comes before the check of sources', async () => {
    const grantsFor = vi.fn(() => null);
    expect(await outcome('scoped', { principal: undefined, sources }, grantsFor)).toBe('NO_PRINCIPAL');
    expect(await outcome('scoped', { principal: null, sources }, grantsFor)).toBe('NO_PRINCIPAL');
    expect(grantsFor).not.toHaveBeenCalled();
    expect(await outcome('scoped', { principal: 'jo', sources: [] }, grantsFor)).toBe('NO_PRINCIPAL');
  });
});
