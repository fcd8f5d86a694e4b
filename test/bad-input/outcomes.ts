/** What a case may end in. Whatever else happens (another error class, a time-out) fails it. */

import { expect } from 'vitest';
import { CorankError, type ErrorCode } from '../../dist/errors.js';
import { type Ran, run } from './cli.js';

export type Outcome<T> = (acting: Promise<T>) => Promise<void>;

/** A CorankError with one of these codes, whose one-line sentence says all of `says`. */
export function refused(codes: ErrorCode | readonly ErrorCode[], ...says: RegExp[]): Outcome<unknown> {
  return async (acting) => {
    const error = await acting.then(
      (value) => expect.fail(`accepted: ${String(JSON.stringify(value, plain)).slice(0, 300)}`),
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof CorankError)) {
      expect.fail(`no CorankError: ${error instanceof Error ? error.stack : String(error)}`);
    }
    expect([codes].flat(), error.message).toContain(error.code);
    expect(error.message).toMatch(/^[^\n]{10,}$/);
    for (const part of says) expect(error.message).toMatch(part);
  };
}

/** A result for which `check` holds. */
export function answers<T>(check: (value: T) => void): Outcome<T> {
  return async (acting) => check(await acting);
}

/** Either is as good as the other. */
export function either<T>(one: Outcome<T>, other: Outcome<T>): Outcome<T> {
  return async (acting) => {
    try {
      await one(acting);
    } catch {
      await other(acting);
    }
  };
}

/** The rejection is this very value: a signal's reason, or what the caller's own stream threw. */
export function rejectsWith(reason: unknown): Outcome<unknown> {
  return (acting) => expect(acting).rejects.toBe(reason);
}

const plain = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? `${value}n` : value);

export const command =
  (...args: string[]) =>
  (): Promise<Ran> =>
    run(args);

/**
 * The exit code, one sentence on stderr that says all of `says`, nothing on stdout. Wrong usage may be followed
 * by a line with what is known.
 */
export function fails(code: number, ...says: RegExp[]): Outcome<Ran> {
  return async (acting) => {
    const ran = await acting;
    expect(ran, ran.stderr).toMatchObject({ code, stdout: '' });
    expectSentence(ran.stderr, code === 2 ? 3 : 1);
    for (const part of says) expect(ran.stderr).toMatch(part);
  };
}

/** As `fails`, for `verify`, which prints what it found on stdout. */
export function finds(...says: RegExp[]): Outcome<Ran> {
  return async (acting) => {
    const ran = await acting;
    expect(ran.code, ran.stderr).toBe(3);
    expectSentence(ran.stderr, 1);
    for (const part of says) expect(ran.stdout + ran.stderr).toMatch(part);
  };
}

function expectSentence(stderr: string, most: number): void {
  expect(stderr).toMatch(/^corank: \S/);
  expect(stderr).not.toMatch(/\n\s+at |node:internal|UnhandledPromise|\bundefined\b/);
  expect(stderr.trimEnd().split('\n').length, stderr).toBeLessThanOrEqual(most);
}

export function succeeds(check: (ran: Ran) => void = () => {}): Outcome<Ran> {
  return async (acting) => {
    const ran = await acting;
    expect(ran.code, ran.stderr).toBe(0);
    check(ran);
  };
}
