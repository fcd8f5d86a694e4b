import type { Node as SyntaxNode } from 'web-tree-sitter';
import type { SymbolKind } from './facts.js';
import { type Definition, type Language, textOf } from './language.js';

/** C and C++ name a function within its declarator: `int *f(int a)`. */
function declared(node: SyntaxNode): string {
  let inner: SyntaxNode | null = node.childForFieldName('declarator');
  while (inner?.childForFieldName('declarator')) inner = inner.childForFieldName('declarator');
  return inner?.text.replaceAll('::', '.') ?? '';
}

/** PowerShell's grammar has no fields. */
const childName = (node: SyntaxNode): string =>
  [node.namedChild(0), node.namedChild(1)].find((child) => /^(function|simple)_name$/.test(child?.type ?? ''))
    ?.text ?? '';

const define =
  (kind: SymbolKind) =>
  (node: SyntaxNode): Definition | undefined => {
    const name = textOf(node, 'name') || (kind === 'function' ? declared(node) : '') || childName(node);
    const body = node.childForFieldName('body');
    // A type that is only mentioned, `struct a *b`, has no body.
    if (name === '' || /\s/.test(name) || (/_specifier$/.test(node.type) && body === null)) return undefined;
    return {
      name: name.replaceAll('::', '.'),
      kind,
      isFunction: kind === 'function' || kind === 'method',
      body,
    };
  };

const HASHED = new Set(['ruby', 'bash', 'powershell']);

/**
 * Languages of which only definitions and calls are known: what a call means is told by being the only symbol of its
 * name. By types of nodes of their grammars.
 */
function other(
  grammar: string,
  kinds: Readonly<Record<string, SymbolKind>>,
  calls: Readonly<Record<string, string>>,
): Language {
  return {
    grammar,
    definitions: Object.fromEntries(Object.entries(kinds).map(([type, kind]) => [type, define(kind)])),
    imports: {},
    names: new Set(['identifier', 'field_identifier', 'name', 'constant', 'word', 'command_name']),
    mention: ({ parent, field }) => (calls[parent] === field ? { kind: 'calls' } : undefined),
    comments: HASHED.has(grammar) ? '#' : '//',
  };
}

export const cpp = other(
  'cpp',
  {
    function_definition: 'function',
    class_specifier: 'class',
    struct_specifier: 'class',
    enum_specifier: 'enum',
  },
  { call_expression: 'function', field_expression: 'field' },
);

export const csharp = other(
  'c-sharp',
  {
    class_declaration: 'class',
    struct_declaration: 'class',
    record_declaration: 'class',
    interface_declaration: 'interface',
    enum_declaration: 'enum',
    method_declaration: 'method',
    constructor_declaration: 'method',
    property_declaration: 'constant',
  },
  { invocation_expression: 'function', member_access_expression: 'name' },
);

export const php = other(
  'php',
  {
    class_declaration: 'class',
    trait_declaration: 'class',
    interface_declaration: 'interface',
    enum_declaration: 'enum',
    method_declaration: 'method',
    function_definition: 'function',
  },
  { function_call_expression: 'function', member_call_expression: 'name', scoped_call_expression: 'name' },
);

export const ruby = other(
  'ruby',
  { class: 'class', module: 'class', method: 'method', singleton_method: 'method' },
  { call: 'method' },
);

export const bash = other('bash', { function_definition: 'function' }, { command: 'name' });

export const powershell = other(
  'powershell',
  { function_statement: 'function', class_statement: 'class', class_method_definition: 'method' },
  {},
);
