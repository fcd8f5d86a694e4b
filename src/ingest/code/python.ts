import type { Node as SyntaxNode } from 'web-tree-sitter';
import type { Binding, Import } from './facts.js';
import { type Definition, type Language, type Site, textOf, unquoted } from './language.js';

/** Decorators belong to what they decorate. */
const decorated = (node: SyntaxNode): SyntaxNode =>
  node.parent?.type === 'decorated_definition' ? node.parent : node;

/** The string that a body begins with. */
function docstring(body: SyntaxNode | null): string {
  const first = body?.namedChild(0);
  const text = first?.type === 'expression_statement' ? first.namedChild(0) : undefined;
  return text?.type === 'string' ? unquoted(text.text).trim() : '';
}

const isOpen = (name: string): boolean => !name.startsWith('_') || /^__.*__$/.test(name);

function definition(kind: 'class' | 'function') {
  return (node: SyntaxNode, { functions, inside }: Site): Definition | undefined => {
    const name = textOf(node, 'name');
    if (name === '' || (kind === 'function' && functions > 1)) return undefined;
    const body = node.childForFieldName('body');
    const isMethod = kind === 'function' && inside === 'class';
    const doc = docstring(body);
    return {
      name,
      kind: isMethod ? 'method' : kind,
      isFunction: kind === 'function',
      body,
      whole: decorated(node),
      exported: isOpen(name),
      ...(doc === '' ? {} : { doc }),
    };
  };
}

/** `NAME = value` outside of functions and classes. */
function constant(node: SyntaxNode, { functions, inside }: Site): Definition | undefined {
  const left = node.childForFieldName('left');
  const isName = left?.type === 'identifier' && /^[A-Z][A-Z0-9_]*$/.test(left.text);
  if (!isName || functions > 0 || inside !== undefined) return undefined;
  return { name: left.text, kind: 'constant', exported: true };
}

function importModules(node: SyntaxNode): Import[] {
  return node.namedChildren.flatMap((part): Import[] => {
    if (part?.type === 'dotted_name') {
      // `import a.b` binds a; what is used of it is named in full.
      return [{ module: part.text, bindings: [{ local: part.text, imported: '*' }], handsOn: false }];
    }
    if (part?.type !== 'aliased_import') return [];
    const bindings = [{ local: textOf(part, 'alias'), imported: '*' }];
    return [{ module: textOf(part, 'name'), bindings, handsOn: false }];
  });
}

function importNames(node: SyntaxNode): Import[] {
  const module = node.childForFieldName('module_name');
  const bindings = node.namedChildren.flatMap((part): Binding[] => {
    if (part === null || part.id === module?.id) return [];
    if (part.type === 'wildcard_import') return [{ local: '*', imported: '*' }];
    if (part.type === 'dotted_name') return [{ local: part.text, imported: part.text }];
    return part.type === 'aliased_import'
      ? [{ local: textOf(part, 'alias'), imported: textOf(part, 'name') }]
      : [];
  });
  // Packages hand on what their __init__.py imports.
  return [{ module: module?.text ?? '', bindings, handsOn: true }];
}

function mention({ field, parent, parentField, grandparent }: Site) {
  if (parent === 'argument_list' && grandparent === 'class_definition') return { kind: 'inherits' } as const;
  if (parent === 'keyword_argument' && field === 'name') return undefined;
  if (parent === 'attribute' && field === 'attribute') {
    const isCall = grandparent === 'call' && parentField === 'function';
    return { kind: isCall ? 'calls' : 'references', member: true } as const;
  }
  const isCall = (parent === 'call' && field === 'function') || parent === 'decorator';
  return { kind: isCall ? 'calls' : 'references' } as const;
}

function receiver(node: SyntaxNode): string {
  const object = node.parent?.childForFieldName('object');
  if (object === null || object === undefined) return '';
  if (object.text === 'self' || object.text === 'cls' || object.text === 'super()') return 'this';
  return object.type === 'identifier' || object.type === 'attribute' ? object.text : '';
}

export const python: Language = {
  grammar: 'python',
  definitions: {
    class_definition: definition('class'),
    function_definition: definition('function'),
    assignment: constant,
  },
  imports: { import_statement: importModules, import_from_statement: importNames },
  names: new Set(['identifier']),
  mention,
  receiver,
  comments: '#',
};
