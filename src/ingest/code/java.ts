import type { Node as SyntaxNode } from 'web-tree-sitter';
import type { Import } from './facts.js';
import { type Definition, type Language, type Site, textOf } from './language.js';

const modifiers = (node: SyntaxNode): string =>
  node.namedChildren.find((child) => child?.type === 'modifiers')?.text ?? '';

const define =
  (kind: Definition['kind'], isFunction = false) =>
  (node: SyntaxNode, { inside }: Site): Definition | undefined => {
    const name = textOf(node, 'name');
    if (name === '') return undefined;
    const exported = inside === 'interface' || /\b(public|protected)\b/.test(modifiers(node));
    return { name, kind, isFunction, body: node.childForFieldName('body'), exported };
  };

/** `static final` fields, and those of interfaces. */
function constant(node: SyntaxNode, { inside }: Site): Definition | undefined {
  const words = modifiers(node);
  const isConstant = inside === 'interface' || (/\bstatic\b/.test(words) && /\bfinal\b/.test(words));
  const declared = node.childForFieldName('declarator');
  if (!isConstant || declared === null) return undefined;
  const exported = inside === 'interface' || /\bpublic\b/.test(words);
  return { name: textOf(declared, 'name'), kind: 'constant', exported };
}

function importDeclaration(node: SyntaxNode): Import[] {
  const named = node.namedChildren.find((child) => /identifier/.test(child?.type ?? ''))?.text ?? '';
  const isAll = node.text.includes('*');
  const last = named.slice(named.lastIndexOf('.') + 1);
  const bindings = isAll ? [{ local: '*', imported: '*' }] : [{ local: last, imported: last }];
  return [{ module: isAll ? `${named}.*` : named, bindings, handsOn: false }];
}

function mention({ type, field, parent, grandparent }: Site) {
  if (parent === 'superclass') return { kind: 'inherits' } as const;
  if (parent === 'type_list' && grandparent === 'super_interfaces') return { kind: 'implements' } as const;
  if (parent === 'type_list' && grandparent === 'extends_interfaces') return { kind: 'inherits' } as const;
  if (parent === 'method_invocation' && field === 'name') return { kind: 'calls', member: true } as const;
  if (parent === 'field_access' && field === 'field') return { kind: 'references', member: true } as const;
  if (type === 'type_identifier' && parent === 'object_creation_expression')
    return { kind: 'calls' } as const;
  return { kind: 'references' } as const;
}

/** A method that is called on nothing is one's own. */
function receiver(node: SyntaxNode): string {
  const object = node.parent?.childForFieldName('object');
  if (object === null || object === undefined || object.type === 'this' || object.type === 'super')
    return 'this';
  return object.type === 'identifier' ? object.text : '';
}

export const java: Language = {
  grammar: 'java',
  definitions: {
    class_declaration: define('class'),
    record_declaration: define('class'),
    interface_declaration: define('interface'),
    annotation_type_declaration: define('interface'),
    enum_declaration: define('enum'),
    method_declaration: define('method', true),
    constructor_declaration: define('method', true),
    field_declaration: constant,
    constant_declaration: constant,
  },
  imports: { import_declaration: importDeclaration },
  names: new Set(['identifier', 'type_identifier']),
  mention,
  receiver,
  package: {
    type: 'package_declaration',
    name: (node) => node.namedChild(node.namedChildCount - 1)?.text ?? '',
  },
  comments: '//',
};
