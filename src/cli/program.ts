import { Command } from 'commander';
import { addEval } from './eval.js';
import { addIndex } from './index.js';
import { addInspect } from './inspect.js';
import { addLocalize } from './localize.js';
import { addRank } from './rank.js';
import { addSearch } from './search.js';
import { addVerify } from './verify.js';
import { addWalk } from './walk.js';

const EXAMPLES = `
Examples:
  corank index wiki/ --edges links.csv --out wiki.corank
  corank search wiki.corank "who wrote the first compiler"
  corank rank wiki.corank --queries queries.jsonl --out run.trec --retriever bm25
  corank eval --qrels qrels.tsv run.trec
  corank walk wiki.corank --seed Ada_Lovelace --seed Grace_Hopper=2
  corank localize code.corank "the router drops headers"

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 bad data, 4 denied, 130 interrupted.`;

/** The command line: errors are thrown, after commander has printed them. */
export function makeProgram(version: string, signal: AbortSignal): Command {
  const program = new Command('corank')
    .description('Ranks the nodes of a corpus for a query and a caller: words, vectors and links.')
    .version(version)
    .exitOverride()
    .configureHelp({ helpWidth: helpWidth() })
    .addHelpText('after', EXAMPLES);
  addIndex(program, signal);
  addSearch(program, signal);
  addRank(program, signal);
  addLocalize(program, signal);
  addWalk(program, signal);
  addEval(program, signal);
  addInspect(program);
  addVerify(program);
  addHelp(program);
  for (const command of [program, ...program.commands]) sayWhatIsKnown(command);
  return program;
}

/** In place of commander's own, which answers an unknown command with the help of all. */
function addHelp(program: Command): void {
  program
    .helpCommand(false)
    .command('help')
    .description('help for a command')
    .argument('[command]')
    .action((name?: string) => {
      const command = program.commands.find((one) => one.name() === name);
      if (name !== undefined && command === undefined) program.error(`error: unknown command '${name}'`);
      (command ?? program).help();
    });
}

function helpWidth(): number {
  return Math.min(process.stdout.columns ?? 100, 120);
}

/** Errors in corank's form; an unknown command or option is answered with the known ones. */
function sayWhatIsKnown(command: Command): void {
  command.configureOutput({
    outputError: (text, write) => {
      const said = text.replace(/^error: /, 'corank: ');
      write(said + knownFor(command, said));
    },
  });
}

function knownFor(command: Command, error: string): string {
  const name = command.parent === null ? command.name() : `${command.parent.name()} ${command.name()}`;
  if (error.includes('unknown command')) {
    return `known commands: ${command.commands.map((one) => one.name()).join(', ')}\n`;
  }
  if (error.includes('unknown option')) {
    const flags = command.options.map(({ long, short }) => long ?? short);
    return `known options of ${name}: ${[...flags, '--help'].join(', ')}\n`;
  }
  return `see ${name} --help\n`;
}
