/** What one source file says of itself, before files are linked to each other. */

export type SymbolKind = 'class' | 'interface' | 'function' | 'method' | 'type' | 'enum' | 'constant';

export interface CodeSymbol {
  /** Dotted, unique in its file: qualified by enclosing functions, methods and classes; a repeat ends in `~2`. */
  name: string;
  kind: SymbolKind;
  /** Place in the file's list of symbols of the one that encloses it; -1 at the top. */
  parent: number;
  /** In UTF-16 code units of the file's text. */
  start: number;
  end: number;
  /** 1-based, both included. */
  startLine: number;
  endLine: number;
  /** From its beginning to its body, on one line. */
  signature: string;
  /** The comment directly before it, or Python's docstring, without comment signs. */
  doc: string;
  exported: boolean;
}

export type UseKind = 'calls' | 'references' | 'inherits' | 'implements';

/** One place where a name is used. */
export interface Use {
  name: string;
  kind: UseKind;
  /** Place of the innermost symbol around it; -1 outside of all. */
  within: number;
  /** What stands before the dot, when it is a plain name; `this` and `self` are both `this`. '' for any other. */
  receiver?: string;
}

/** `import { imported as local } from 'module'`. */
export interface Binding {
  local: string;
  /** `*`: the module as a whole. `default`: its default export. */
  imported: string;
}

export interface Import {
  module: string;
  bindings: Binding[];
  /** Whether the file hands on what it names here to those that import it (`export ... from`); `*`: everything. */
  handsOn: boolean;
}

export interface FileFacts {
  symbols: CodeSymbol[];
  imports: Import[];
  uses: Use[];
  /** Local names by the name under which they are exported, where the two differ. */
  exportedAs: Map<string, string>;
  /** Of the package that the file belongs to, where its language has that: Java, Go. */
  package?: string;
}
