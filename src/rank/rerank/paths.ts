/** What a path says of a file. Folders are separated by / or \, capitals do not matter. */

const TEST_FOLDERS: ReadonlySet<string> = new Set([
  'test',
  'tests',
  'spec',
  'specs',
  '__tests__',
  'e2e',
  'fixture',
  'fixtures',
  'testdata',
]);
const COMPATIBILITY: ReadonlySet<string> = new Set(['compat', 'legacy', 'shim', 'shims']);
const EXAMPLES: ReadonlySet<string> = new Set(['example', 'examples', 'demo', 'demos']);

/** File names of tests by the habits of their languages. */
const TEST_FILES: readonly RegExp[] = [
  /[^.]_(?:test|spec)\.[^.]+$/,
  /.\.(?:test|spec)\.[cm]?[jt]sx?$/,
  /^test_.*\.py$/,
  /test\.(?:java|kt|scala|cs|php)$/,
  /tests\.swift$/,
  /(?:^test_.*|_tests|_unittest|[^a-z]test|.test)\.(?:c|cc|cpp|cxx|h|hh|hpp)$/,
  /_(?:suite|tests)\.erl$/,
];

const parts = (path: string): { folders: string[]; file: string } => {
  const folders = path.toLowerCase().split(/[/\\]+/);
  return { file: folders.pop()!, folders };
};

/** Whether a file is a test: by the name of a folder above it, or by its own. */
export function isTestPath(path: string): boolean {
  const { folders, file } = parts(path);
  return folders.some((folder) => TEST_FOLDERS.has(folder)) || TEST_FILES.some((form) => form.test(file));
}

/** A file's name without folders and endings: `src/user.test.ts` has `user`. */
export function stemOf(path: string): string {
  const file = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  const dot = file.indexOf('.', 1);
  return dot < 0 ? file : file.slice(0, dot);
}

/** The hand-written file that a generated one stands beside: `a/user.pb.go` has `a/user.go`. */
export function handWritten(path: string): string | undefined {
  const peer = path.replace(/(?:[._](?:pb|gen|generated|g)|_pb2)(\.[^./\\]+)$/i, '$1');
  return peer === path ? undefined : peer;
}

/**
 * How much a file's place speaks for it, 1 at most: the first rule that fits counts (spec A.3). `has`: whether a file
 * is among the candidates.
 */
export function pathValue(path: string, has: (path: string) => boolean): number {
  const { folders, file } = parts(path);
  if (isTestPath(path)) return 0.3;
  if (folders.some((folder) => COMPATIBILITY.has(folder) || EXAMPLES.has(folder))) return 0.5;
  if (/\.(?:d\.[cm]?ts|pyi|hpp)$/.test(file) || (/\.h$/.test(file) && folders.includes('include')))
    return 0.7;
  if (/^(?:index\.tsx?|mod\.rs|lib\.rs)$/.test(file)) return 0.9;
  if (/^(?:index\.[cm]?jsx?|__init__\.py)$/.test(file)) return 0.7;
  const peer = handWritten(path);
  return peer !== undefined && has(peer) ? 0.4 : 1;
}
