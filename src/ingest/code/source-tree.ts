import { readFile, stat } from 'node:fs/promises';
import { join, posix } from 'node:path';
import type { Edge, Node } from '../../types.js';
import { extract } from './extract.js';
import type { CodeSymbol, FileFacts } from './facts.js';
import { languageOf } from './languages.js';
import { idOf, type Links, link, type SourceFile } from './link.js';
import type { Files } from './modules.js';
import { Parsers } from './parser.js';
import { count, isDeclarationBesideSource, reasonOfBytes, reasonOfText, type SkipCounts } from './skipped.js';
import { type TreeOptions, walkTree } from './walk-tree.js';

export interface SourceTreeOptions extends TreeOptions {
  signal?: AbortSignal;
  onProgress?: (progress: { done: number; of: number }) => void;
}

export interface SourceTreeReport {
  files: number;
  symbols: number;
  /** Files that are indexed as text: of no known language, and those that could not be parsed. */
  asText: number;
  notParsed: number;
  skipped: SkipCounts;
  calls: Links['calls'];
}

export interface SourceTree {
  nodes: Node[];
  edges: Edge[];
  report: SourceTreeReport;
}

/** Larger files are none that people write. In bytes. */
const LARGEST = 8 * 2 ** 20;
const EMPTY: FileFacts = { symbols: [], imports: [], uses: [], exportedAs: new Map() };

/**
 * Files and symbols of a folder as nodes, and what connects them. The id of a file is its path, that of a symbol
 * `path#Dotted.name`. Throws NOT_CONFIGURED when the optional parsers are missing, INVALID_INPUT for no folder.
 */
export async function readSourceTree(root: string, options: SourceTreeOptions = {}): Promise<SourceTree> {
  const skipped: SkipCounts = {};
  const paths = await walkTree(root, options, skipped);
  const known = new Set(paths);
  const texts = new Map<string, string>();
  const sources = new Map<string, SourceFile>();
  const report: SourceTreeReport = {
    ...{ files: 0, symbols: 0, asText: 0, notParsed: 0, skipped },
    calls: { resolved: 0, inferred: 0, unresolved: 0 },
  };
  const parsers = new Parsers();
  try {
    for (const [done, path] of paths.entries()) {
      options.signal?.throwIfAborted();
      options.onProgress?.({ done, of: paths.length });
      const text = await textOf(root, path, known, skipped);
      if (text === undefined) continue;
      texts.set(path, text);
      const facts = await factsOf(parsers, path, text);
      if (facts === undefined) report.notParsed++;
      if (facts === undefined || languageOf(path) === undefined) report.asText++;
      sources.set(path, { path, facts: facts ?? EMPTY, resolve: languageOf(path)?.resolve, siblings: [] });
    }
  } finally {
    await parsers.close();
  }
  addSiblings(sources);
  const { edges, calls } = link(sources, filesOf(sources, texts));
  const nodes = [...sources.values()].flatMap((source) => nodesOf(source, texts.get(source.path)!));
  return {
    nodes,
    edges,
    report: { ...report, files: sources.size, symbols: nodes.length - sources.size, calls },
  };
}

/** The text of a file, invalid UTF-8 replaced; undefined when it is left out, which is counted. */
async function textOf(
  root: string,
  path: string,
  known: ReadonlySet<string>,
  skipped: SkipCounts,
): Promise<string | undefined> {
  if (isDeclarationBesideSource(path, (other) => known.has(other))) return void count(skipped, 'declaration');
  const file = join(root, path);
  const { size } = await stat(file).catch(() => ({ size: -1 }));
  if (size > LARGEST) return void count(skipped, 'too_large');
  const bytes = size < 0 ? undefined : await readFile(file).catch(() => undefined);
  if (bytes === undefined) return void count(skipped, 'unreadable');
  const isBinary = reasonOfBytes(bytes);
  if (isBinary !== undefined) return void count(skipped, isBinary);
  const text = new TextDecoder().decode(bytes);
  const reason = reasonOfText(text);
  if (reason !== undefined) return void count(skipped, reason);
  return text;
}

/** Files of one package see each other. */
function addSiblings(sources: ReadonlyMap<string, SourceFile>): void {
  const groups = new Map<string, string[]>();
  const groupOf = ({ path, facts }: SourceFile) => languageOf(path)?.group?.(path, facts.package ?? '');
  for (const source of sources.values()) {
    const group = groupOf(source);
    if (group === undefined) continue;
    const members = groups.get(group) ?? [];
    members.push(source.path);
    groups.set(group, members);
  }
  for (const source of sources.values()) {
    const members = groups.get(groupOf(source) ?? '') ?? [];
    source.siblings = members.filter((path) => path !== source.path);
  }
}

/** What the file says; nothing for a language that nobody knows, undefined when it cannot be parsed. */
async function factsOf(parsers: Parsers, path: string, text: string): Promise<FileFacts | undefined> {
  const known = languageOf(path);
  if (known === undefined) return EMPTY;
  return parsers.parse(known.language.grammar, text, (tree) => extract(tree, text, known.language));
}

function filesOf(sources: ReadonlyMap<string, SourceFile>, texts: ReadonlyMap<string, string>): Files {
  const all = [...sources.keys()];
  const byBase = new Map<string, string[]>();
  for (const path of all) {
    const base = posix.basename(path);
    const same = byBase.get(base) ?? [];
    same.push(path);
    byBase.set(base, same);
  }
  return {
    all,
    has: (path) => sources.has(path),
    facts: (path) => sources.get(path)?.facts,
    named: (base) => byBase.get(base) ?? [],
    text: (path) => texts.get(path),
  };
}

function nodesOf({ path, facts: { symbols } }: SourceFile, text: string): Node[] {
  const names = [...new Set(symbols.map(({ name }) => shortName(name)))];
  const file: Node = {
    id: path,
    kind: 'file',
    title: path,
    path,
    text,
    startLine: 1,
    endLine: text.split('\n').length,
    ...(names.length === 0 ? {} : { heading: names.join(' ') }),
  };
  return [file, ...symbols.map((symbol) => symbolNode(path, symbol, symbols, text))];
}

const shortName = (name: string): string => name.slice(name.lastIndexOf('.') + 1).replace(/~\d+$/, '');

function symbolNode(path: string, symbol: CodeSymbol, symbols: readonly CodeSymbol[], text: string): Node {
  const container = symbols[symbol.parent]?.name;
  return {
    id: idOf(path, symbol),
    kind: symbol.kind,
    name: shortName(symbol.name),
    qualifiedName: symbol.name,
    path,
    startLine: symbol.startLine,
    endLine: symbol.endLine,
    signature: symbol.signature,
    text: text.slice(symbol.start, symbol.end).toWellFormed(),
    meta: { exported: symbol.exported },
    ...(container === undefined ? {} : { container }),
    ...(symbol.doc === '' ? {} : { heading: symbol.doc }),
  };
}
