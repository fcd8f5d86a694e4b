import type { Node as SyntaxNode } from 'web-tree-sitter';
import type { Binding, Import } from './facts.js';
import { type Definition, type Language, named, type Site, textOf, unquoted } from './language.js';

const FUNCTIONS = ['arrow_function', 'function_expression', 'generator_function', 'function'];

const isExported = (node: SyntaxNode): boolean => node.parent?.type === 'export_statement';

const plain = (name: string): string => name.replace(/[,\s"'`]/g, '');

/** Functions and methods count as symbols down to two functions deep. */
const callable =
  (kind: 'function' | 'method') =>
  (node: SyntaxNode, { functions }: Site): Definition | undefined => {
    const name = plain(textOf(node, 'name'));
    if (functions > 1 || name === '') return undefined;
    const body = node.childForFieldName('body');
    const isOpen = kind === 'method' && !/^(private|protected)\b|^#/.test(node.text);
    return { name, kind, isFunction: true, body, exported: isExported(node) || isOpen };
  };

const classy = (node: SyntaxNode): Definition | undefined =>
  named('class', { exported: isExported(node) })(node);

/** A variable, property or field that holds a function or a class; or an exported constant. */
const holder =
  (field: string) =>
  (node: SyntaxNode, { functions, parent }: Site): Definition | undefined => {
    const value = node.childForFieldName('value');
    const name = plain(textOf(node, field));
    if (name === '') return undefined;
    const declaration = node.parent;
    const exported = declaration !== null && isExported(declaration);
    if (value !== null && (FUNCTIONS.includes(value.type) || value.type === 'class')) {
      if (functions > 0) return undefined;
      const kind = value.type === 'class' ? 'class' : 'function';
      return { name, kind, isFunction: true, body: value.childForFieldName('body'), exported };
    }
    const isTop = functions === 0 && parent === 'lexical_declaration' && /^[\w$]+$/.test(name);
    const isConstant = isTop && declaration?.child(0)?.text === 'const';
    return isConstant ? { name, kind: 'constant', exported } : undefined;
  };

const extra = (kind: 'interface' | 'type' | 'enum') => (node: SyntaxNode) =>
  named(kind, { exported: isExported(node) })(node);

function importStatement(node: SyntaxNode): Import[] {
  const bindings: Binding[] = [];
  const clause = node.namedChildren.find((child) => child?.type === 'import_clause');
  for (const part of clause?.namedChildren ?? []) {
    if (part?.type === 'identifier') bindings.push({ local: part.text, imported: 'default' });
    if (part?.type === 'namespace_import')
      bindings.push({ local: part.namedChild(0)?.text ?? '', imported: '*' });
    if (part?.type === 'named_imports') bindings.push(...specifiers(part));
  }
  return [{ module: unquoted(textOf(node, 'source')), bindings, handsOn: false }];
}

/** `{ a, b as c }`: the name as the other file has it, and as this one does. */
const specifiers = (node: SyntaxNode): Binding[] =>
  node.namedChildren.flatMap((part) => {
    if (part === null || !part.type.endsWith('_specifier')) return [];
    const imported = textOf(part, 'name');
    return [{ imported, local: textOf(part, 'alias') || imported }];
  });

function exportStatement(node: SyntaxNode): Import[] | undefined {
  const source = textOf(node, 'source');
  if (source === '') return undefined;
  const clause = node.namedChildren.find((child) => child?.type === 'export_clause');
  const everything = clause === undefined && node.text.includes('*');
  const bindings = everything ? [{ local: '*', imported: '*' }] : clause ? specifiers(clause) : [];
  return [{ module: unquoted(source), bindings, handsOn: true }];
}

/** `require('x')` and `import('x')`, with the names that its value is given. */
function dynamicImport(node: SyntaxNode): Import[] | undefined {
  const callee = node.childForFieldName('function');
  if (callee?.type !== 'import' && (callee?.type !== 'identifier' || callee.text !== 'require'))
    return undefined;
  const module = node.childForFieldName('arguments')?.namedChild(0);
  if (module?.type !== 'string') return undefined;
  let holding = node.parent;
  while (holding !== null && ['await_expression', 'parenthesized_expression'].includes(holding.type))
    holding = holding.parent;
  const target = holding?.type === 'variable_declarator' ? holding.childForFieldName('name') : null;
  return [{ module: unquoted(module.text), bindings: bound(target), handsOn: false }];
}

function bound(target: SyntaxNode | null): Binding[] {
  if (target?.type === 'identifier') return [{ local: target.text, imported: '*' }];
  if (target?.type !== 'object_pattern') return [];
  return target.namedChildren.flatMap((part): Binding[] => {
    if (part?.type === 'shorthand_property_identifier_pattern')
      return [{ local: part.text, imported: part.text }];
    if (part?.type !== 'pair_pattern') return [];
    return [{ local: textOf(part, 'value'), imported: textOf(part, 'key') }];
  });
}

/** `export { a as b }` and `export default a`, where what is exported is defined elsewhere in the file. */
function exportList(node: SyntaxNode) {
  if (node.childForFieldName('source') !== null) return undefined;
  const value = node.childForFieldName('value');
  if (value?.type === 'identifier') return [{ local: value.text, exported: 'default' }];
  const declared = node.childForFieldName('declaration');
  if (declared !== null && node.child(1)?.text === 'default')
    return [{ local: textOf(declared, 'name'), exported: 'default' }];
  const clause = node.namedChildren.find((child) => child?.type === 'export_clause');
  return clause && specifiers(clause).map(({ imported, local }) => ({ local: imported, exported: local }));
}

/** `module.exports = { a, b: c }` and `exports.a = b`. */
function commonExports(node: SyntaxNode) {
  const left = textOf(node, 'left');
  const right = node.childForFieldName('right');
  const single = /^(?:module\.)?exports\.([\w$]+)$/.exec(left);
  if (single !== null && right?.type === 'identifier') return [{ local: right.text, exported: single[1]! }];
  if (left !== 'module.exports' || right === null) return undefined;
  if (right.type === 'identifier') return [{ local: right.text, exported: 'default' }];
  if (right.type !== 'object') return undefined;
  return right.namedChildren.flatMap((part) => {
    if (part?.type === 'shorthand_property_identifier') return [{ local: part.text, exported: part.text }];
    if (part?.type !== 'pair') return [];
    return [{ local: textOf(part, 'value'), exported: textOf(part, 'key') }];
  });
}

/** Where names are given, not used: by the parent's type, and the field in it where others of it use names. */
const GIVEN: Readonly<Record<string, string>> = {
  ...{ variable_declarator: 'name', pair_pattern: 'value', assignment_pattern: 'left' },
  ...{ required_parameter: 'pattern', optional_parameter: 'pattern', catch_clause: 'parameter' },
  ...{ arrow_function: 'parameter', formal_parameters: '', array_pattern: '', rest_pattern: '' },
};

function mention({ type, field, parent, parentField, grandparent }: Site) {
  if (Object.hasOwn(GIVEN, parent) && GIVEN[parent] === field) return undefined;
  if (parent === 'extends_clause' || parent === 'class_heritage' || parent === 'extends_type_clause')
    return { kind: 'inherits' } as const;
  if (parent === 'implements_clause' || grandparent === 'implements_clause')
    return { kind: 'implements' } as const;
  if (type === 'property_identifier' || type === 'private_property_identifier') {
    if (parent !== 'member_expression' || field !== 'property') return undefined;
    const isCall = grandparent === 'call_expression' && parentField === 'function';
    return { kind: isCall ? 'calls' : 'references', member: true } as const;
  }
  const isCall =
    (parent === 'call_expression' && field === 'function') ||
    (parent === 'new_expression' && field === 'constructor') ||
    parent === 'jsx_opening_element' ||
    parent === 'jsx_self_closing_element';
  return { kind: isCall ? 'calls' : 'references' } as const;
}

/** `this.x` and `a.x`; anything longer has no name. */
function receiver(node: SyntaxNode): string {
  const object = node.parent?.childForFieldName('object');
  if (object?.type === 'this' || object?.type === 'super') return 'this';
  return object?.type === 'identifier' ? object.text : '';
}

/** JavaScript, TypeScript and TSX differ in their grammars only. */
export const javascript = (grammar: 'javascript' | 'typescript' | 'tsx'): Language => ({
  grammar,
  definitions: {
    function_declaration: callable('function'),
    generator_function_declaration: callable('function'),
    function_signature: callable('function'),
    class_declaration: classy,
    abstract_class_declaration: classy,
    method_definition: callable('method'),
    // Overloads of a constructor; those of methods have nothing of their own.
    method_signature: (node, site) =>
      site.parent === 'class_body' && textOf(node, 'name') === 'constructor'
        ? callable('method')(node, site)
        : undefined,
    variable_declarator: holder('name'),
    pair: holder('key'),
    public_field_definition: holder('name'),
    field_definition: holder('property'),
    interface_declaration: extra('interface'),
    type_alias_declaration: extra('type'),
    enum_declaration: extra('enum'),
  },
  imports: {
    import_statement: importStatement,
    export_statement: exportStatement,
    call_expression: dynamicImport,
  },
  exports: { export_statement: exportList, assignment_expression: commonExports },
  names: new Set([
    'identifier',
    'type_identifier',
    'property_identifier',
    'private_property_identifier',
    'shorthand_property_identifier',
  ]),
  mention,
  receiver,
  comments: '//',
});
