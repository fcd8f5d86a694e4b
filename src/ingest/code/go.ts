import type { Node as SyntaxNode } from 'web-tree-sitter';
import type { Import } from './facts.js';
import { type Definition, type Language, type Site, textOf, unquoted } from './language.js';

const isOpen = (name: string): boolean => /^\p{Lu}/u.test(name);

const named = (node: SyntaxNode, kind: Definition['kind'], more: Partial<Definition> = {}) => {
  const name = textOf(node, 'name');
  if (name === '' || name === '_') return undefined;
  return { name, kind, exported: isOpen(name), body: node.childForFieldName('body'), ...more };
};

const KINDS: Readonly<Record<string, Definition['kind']>> = {
  struct_type: 'class',
  interface_type: 'interface',
};

/** `type T struct { ... }`; a declaration of its own holds the keyword and the comment. */
function type(node: SyntaxNode): Definition | undefined {
  const value = node.childForFieldName('type');
  const whole = node.parent?.namedChildCount === 1 ? node.parent : node;
  const kind = KINDS[value?.type ?? ''] ?? 'type';
  const body =
    kind === 'type' ? null : (value?.children.find((child) => child?.text.startsWith('{')) ?? null);
  return named(node, kind, { whole, body });
}

/** The method of a type is named after it: `func (s *S) M()` is S.M. */
function method(node: SyntaxNode): Definition | undefined {
  const receiver = textOf(node, 'receiver');
  const container = /(\p{L}[\p{L}\p{N}_]*)\s*(?:\[[^\]]*\])?\s*\)$/u.exec(receiver)?.[1];
  return named(node, 'method', { isFunction: true, ...(container === undefined ? {} : { container }) });
}

/** Constants and variables of the package that others may see. */
function constant(node: SyntaxNode, { functions }: Site): Definition | undefined {
  const name = textOf(node, 'name');
  return functions > 0 || !isOpen(name) ? undefined : { name, kind: 'constant', exported: true };
}

function importSpec(node: SyntaxNode): Import[] {
  const module = unquoted(textOf(node, 'path'));
  const local = textOf(node, 'name') || module.slice(module.lastIndexOf('/') + 1);
  return [{ module, bindings: [{ local, imported: '*' }], handsOn: false }];
}

function mention({ type, field, parent, parentField, grandparent }: Site) {
  if (type === 'field_identifier') {
    if (parent !== 'selector_expression') return undefined;
    const isCall = grandparent === 'call_expression' && parentField === 'function';
    return { kind: isCall ? 'calls' : 'references', member: true } as const;
  }
  if (parent === 'qualified_type' && field === 'name') return { kind: 'references', member: true } as const;
  if (type === 'type_identifier' && parent === 'field_declaration' && field === 'type')
    return { kind: 'references' } as const;
  const isCall = parent === 'call_expression' && field === 'function';
  return { kind: isCall ? 'calls' : 'references' } as const;
}

function receiver(node: SyntaxNode): string {
  const object = node.parent?.childForFieldName('operand') ?? node.parent?.childForFieldName('package');
  return object?.type === 'identifier' || object?.type === 'package_identifier' ? object.text : '';
}

export const go: Language = {
  grammar: 'go',
  definitions: {
    type_spec: type,
    type_alias: type,
    function_declaration: (node) => named(node, 'function', { isFunction: true }),
    method_declaration: method,
    const_spec: constant,
    var_spec: constant,
  },
  imports: { import_spec: importSpec },
  names: new Set(['identifier', 'type_identifier', 'field_identifier']),
  mention,
  receiver,
  package: { type: 'package_clause', name: (node) => node.namedChild(0)?.text ?? '' },
  comments: '//',
};
