import type { Node as SyntaxNode } from 'web-tree-sitter';
import type { Import, SymbolKind, UseKind } from './facts.js';

/** A definition as a language sees it at a node; `extract` gives it its place and full name. */
export interface Definition {
  name: string;
  kind: SymbolKind;
  /** Whether what is defined inside of it lies one function deeper. */
  isFunction?: boolean;
  /** Where the body begins, which ends the signature; the whole node when there is none. */
  body?: SyntaxNode | null;
  /** The node that holds all of it, if another than the one it was found at. */
  whole?: SyntaxNode;
  exported?: boolean;
  /** Stands in for the name of the enclosing symbol: the type of a Go receiver. */
  container?: string;
  /** Kinds beside functions, methods and classes take repeats' numbers after those. */
  doc?: string;
}

/** What is known of a node's surroundings without making objects of them. */
export interface Site {
  type: string;
  /** Name of the field that the node is in its parent; '' for none. */
  field: string;
  parent: string;
  parentField: string;
  grandparent: string;
  /** How many functions and methods are around it. */
  functions: number;
  /** Kind of the innermost symbol around it. */
  inside: SymbolKind | undefined;
}

export interface Mention {
  kind: UseKind;
  /** Whether it is what stands behind a dot. */
  member?: boolean;
}

export interface Language {
  /** Of the grammar's file, for example `typescript`. */
  grammar: string;
  /** What a node of a type defines, by type; undefined: nothing after all. */
  definitions: Readonly<Record<string, (node: SyntaxNode, site: Site) => Definition | undefined>>;
  /** The imports of a node of a type; what lies in it is then not looked at. Undefined: none after all. */
  imports: Readonly<Record<string, (node: SyntaxNode) => Import[] | undefined>>;
  /** Types of nodes that are names, and how a name at a site is used; undefined: not at all. */
  names: ReadonlySet<string>;
  mention(site: Site): Mention | undefined;
  /** The name before the dot of a member that is mentioned. */
  receiver?(node: SyntaxNode): string;
  /** Names that the file exports by another statement than the definition. */
  exports?: Readonly<Record<string, (node: SyntaxNode) => { local: string; exported: string }[] | undefined>>;
  /** A name that a node gives to what lies in it without being a symbol: a Rust module, an impl. */
  scopes?: Readonly<Record<string, (node: SyntaxNode) => string | undefined>>;
  package?: { type: string; name(node: SyntaxNode): string };
  /** How a comment of one line begins; with `//` go comments between slashes and stars. */
  comments: '//' | '#';
}

/** The text of a field, '' when there is none. */
export const textOf = (node: SyntaxNode, field: string): string => node.childForFieldName(field)?.text ?? '';

/** A string literal without its quotes. */
export const unquoted = (text: string): string => text.replace(/^[rbuf]*(["'`]+)(.*)\1$/is, '$2');

/** A plain definition: named by its field `name`, with the body in `body`. */
export const named =
  (kind: SymbolKind, more: Partial<Definition> = {}) =>
  (node: SyntaxNode): Definition | undefined => {
    const name = textOf(node, 'name');
    return name === '' ? undefined : { name, kind, body: node.childForFieldName('body'), ...more };
  };
