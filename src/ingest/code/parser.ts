import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Parser, Tree } from 'web-tree-sitter';
import { CorankError, reasonOf } from '../../errors.js';

/** A file that takes longer is none that a person wrote. In milliseconds. */
const PATIENCE = 5_000;

/** Parses by grammars of the optional packages web-tree-sitter and @vscode/tree-sitter-wasm. */
export class Parsers {
  private readonly parsers = new Map<string, Promise<Parser>>();

  /** `use` gets the syntax tree, which is gone afterwards; undefined when the text cannot be parsed in time. */
  async parse<T>(grammar: string, text: string, use: (tree: Tree) => T): Promise<T | undefined> {
    let parser = this.parsers.get(grammar);
    if (parser === undefined) {
      parser = load(grammar);
      this.parsers.set(grammar, parser);
    }
    const ready = await parser;
    const until = performance.now() + PATIENCE;
    const tree = ready.parse(text, null, { progressCallback: () => performance.now() > until });
    if (tree === null) {
      ready.reset();
      return undefined;
    }
    try {
      return use(tree);
    } finally {
      tree.delete();
    }
  }

  async close(): Promise<void> {
    for (const parser of this.parsers.values()) (await parser).delete();
    this.parsers.clear();
  }
}

async function load(grammar: string): Promise<Parser> {
  const require = createRequire(import.meta.url);
  try {
    const path = require.resolve('web-tree-sitter');
    const { Parser, Language } = await import('web-tree-sitter');
    await Parser.init({ locateFile: (name: string) => join(dirname(path), name) });
    const folder = dirname(require.resolve('@vscode/tree-sitter-wasm/package.json'));
    const language = await Language.load(join(folder, 'wasm', `tree-sitter-${grammar}.wasm`));
    const parser = new Parser();
    parser.setLanguage(language);
    return parser;
  } catch (cause) {
    throw new CorankError(
      'NOT_CONFIGURED',
      `source code needs the optional packages web-tree-sitter and @vscode/tree-sitter-wasm (${reasonOf(cause)})`,
      { cause },
    );
  }
}
