import { readFile } from 'node:fs/promises';
import { CorankError } from '../errors.js';
import { refusal } from '../ingest/refusal.js';
import type { AccessMode } from '../types.js';
import { usage } from './exit-codes.js';

export interface CallerOptions {
  /** JSON, or the name of a file with it. */
  principal?: string;
  sources?: readonly string[];
}

/** Who asks, as far as the command line says. */
export interface Asking {
  principal?: unknown;
  sources?: readonly string[];
}

/** An open index is asked as such; for a scoped one nothing is made up. */
export async function askingOf(access: AccessMode, options: CallerOptions): Promise<Asking> {
  const { principal, sources } = options;
  if (access === 'scoped') {
    return {
      ...(principal === undefined ? {} : { principal: await readPrincipal(principal) }),
      ...(sources === undefined ? {} : { sources }),
    };
  }
  if (principal === undefined && sources === undefined) return { principal: 'open' };
  throw new CorankError(
    'ACCESS_MODE',
    'this index is open and would not enforce a principal: leave --principal and --sources out, or build it with access columns',
  );
}

async function readPrincipal(given: string): Promise<unknown> {
  if (/^\s*[{["]|^\s*null\s*$/.test(given)) {
    return parse(given, (why) =>
      usage(`--principal is not valid JSON (${why}); write {"org": "...", "grants": ["..."]}`),
    );
  }
  const text = await readFile(given, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    const why = cause.code === 'ENOENT' ? 'there is no such file' : cause.message;
    throw refusal(`cannot be read as --principal: ${why}; give a file or JSON`, { file: given }, cause);
  });
  return parse(text, (why) => refusal(`is not valid JSON (${why})`, { file: given }));
}

function parse(text: string, refused: (why: string) => Error): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw refused((cause as Error).message);
  }
}
