import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { refusal } from '../refusal.js';
import { languageOf } from './languages.js';
import { count, isVendored, reasonOfName, repeatedFolders, type SkipCounts } from './skipped.js';

export interface TreeOptions {
  /** Patterns in the form of .gitignore: what they name is left out, whatever else says. */
  exclude?: readonly string[];
  /** Patterns in the form of .gitignore: nothing else is taken. */
  include?: readonly string[];
}

interface Rules {
  /** Folder of the .gitignore, '' or ending in '/'. */
  base: string;
  rules: Ignore;
}

/**
 * Paths of the files below a folder, with '/' between folders, in UTF-16 order, without what .gitignore files,
 * `exclude` and the rules of `skipped.ts` leave out. Links to other places are not followed.
 */
export async function walkTree(root: string, options: TreeOptions, counts: SkipCounts): Promise<string[]> {
  const excluded = ignore().add([...(options.exclude ?? [])]);
  const included = options.include === undefined ? undefined : ignore().add([...options.include]);
  const found: string[] = [];
  const visit = async (folder: string, above: readonly Rules[]): Promise<void> => {
    const entries = await readdir(join(root, folder), { withFileTypes: true }).catch((cause) => {
      throw refusal('cannot be read as a folder', { file: join(root, folder) }, cause);
    });
    const rules = [...above, ...(await rulesOf(root, folder))];
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = folder + entry.name;
      const asked = entry.isDirectory() ? `${path}/` : path;
      if (!entry.isDirectory() && !entry.isFile()) continue;
      if (entry.isDirectory() && isVendored(entry.name)) count(counts, 'vendored');
      else if (excluded.ignores(asked)) count(counts, 'excluded');
      else if (isIgnored(asked, rules)) count(counts, 'ignored');
      else if (entry.isDirectory()) await visit(asked, rules);
      else if (included !== undefined && !included.ignores(path)) count(counts, 'excluded');
      else found.push(path);
    }
  };
  await visit('', []);
  return withoutRepeats(found, counts);
}

async function rulesOf(root: string, folder: string): Promise<Rules[]> {
  const text = await readFile(join(root, folder, '.gitignore'), 'utf8').catch(() => undefined);
  return text === undefined ? [] : [{ base: folder, rules: ignore().add(text) }];
}

/** The last .gitignore that says something of a path decides. */
function isIgnored(path: string, rules: readonly Rules[]): boolean {
  for (const { base, rules: own } of [...rules].reverse()) {
    const { ignored, unignored } = own.test(path.slice(base.length));
    if (ignored || unignored) return ignored;
  }
  return false;
}

function withoutRepeats(paths: readonly string[], counts: SkipCounts): string[] {
  const repeated = [...repeatedFolders(paths)];
  return paths.filter((path) => {
    const reason = repeated.some((folder) => path.startsWith(`${folder}/`)) ? 'repeated' : reasonOfName(path);
    if (reason !== undefined) count(counts, reason);
    return reason === undefined;
  });
}

/** Whether a file of a known language lies in a folder or, up to three folders deep, below it. */
export async function hasSource(root: string, depth = 3): Promise<boolean> {
  const entries = await readdir(root, { withFileTypes: true }).catch(() => []);
  if (entries.some((entry) => entry.isFile() && languageOf(entry.name) !== undefined)) return true;
  if (depth === 0) return false;
  for (const entry of entries) {
    if (!entry.isDirectory() || isVendored(entry.name)) continue;
    if (await hasSource(join(root, entry.name), depth - 1)) return true;
  }
  return false;
}
