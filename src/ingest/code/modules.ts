import { posix } from 'node:path';
import type { FileFacts } from './facts.js';

/** What a resolver may look at: the files of the tree by path, with '/' between folders. */
export interface Files {
  has(path: string): boolean;
  facts(path: string): FileFacts | undefined;
  /** All paths whose last part is this. */
  named(base: string): readonly string[];
  /** Text of a file that is no source, for example package.json; undefined when there is none. */
  text(path: string): string | undefined;
  all: readonly string[];
}

/** The files that an import in the file `from` means; none when they are not in the tree. */
export type ModuleResolver = (files: Files, from: string, module: string) => readonly string[];

const join = (...parts: string[]): string => posix.normalize(posix.join(...parts)).replace(/^\.\//, '');

const first = (files: Files, candidates: readonly string[]): readonly string[] => {
  const found = candidates.find((path) => files.has(path));
  return found === undefined ? [] : [found];
};

const SCRIPT = ['.ts', '.tsx', '.mts', '.cts', '.js', '.mjs', '.cjs', '.jsx'];

function scripts(path: string): string[] {
  const source = /\.[mc]?jsx?$/.test(path) ? [path.replace(/js(x?)$/, 'ts$1')] : [];
  return [path, ...source, ...SCRIPT.map((end) => path + end), ...SCRIPT.map((end) => `${path}/index${end}`)];
}

/** Relative paths, index files, and packages of the tree by the name in their package.json. */
export const scriptModule: ModuleResolver = (files, from, module) => {
  if (module.startsWith('.')) return first(files, scripts(join(posix.dirname(from), module)));
  for (const manifest of files.named('package.json')) {
    const described = packageOf(files.text(manifest));
    if (described === undefined || (module !== described.name && !module.startsWith(`${described.name}/`)))
      continue;
    const folder = posix.dirname(manifest);
    const within = module.slice(described.name.length + 1);
    const entry = within === '' ? described.main : within;
    const found = first(files, [
      ...scripts(join(folder, entry)),
      ...scripts(join(folder, 'src', within || 'index')),
    ]);
    if (found.length > 0) return found;
  }
  return [];
};

function packageOf(text: string | undefined): { name: string; main: string } | undefined {
  try {
    const { name, main } = JSON.parse(text ?? '');
    return typeof name === 'string' ? { name, main: typeof main === 'string' ? main : 'index' } : undefined;
  } catch {
    return undefined;
  }
}

/** `a.b` is a/b.py or the package a/b, from the folder of the file up, or below the root or src. */
export const pythonModule: ModuleResolver = (files, from, module) => {
  const dots = /^\.*/.exec(module)![0].length;
  const path = module.slice(dots).replaceAll('.', '/');
  const places = (base: string) => {
    const whole = join(base, path);
    return [`${whole}.py`, `${whole}/__init__.py`, `${whole}.pyi`];
  };
  if (dots > 0) return first(files, places(join(posix.dirname(from), '../'.repeat(dots - 1) || '.')));
  const above: string[] = [];
  for (let folder = posix.dirname(from); folder !== '.'; folder = posix.dirname(folder)) above.push(folder);
  return first(files, ['.', 'src', ...above.reverse()].flatMap(places));
};

/** A path below the module of the nearest go.mod is a folder: all its files, tests aside. */
export const goModule: ModuleResolver = (files, _from, module) => {
  for (const manifest of files.named('go.mod')) {
    const name = /^module\s+(\S+)/m.exec(files.text(manifest) ?? '')?.[1];
    if (name === undefined || (module !== name && !module.startsWith(`${name}/`))) continue;
    const folder = join(posix.dirname(manifest), module.slice(name.length + 1));
    const found = inFolder(files, folder === '.' ? '' : folder, '.go');
    if (found.length > 0) return found.filter((path) => !path.endsWith('_test.go'));
  }
  return [];
};

/** Files of a folder itself, with an ending. */
export const inFolder = (files: Files, folder: string, end: string): string[] =>
  files.all.filter((path) => path.endsWith(end) && posix.dirname(path) === (folder || '.'));

/** `a.b.C` is the file C.java of the package a.b; `a.b.*` all files of it. */
export const javaModule: ModuleResolver = (files, _from, module) => {
  const dot = module.lastIndexOf('.');
  const [owner, name] = [module.slice(0, dot), module.slice(dot + 1)];
  const ofPackage = (path: string) => files.facts(path)?.package === owner;
  if (name === '*') return files.all.filter((path) => path.endsWith('.java') && ofPackage(path));
  const found = files.named(`${name}.java`).filter(ofPackage);
  // A nested class, or a static member: the class before it.
  return found.length > 0 || !owner.includes('.') ? found : javaModule(files, _from, owner);
};

/** `crate::a::b` is src/a/b.rs or src/a/b/mod.rs; a last part that is no file is a name in it. */
export const rustModule: ModuleResolver = (files, from, module) => {
  const parts = module.split('::');
  const source = /^(?:.*\/)?src(?=\/)/.exec(from)?.[0] ?? posix.dirname(from);
  const stem = posix.basename(from, '.rs');
  const own = ['mod', 'lib', 'main'].includes(stem) ? posix.dirname(from) : join(posix.dirname(from), stem);
  let base = source;
  if (parts[0] === 'crate') parts.shift();
  else if (parts[0] === 'self' || parts[0] === 'super') {
    base = own;
    while (parts[0] === 'super' || parts[0] === 'self')
      if (parts.shift() === 'super') base = posix.dirname(base);
  } else base = own;
  for (let length = parts.length; length > 0; length--) {
    const path = join(base, ...parts.slice(0, length));
    const found = first(files, [`${path}.rs`, `${path}/mod.rs`]);
    if (found.length > 0) return found;
  }
  return first(files, [`${base}.rs`, `${base}/mod.rs`, `${base}/lib.rs`, `${base}/main.rs`]);
};
