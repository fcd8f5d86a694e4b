import type { Edge } from '../../types.js';
import type { CodeSymbol, FileFacts, Import, Use } from './facts.js';
import type { Files, ModuleResolver } from './modules.js';

export interface SourceFile {
  path: string;
  facts: FileFacts;
  /** Undefined for languages whose imports are not understood: their names are told apart by being unique. */
  resolve: ModuleResolver | undefined;
  /** Other files whose names this one sees without importing them: those of its Go or Java package. */
  siblings: readonly string[];
}

export interface Links {
  edges: Edge[];
  /** Calls of a name: to what it was found to mean, to the only symbol of that name, to nothing in the tree. */
  calls: { resolved: number; inferred: number; unresolved: number };
}

/** Certain by imports and scopes; likely because only one symbol has the name. */
const RESOLVED = { provenance: 'ast_resolved', confidence: 1 };
const INFERRED = { provenance: 'ast_inferred', confidence: 0.5 };
/** Shorter names are too common to mean their only bearer. */
const SHORTEST_INFERRED = 4;
/** How often re-exports are followed. */
const LONGEST_CHAIN = 8;

export const idOf = (path: string, { name }: CodeSymbol): string => `${path}#${name}`;

const lastOf = (name: string): string => name.slice(name.lastIndexOf('.') + 1).replace(/~\d+$/, '');

/** What a name means: a symbol of a file, or the file as a whole. */
interface Meaning {
  path: string;
  symbol?: CodeSymbol;
}

/** The edges of a tree: contains, imports, calls, references, inherits, implements; repeats weigh up to sqrt(3). */
export function link(sources: ReadonlyMap<string, SourceFile>, files: Files): Links {
  const tables = new Tables(sources, files);
  const edges = new EdgeCounts();
  const calls = { resolved: 0, inferred: 0, unresolved: 0 };
  for (const { path, facts } of sources.values()) {
    for (const symbol of facts.symbols) {
      edges.add(path, idOf(path, symbol), 'contains', RESOLVED);
      const parent = facts.symbols[symbol.parent];
      if (parent !== undefined) edges.add(idOf(path, parent), idOf(path, symbol), 'contains', RESOLVED);
    }
    for (const target of tables.imported(path)) edges.add(path, target, 'imports', RESOLVED);
    for (const use of facts.uses) {
      const user = facts.symbols[use.within];
      const from = user === undefined ? path : idOf(path, user);
      const certain = tables.resolved(path, use);
      const meaning = certain ?? tables.inferred(path, use);
      if (use.kind === 'calls') calls[certain ? 'resolved' : meaning ? 'inferred' : 'unresolved']++;
      // A file contains its symbols already.
      if (meaning === undefined || (user === undefined && meaning.path === path)) continue;
      const to = meaning.symbol === undefined ? meaning.path : idOf(meaning.path, meaning.symbol);
      if (!to.startsWith(`${from}.`)) edges.add(from, to, use.kind, certain ? RESOLVED : INFERRED);
    }
  }
  return { edges: edges.list(), calls };
}

class EdgeCounts {
  private readonly counts = new Map<string, { edge: Edge; count: number }>();

  add(from: string, to: string, kind: string, how: typeof RESOLVED): void {
    if (from === to) return;
    const key = JSON.stringify([from, to, kind]);
    const known = this.counts.get(key);
    if (known === undefined) {
      this.counts.set(key, { edge: { from, to, kind, ...how }, count: 1 });
      return;
    }
    known.count++;
    if (how.confidence > known.edge.confidence!) Object.assign(known.edge, how);
  }

  list(): Edge[] {
    return [...this.counts.values()].map(({ edge, count }) => ({
      ...edge,
      weight: Math.sqrt(Math.min(count, 3)),
    }));
  }
}

/** Names as files see them. */
class Tables {
  /** Symbols of a file by their last name, the first of each, and by their full name. */
  private readonly local = new Map<string, ReadonlyMap<string, CodeSymbol>>();
  private readonly full = new Map<string, ReadonlyMap<string, CodeSymbol>>();
  private readonly bound = new Map<string, ReadonlyMap<string, Meaning>>();
  private readonly targets = new Map<string, Set<string>>();
  /** The symbol of a last name in the whole tree; undefined where several have it. */
  private readonly unique = new Map<string, Meaning | undefined>();

  constructor(
    private readonly sources: ReadonlyMap<string, SourceFile>,
    private readonly files: Files,
  ) {
    for (const { path, facts } of sources.values()) {
      const names = new Map<string, CodeSymbol>();
      for (const symbol of facts.symbols) {
        const last = lastOf(symbol.name);
        if (!names.has(last)) names.set(last, symbol);
        this.unique.set(last, this.unique.has(last) ? undefined : { path, symbol });
      }
      this.local.set(path, names);
      this.full.set(path, new Map(facts.symbols.map((symbol) => [symbol.name, symbol])));
    }
    for (const source of sources.values()) this.bound.set(source.path, this.bindings(source));
  }

  /** Files that a file imports. */
  imported(path: string): Iterable<string> {
    return this.targets.get(path) ?? [];
  }

  /** By imports, then by the file's own names and those of its package. */
  resolved(path: string, { name, receiver, within }: Use): Meaning | undefined {
    if (receiver === undefined) return this.bound.get(path)!.get(name) ?? this.own(path, name);
    if (receiver === 'this')
      return this.member(path, this.classAround(path, within), name) ?? this.own(path, name);
    if (receiver === '') return undefined;
    const holder = this.bound.get(path)!.get(receiver) ?? this.own(path, receiver);
    if (holder === undefined) return undefined;
    if (holder.symbol !== undefined) return this.member(holder.path, holder.symbol, name);
    return this.exported([holder.path], name);
  }

  /**
   * By being the only one of its name: members of what nobody knows, and plain names where the language's imports are
   * not understood.
   */
  inferred(path: string, { name, receiver, kind }: Use): Meaning | undefined {
    if (kind !== 'calls' || name.length < SHORTEST_INFERRED || receiver === 'this') return undefined;
    if (receiver === undefined && this.sources.get(path)!.resolve !== undefined) return undefined;
    return this.unique.get(name);
  }

  private own(path: string, name: string): Meaning | undefined {
    for (const file of [path, ...this.sources.get(path)!.siblings]) {
      const symbol = this.local.get(file)?.get(name);
      if (symbol !== undefined) return { path: file, symbol };
    }
    return undefined;
  }

  private member(path: string, owner: CodeSymbol | undefined, name: string): Meaning | undefined {
    if (owner === undefined) return undefined;
    const full = `${owner.name}.${name}`;
    for (const file of [path, ...(this.sources.get(path)?.siblings ?? [])]) {
      const symbol = this.full.get(file)?.get(full);
      if (symbol !== undefined) return { path: file, symbol };
    }
    return undefined;
  }

  private classAround(path: string, within: number): CodeSymbol | undefined {
    const { symbols } = this.sources.get(path)!.facts;
    let symbol = symbols[within];
    while (symbol !== undefined && symbol.kind !== 'class' && symbol.kind !== 'interface')
      symbol = symbols[symbol.parent];
    return symbol;
  }

  private bindings({ path, facts, resolve }: SourceFile): ReadonlyMap<string, Meaning> {
    const bound = new Map<string, Meaning>();
    const targets = new Set<string>();
    for (const { module, bindings } of facts.imports) {
      const files = resolve?.(this.files, path, module) ?? [];
      for (const file of files) targets.add(file);
      for (const { local, imported } of bindings) {
        const within = resolve?.(this.files, path, joined(module, imported)) ?? [];
        const meaning =
          imported === '*' ? whole(files) : (this.exported(files, imported) ?? whole(within) ?? whole(files));
        if (meaning !== undefined) {
          bound.set(local, meaning);
          targets.add(meaning.path);
        }
      }
    }
    targets.delete(path);
    this.targets.set(path, targets);
    return bound;
  }

  /** What a name exported by one of these files means, re-exports followed. */
  private exported(files: readonly string[], name: string, chain = 0): Meaning | undefined {
    for (const path of files) {
      const source = this.sources.get(path);
      if (source === undefined) continue;
      const own = this.own(path, source.facts.exportedAs.get(name) ?? name);
      if (own !== undefined) return own;
      if (chain === LONGEST_CHAIN) continue;
      for (const { module, bindings } of source.facts.imports.filter(handsOn)) {
        const binding = bindings.find(({ local }) => local === name || local === '*');
        if (binding === undefined) continue;
        const next = source.resolve?.(this.files, path, module) ?? [];
        const wanted = binding.imported === '*' ? name : binding.imported;
        const found = this.exported(next, wanted, chain + 1);
        if (found !== undefined) return found;
      }
    }
    return undefined;
  }
}

const handsOn = (one: Import): boolean => one.handsOn;

const whole = ([path]: readonly string[]): Meaning | undefined => (path === undefined ? undefined : { path });

/** A module within a module, by either language's sign. */
const joined = (module: string, name: string): string =>
  module.endsWith('.') ? module + name : `${module}${module.includes('/') ? '/' : '.'}${name}`;
