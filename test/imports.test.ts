import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

/** The import rule of DESIGN section 2: what stands further down may import what stands further up. */
const FOLDERS = [
  'ingest',
  'index',
  'memory',
  'kernels',
  'rank',
  'access',
  'score',
  'pool',
  'retrieve',
  'evaluate',
  'output',
];
const ABOVE_ALL = ['types.ts', 'errors.ts'];
const BELOW_FOLDERS = ['coordinator.ts', 'engine.ts', 'batch.ts'];
const LAST_FOLDER = 'cli';
/** May import everything; nothing may import it. */
const FACE = 'index.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

interface Import {
  /** As written. */
  from: string;
  /** Nothing of it is left in the built file. */
  typeOnly: boolean;
  /** The imported file below the root, when it is one of this repository. */
  file: string | undefined;
  line: number;
}

interface Source {
  path: string;
  tree: ts.SourceFile;
  imports: Import[];
}

const slashed = (path: string): string => path.split(sep).join('/');

function filesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => slashed(join(folder, name)))
    .filter((name) => name.endsWith('.ts'))
    .sort();
}

function read(path: string): Source {
  const text = readFileSync(join(root, path), 'utf8');
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true);
  const imports: Import[] = [];
  const add = (at: ts.Node, name: ts.Node | undefined, typeOnly: boolean): void => {
    if (name === undefined || !ts.isStringLiteralLike(name)) return;
    const line = tree.getLineAndCharacterOfPosition(at.getStart()).line + 1;
    imports.push({ from: name.text, typeOnly, file: resolved(path, name.text), line });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) {
      add(node, node.moduleSpecifier, node.importClause?.isTypeOnly === true);
    } else if (ts.isExportDeclaration(node)) {
      add(node, node.moduleSpecifier, node.isTypeOnly);
    } else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      add(node, node.argument.literal, true);
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      add(node, node.arguments[0], false);
    } else if (ts.isImportEqualsDeclaration(node) && ts.isExternalModuleReference(node.moduleReference)) {
      add(node, node.moduleReference.expression, node.isTypeOnly);
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return { path, tree, imports };
}

function resolved(importer: string, from: string): string | undefined {
  if (!from.startsWith('.')) return undefined;
  const file = resolve(join(root, dirname(importer)), from);
  return slashed(relative(root, file)).replace(/\.js$/, '.ts');
}

const sources = filesBelow('src').map(read);
const byPath = new Map(sources.map((source) => [source.path, source]));
/** Every import of a file in src/, as a line for messages. */
const imports = sources.flatMap(({ path, imports }) =>
  imports.map((one) => ({ ...one, path, told: `${path}:${one.line} imports ${one.from}` })),
);

/** Which part of src/ a file belongs to: its top folder, or itself when it lies at the top. */
const partOf = (path: string): string => path.split('/')[1]!;

/** How far down a part stands; those of one height may import each other, as long as there is no cycle. */
function heightOf(part: string): number {
  if (ABOVE_ALL.includes(part)) return 0;
  if (FOLDERS.includes(part)) return 1 + FOLDERS.indexOf(part);
  if (BELOW_FOLDERS.includes(part)) return 1 + FOLDERS.length;
  if (part === LAST_FOLDER) return 2 + FOLDERS.length;
  if (part === FACE) return 3 + FOLDERS.length;
  return Number.NaN;
}

describe('the import rule', () => {
  it('knows the place of every file and folder of src/', () => {
    expect(sources.length).toBeGreaterThan(50);
    const unknown = [...new Set(sources.map(({ path }) => partOf(path)))].filter((part) =>
      Number.isNaN(heightOf(part)),
    );
    expect(unknown).toEqual([]);
  });

  it('finds every file that is imported by a relative path, and it lies in src/', () => {
    const lost = imports.filter(({ file }) => file !== undefined && !byPath.has(file));
    expect(lost.map(({ told }) => told)).toEqual([]);
  });

  it('lets a folder import those above it, never those under it', () => {
    const wrong = imports.filter(({ path, file }) => {
      if (file === undefined) return false;
      return heightOf(partOf(file)) > heightOf(partOf(path));
    });
    expect(wrong.map(({ told }) => told)).toEqual([]);
  });

  it('keeps types and errors above all: they import nothing of src/', () => {
    const wrong = imports.filter(
      ({ path, file }) => ABOVE_ALL.includes(partOf(path)) && file !== undefined && !isAboveAll(file),
    );
    expect(wrong.map(({ told }) => told)).toEqual([]);
  });

  it('has no cycle between files, type imports included', () => {
    expect(cycles()).toEqual([]);
  });

  it('lets nobody import src/index.ts', () => {
    expect(imports.filter(({ file }) => file === `src/${FACE}`).map(({ told }) => told)).toEqual([]);
  });
});

const isAboveAll = (file: string): boolean => ABOVE_ALL.includes(partOf(file));

/** Each cycle once, as the files on it. */
function cycles(): string[] {
  const found: string[] = [];
  const state = new Map<string, 'open' | 'done'>();
  const trail: string[] = [];
  const visit = (path: string): void => {
    if (state.get(path) === 'done') return;
    if (state.get(path) === 'open') {
      found.push([...trail.slice(trail.indexOf(path)), path].join(' -> '));
      return;
    }
    state.set(path, 'open');
    trail.push(path);
    for (const { file } of byPath.get(path)?.imports ?? []) {
      if (file !== undefined && byPath.has(file)) visit(file);
    }
    trail.pop();
    state.set(path, 'done');
  };
  for (const { path } of sources) visit(path);
  return found;
}

describe('borders', () => {
  it('src/index.ts contains exports only', () => {
    const { tree } = byPath.get(`src/${FACE}`)!;
    const others = tree.statements.filter(
      (statement) => !ts.isExportDeclaration(statement) || statement.moduleSpecifier === undefined,
    );
    expect(others.map((statement) => statement.getText())).toEqual([]);
  });

  it('assembly/ imports only from assembly/', () => {
    const wrong = filesBelow('assembly')
      .map(read)
      .flatMap(({ path, imports }) => imports.map((one) => ({ ...one, path })))
      .filter(({ file }) => file === undefined || !file.startsWith('assembly/'));
    expect(wrong.map(({ path, line, from }) => `${path}:${line} imports ${from}`)).toEqual([]);
  });

  it('src/ imports nothing that lies outside of it: no tests, references, benches or assembly', () => {
    const wrong = imports.filter(({ file }) => file !== undefined && !file.startsWith('src/'));
    expect(wrong.map(({ told }) => told)).toEqual([]);
    const named = imports.filter(({ from }) => /(^|\/)(test|bench|assembly)\//.test(from));
    expect(named.map(({ told }) => told)).toEqual([]);
  });

  it('only src/kernels/load.ts imports the loader of AssemblyScript', () => {
    const importers = imports.filter(({ from }) => from.startsWith('@assemblyscript/'));
    expect([...new Set(importers.map(({ path }) => path))]).toEqual(['src/kernels/load.ts']);
  });

  it('only src/index/hnsw.ts knows hnswlib-node, whose native code trusts its caller', () => {
    const knowing = sources.filter(({ tree }) => /['"`]hnswlib-node['"`/]/.test(tree.text));
    expect(knowing.map(({ path }) => path)).toEqual(['src/index/hnsw.ts']);
  });

  it('natural is imported by sub-path, and only in src/ingest/', () => {
    const importers = imports.filter(({ from }) => from === 'natural' || from.startsWith('natural/'));
    expect(importers.length).toBeGreaterThan(0);
    const wrong = importers.filter(
      ({ from, path }) => !from.startsWith('natural/lib/') || !path.startsWith('src/ingest/'),
    );
    expect(wrong.map(({ told }) => told)).toEqual([]);
  });

  it('the coordinator stays thin: under 150 lines', () => {
    expect(byPath.get('src/coordinator.ts')!.tree.text.trimEnd().split('\n').length).toBeLessThan(150);
  });

  it('the coordinator knows no file format, kernel or parameter: only access, retrieve, rank, types, errors', () => {
    const known = ['access', 'retrieve', 'rank', 'types.ts', 'errors.ts'];
    const wrong = imports.filter(
      ({ path, file }) =>
        path === 'src/coordinator.ts' && (file === undefined || !known.includes(partOf(file))),
    );
    expect(wrong.map(({ told }) => told)).toEqual([]);
  });

  it('a worker thread loads neither apache-arrow nor natural nor piscina', () => {
    const loaded = new Map<string, string>();
    const visit = (path: string, by: string): void => {
      for (const { file, from, typeOnly } of byPath.get(path)!.imports) {
        if (typeOnly) continue;
        const name = file ?? from;
        const trail = `${by} -> ${name}`;
        if (loaded.has(name)) continue;
        loaded.set(name, trail);
        if (file !== undefined) visit(file, trail);
      }
    };
    visit('src/pool/worker.ts', 'src/pool/worker.ts');
    expect(loaded.size).toBeGreaterThan(5);
    const heavy = [...loaded].filter(([name]) => /^(apache-arrow|natural|piscina)(\/|$)/.test(name));
    expect(heavy.map(([, trail]) => trail)).toEqual([]);
  });
});
