import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { afterAll, describe, expect, it } from 'vitest';
import { extract } from '../../../src/ingest/code/extract.js';
import { languageOf } from '../../../src/ingest/code/languages.js';
import { Parsers } from '../../../src/ingest/code/parser.js';

/** Names, lines and kinds of functions, methods and classes as an independent tool finds them with TypeScript's parser. */
const tool = new URL('../../../../shared/tools/code_symbols.mjs', import.meta.url).href;
const { symbolsOf } = await import(/* @vite-ignore */ tool);
const root = fileURLToPath(new URL('../../../', import.meta.url));
const parsers = new Parsers();
afterAll(() => parsers.close());

const FOLDERS = [
  'src',
  'bench',
  'node_modules/hono/dist',
  'node_modules/commander',
  'node_modules/apache-arrow/src',
].concat(['node_modules/natural/lib/natural', 'node_modules/fast-check/lib']);

function* scripts(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && entry.name !== 'node_modules') yield* scripts(path);
    else if (/\.[mc]?[jt]sx?$/.test(path) && !/\.d\.[mc]?ts$/.test(path)) yield path;
  }
}

describe.each(FOLDERS)('symbols of %s', (folder) => {
  it('are those that TypeScript finds', async () => {
    let count = 0;
    for (const file of scripts(join(root, folder))) {
      const text = readFileSync(file, 'utf8');
      const { language } = languageOf(file)!;
      const facts = await parsers.parse(language.grammar, text, (tree) => extract(tree, text, language));
      const found = facts!.symbols
        .filter(({ kind }) => ['function', 'method', 'class'].includes(kind))
        .map(({ name, startLine, endLine }) => `${name} ${startLine}-${endLine}`);
      const expected = symbolsOf(ts, file, text).symbols.map(
        (one: { name: string; startLine: number; endLine: number }) =>
          `${one.name} ${one.startLine}-${one.endLine}`,
      );
      expect(found.sort(), file).toEqual(expected.sort());
      count += found.length;
    }
    expect(count).toBeGreaterThan(50);
  }, 120_000);
});
