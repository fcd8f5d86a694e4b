import type { Node as SyntaxNode, Tree, TreeCursor } from 'web-tree-sitter';
import type { CodeSymbol, FileFacts, SymbolKind } from './facts.js';
import type { Definition, Language, Site } from './language.js';

/** No program is nested deeper, and what a tree knows of a node's parents takes time by its depth. */
const DEEPEST = 1000;
/** Signatures and comments are cut here, in UTF-16 code units. */
const LONGEST_SIGNATURE = 300;
const LONGEST_DOC = 1000;

interface Level {
  type: string;
  field: string;
  /** Of the innermost symbol around it. */
  symbol: number;
  functions: number;
  /** A name that is put before those of definitions without being a symbol's; '' for none. */
  scope: string;
}

interface Draft extends Omit<CodeSymbol, 'name'> {
  /** As the definition has it. */
  own: string;
  /** What goes before it in place of the enclosing symbol's name. */
  scope: string;
  nameStart: number;
}

/** Everything that a syntax tree says, in one pass without recursion: trees may be very deep. */
export function extract(tree: Tree, text: string, language: Language): FileFacts {
  const found: Found = { drafts: [], facts: { symbols: [], imports: [], uses: [], exportedAs: new Map() } };
  const exported = new Set<string>();
  const levels: Level[] = [];
  const cursor = tree.walk();
  try {
    do {
      const level = enter(cursor, levels.at(-1), levels.at(-2), text, language, found, exported);
      if (level !== undefined && levels.length < DEEPEST && cursor.gotoFirstChild()) levels.push(level);
      else onward(cursor, levels);
    } while (levels.length > 0);
  } finally {
    cursor.delete();
  }
  const { facts, drafts } = found;
  for (const draft of drafts) if (exported.has(draft.own) && draft.parent < 0) draft.exported = true;
  const kept = drafts.filter(({ kind, exported }) => kind !== 'constant' || exported);
  const placeOf = new Map(drafts.map((draft, i) => [draft, i]));
  const place = new Map(kept.map((draft, i) => [placeOf.get(draft)!, i]));
  for (const draft of kept) draft.parent = place.get(draft.parent) ?? -1;
  for (const use of facts.uses) use.within = place.get(use.within) ?? -1;
  facts.symbols = namedSymbols(kept);
  const names = new Set(drafts.map(({ nameStart }) => nameStart));
  facts.uses = found.facts.uses.filter((use) => !names.has((use as PlacedUse).at));
  for (const use of facts.uses) delete (use as Partial<PlacedUse>).at;
  return facts;
}

/** To the next node that is not within this one; out of the root when there is none. */
function onward(cursor: TreeCursor, levels: Level[]): void {
  while (levels.length > 0 && !cursor.gotoNextSibling()) {
    cursor.gotoParent();
    levels.pop();
  }
}

interface Found {
  drafts: Draft[];
  facts: FileFacts;
}

type PlacedUse = FileFacts['uses'][number] & { at: number };

/** Takes from one node what it says; the level for its children, or undefined when they are not to be looked at. */
function enter(
  cursor: TreeCursor,
  above: Level | undefined,
  aboveThat: Level | undefined,
  text: string,
  language: Language,
  { drafts, facts }: Found,
  exported: Set<string>,
): Level | undefined {
  const type = cursor.nodeType;
  const level: Level = {
    type,
    field: cursor.currentFieldName ?? '',
    symbol: above?.symbol ?? -1,
    functions: above?.functions ?? 0,
    scope: above?.scope ?? '',
  };
  const site: Site = {
    type,
    field: level.field,
    parent: above?.type ?? '',
    parentField: above?.field ?? '',
    grandparent: aboveThat?.type ?? '',
    functions: level.functions,
    inside: drafts[level.symbol]?.kind,
  };
  for (const { local, exported: as } of language.exports?.[type]?.(cursor.currentNode) ?? []) {
    exported.add(local);
    if (as !== local) facts.exportedAs.set(as, local);
  }
  const imports = language.imports[type]?.(cursor.currentNode);
  if (imports !== undefined) {
    facts.imports.push(...imports);
    return undefined;
  }
  if (type === language.package?.type) facts.package = language.package.name(cursor.currentNode);
  if (language.names.has(type)) {
    const mention = language.mention(site);
    if (mention === undefined) return undefined;
    const receiver = mention.member ? (language.receiver?.(cursor.currentNode) ?? '') : undefined;
    const use = { name: cursor.nodeText, kind: mention.kind, within: level.symbol, at: cursor.startIndex };
    facts.uses.push(receiver === undefined ? use : { ...use, receiver });
    return undefined;
  }
  const scope = language.scopes?.[type]?.(cursor.currentNode);
  if (scope !== undefined) level.scope = scope;
  const definition = language.definitions[type]?.(cursor.currentNode, site);
  if (definition !== undefined) {
    drafts.push(draftOf(definition, cursor.currentNode, level, drafts, text, language));
    // A constant names nothing but itself: what lies in its value belongs to what is around it.
    if (definition.kind !== 'constant') {
      level.symbol = drafts.length - 1;
      level.scope = '';
    }
    if (definition.isFunction) level.functions++;
  }
  return level;
}

function draftOf(
  definition: Definition,
  node: SyntaxNode,
  { symbol, scope }: Level,
  drafts: readonly Draft[],
  text: string,
  language: Language,
): Draft {
  const whole = definition.whole ?? node;
  const end = definition.body?.startIndex ?? whole.endIndex;
  const nameNode = node.childForFieldName('name') ?? node.childForFieldName('key') ?? node;
  return {
    own: definition.name,
    scope: definition.container ?? scope,
    nameStart: nameNode.startIndex,
    kind: definition.kind,
    parent: drafts[symbol] === undefined ? -1 : symbol,
    start: whole.startIndex,
    end: whole.endIndex,
    startLine: whole.startPosition.row + 1,
    endLine: whole.endPosition.row + 1,
    signature: oneLine(text.slice(whole.startIndex, Math.min(end, whole.startIndex + LONGEST_SIGNATURE))),
    doc: definition.doc ?? commentBefore(text, whole.startIndex, language.comments),
    exported: definition.exported ?? false,
  };
}

const oneLine = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .replace(/ ?[{=]? ?$/, '')
    .trim();

/**
 * Comments on the lines directly above a place, over lines of attributes and annotations. Read from the text: a tree
 * finds what stands before a node only by counting from the first.
 */
function commentBefore(text: string, start: number, sign: '//' | '#'): string {
  const found: string[] = [];
  let end = lineStart(text, start);
  for (let length = 0; end > 0 && length < LONGEST_DOC; ) {
    const from = lineStart(text, end - 1);
    const line = text.slice(from, end).trim();
    const isBlock = sign === '//' && line.endsWith('*/');
    const open = isBlock ? text.lastIndexOf('/*', end - 2) : from;
    const isMarked = /^(#!?\[|@\w)/.test(line);
    if (!isBlock && !isMarked && !line.startsWith(sign)) break;
    if (open < 0 || text.slice(lineStart(text, open), open).trim() !== '') break;
    if (!isMarked) found.unshift(text.slice(open, end));
    length += end - open;
    end = lineStart(text, open);
  }
  return uncommented(found.join(''));
}

const lineStart = (text: string, at: number): number => (at > 0 ? text.lastIndexOf('\n', at - 1) + 1 : 0);

/** Text of comments without their signs. */
export const uncommented = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.replace(/^\s*(\/\*+!?|\*+\/|\*|\/\/[/!]?|#+!?|--)\s?|\s*\*+\/\s*$/g, ''))
    .join('\n')
    .trim()
    .slice(0, LONGEST_DOC)
    .toWellFormed();

const NUMBERED_FIRST: readonly SymbolKind[] = ['class', 'function', 'method'];

/** Full names; repeats are numbered, other kinds after functions, methods and classes. */
function namedSymbols(drafts: readonly Draft[]): CodeSymbol[] {
  const seen = new Map<string, number>();
  const names = new Array<string | undefined>(drafts.length);
  // What encloses stands before what it encloses; an interface has its number only later.
  const unnumbered = (i: number): string | undefined => {
    const draft = drafts[i];
    if (draft === undefined) return undefined;
    const before = draft.scope || (names[draft.parent] ?? unnumbered(draft.parent));
    return before === undefined ? draft.own : `${before}.${draft.own}`;
  };
  for (const first of [true, false]) {
    drafts.forEach(({ kind }, i) => {
      if (NUMBERED_FIRST.includes(kind) !== first) return;
      const name = unnumbered(i)!;
      const count = (seen.get(name) ?? 0) + 1;
      seen.set(name, count);
      names[i] = count > 1 ? `${name}~${count}` : name;
    });
  }
  return drafts.map(({ own: _, scope: __, nameStart: ___, ...rest }, i) => ({ name: names[i]!, ...rest }));
}
