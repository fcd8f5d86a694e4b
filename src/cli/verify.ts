import type { Command } from 'commander';
import { CorankError, type ErrorCode } from '../errors.js';
import { table } from '../output/table.js';
import { BAD_DATA, Exit } from './exit-codes.js';
import { headed, print, printJson } from './stdout.js';

interface Problem {
  table: string;
  problem: string;
}

/** Failures to read an index at all, which are what this command is there to find. */
const DAMAGE: readonly ErrorCode[] = ['CORRUPT_INDEX', 'UNSUPPORTED_VERSION'];

export function addVerify(program: Command): void {
  program
    .command('verify')
    .summary('check every table of an index')
    .description('Checks checksums and invariants of every table. Exit code 3 when anything is damaged.')
    .argument('<dir>', 'an index')
    .option('--json', 'one JSON value (default: a table)')
    .option('--quiet', 'no progress and no notes on stderr (default: off)')
    .action(verify);
}

async function verify(dir: string, options: { json?: boolean }): Promise<void> {
  const problems = await problemsOf(dir, options.json === true);
  if (options.json) await printJson({ sound: problems.length === 0, problems });
  else if (problems.length === 0) await print('sound: every table is as it was written\n');
  else {
    const rows = problems.map(({ table: name, problem }) => [name, problem]);
    await print(headed(table([{ title: 'table' }, { title: 'problem' }], rows)));
  }
  if (problems.length === 0) return;
  const names = [...new Set(problems.map(({ table: name }) => (name === '*' ? 'the index' : name)))];
  throw new Exit(BAD_DATA, `${dir} is damaged: ${names.join(', ')}; build the index anew`);
}

async function problemsOf(dir: string, json: boolean): Promise<readonly Problem[]> {
  const { verifyIndex } = await import('../memory/verify.js');
  try {
    return await verifyIndex(dir);
  } catch (error) {
    if (json && error instanceof CorankError && DAMAGE.includes(error.code)) {
      await printJson({ sound: false, problems: [{ table: '*', problem: error.message }] });
    }
    throw error;
  }
}
