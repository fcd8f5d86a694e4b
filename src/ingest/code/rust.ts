import type { Node as SyntaxNode } from 'web-tree-sitter';
import type { Binding, Import } from './facts.js';
import { type Definition, type Language, type Site, textOf } from './language.js';

const isOpen = (node: SyntaxNode): boolean =>
  node.namedChildren.some((child) => child?.type === 'visibility_modifier');

const define =
  (kind: Definition['kind']) =>
  (node: SyntaxNode, { functions, inside, grandparent }: Site): Definition | undefined => {
    const name = textOf(node, 'name');
    const isFunction = kind === 'function';
    if (name === '' || (isFunction && functions > 1)) return undefined;
    const isMethod = isFunction && (inside === 'interface' || grandparent === 'impl_item');
    const body = node.childForFieldName('body');
    return { name, kind: isMethod ? 'method' : kind, isFunction, body, exported: isOpen(node) };
  };

/** `use a::{b, c as d}` as one import for each path. */
function useDeclaration(node: SyntaxNode): Import[] {
  const argument = node.childForFieldName('argument');
  return argument === null ? [] : used(argument, '', isOpen(node));
}

function used(node: SyntaxNode, before: string, handsOn: boolean): Import[] {
  const path = (text: string): string => (before === '' ? text : `${before}::${text}`);
  const one = (module: string, binding: Binding): Import[] => [{ module, bindings: [binding], handsOn }];
  switch (node.type) {
    case 'scoped_use_list': {
      const own = textOf(node, 'path');
      const list = node.childForFieldName('list');
      return (list?.namedChildren ?? []).flatMap((part) =>
        part === null ? [] : used(part, path(own), handsOn),
      );
    }
    case 'use_list':
      return node.namedChildren.flatMap((part) => (part === null ? [] : used(part, before, handsOn)));
    case 'use_as_clause': {
      const whole = path(textOf(node, 'path'));
      const last = whole.slice(whole.lastIndexOf('::') + 2);
      return one(whole, { local: textOf(node, 'alias'), imported: last });
    }
    case 'use_wildcard':
      return one(path(node.namedChild(0)?.text ?? ''), { local: '*', imported: '*' });
    case 'self':
      return one(before, { local: before.slice(before.lastIndexOf('::') + 2), imported: '*' });
    default: {
      const whole = path(node.text);
      const last = whole.slice(whole.lastIndexOf('::') + 2);
      return one(whole, { local: last, imported: last });
    }
  }
}

/** `mod m;` names the file of a module; with a body it only names what lies in it. */
function moduleFile(node: SyntaxNode): Import[] | undefined {
  if (node.childForFieldName('body') !== null) return undefined;
  const name = textOf(node, 'name');
  return [{ module: `self::${name}`, bindings: [{ local: name, imported: '*' }], handsOn: isOpen(node) }];
}

const bare = (type: string): string =>
  /^[^<]*/
    .exec(type)![0]
    .split('::')
    .at(-1)!
    .replace(/^[&\s]*/, '')
    .trim();

function mention({ type, field, parent, parentField, grandparent }: Site) {
  if (type === 'field_identifier') {
    if (parent !== 'field_expression') return undefined;
    const isCall = grandparent === 'call_expression' && parentField === 'function';
    return { kind: isCall ? 'calls' : 'references', member: true } as const;
  }
  if (parent === 'impl_item' && field === 'trait') return { kind: 'implements' } as const;
  if (parent === 'trait_bounds') return { kind: 'inherits' } as const;
  if ((parent === 'scoped_identifier' || parent === 'scoped_type_identifier') && field === 'name') {
    const isCall = grandparent === 'call_expression' && parentField === 'function';
    return { kind: isCall ? 'calls' : 'references', member: true } as const;
  }
  const isCall = (parent === 'call_expression' && field === 'function') || parent === 'macro_invocation';
  return { kind: isCall ? 'calls' : 'references' } as const;
}

function receiver(node: SyntaxNode): string {
  const object = node.parent?.childForFieldName('value') ?? node.parent?.childForFieldName('path');
  if (object?.text === 'self' || object?.text === 'Self') return 'this';
  return object?.type === 'identifier' || object?.type === 'type_identifier' ? object.text : '';
}

export const rust: Language = {
  grammar: 'rust',
  definitions: {
    struct_item: define('class'),
    union_item: define('class'),
    enum_item: define('enum'),
    trait_item: define('interface'),
    type_item: define('type'),
    function_item: define('function'),
    function_signature_item: define('function'),
    macro_definition: define('function'),
    const_item: define('constant'),
    static_item: define('constant'),
  },
  imports: { use_declaration: useDeclaration, mod_item: moduleFile },
  scopes: {
    impl_item: (node) => bare(textOf(node, 'type')),
    mod_item: (node) => textOf(node, 'name'),
  },
  names: new Set(['identifier', 'type_identifier', 'field_identifier']),
  mention,
  receiver,
  comments: '//',
};
