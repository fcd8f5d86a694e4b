#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { CommanderError } from 'commander';
import { DONE, Exit, exitCodeOf, messageOf, USAGE } from './exit-codes.js';
import { Notes } from './notes.js';
import { makeProgram } from './program.js';

const interrupt = new AbortController();
// Once: a second Ctrl-C ends the process at once.
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.once(name, () => interrupt.abort(new Exit(128 + constants.signals[name], 'interrupted')));
}
// A reader that has left ends the output, not the process with a stack trace; whoever writes data asks the stream.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

process.exitCode = await run();

async function run(): Promise<number> {
  try {
    await makeProgram(version(), interrupt.signal).parseAsync();
    return DONE;
  } catch (error) {
    // Commander has printed its message.
    if (error instanceof CommanderError) return error.exitCode === 0 ? DONE : USAGE;
    const cause = interrupt.signal.aborted ? interrupt.signal.reason : error;
    new Notes().error(messageOf(cause));
    return exitCodeOf(cause);
  }
}

function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
