import type { Node } from '../types.js';

/**
 * The scored fields, in the fixed order in which their frequencies are added and in which a document's
 * tokens are laid one after another (see postings.ts). `stem` and `folders` are the two parts of `path`.
 */
export const SCORED_FIELDS = [
  'name',
  'qualifiedName',
  'container',
  'stem',
  'folders',
  'title',
  'heading',
  'signature',
  'text',
] as const;

export type ScoredField = (typeof SCORED_FIELDS)[number];

/** The text of one scored field of a node; undefined when the node has none. */
export function fieldText(node: Node, field: ScoredField): string | undefined {
  switch (field) {
    case 'stem':
      return node.path === undefined ? undefined : stemOf(node.path);
    case 'folders':
      return node.path === undefined ? undefined : foldersOf(node.path);
    default:
      return node[field];
  }
}

/** `src/middleware/cors.ts` -> `cors`; the stem of an index file is its folder's name. */
function stemOf(path: string): string {
  const parts = path.split('/').filter((part) => part !== '');
  const file = parts.at(-1) ?? '';
  const dot = file.indexOf('.', 1);
  const stem = dot > 0 ? file.slice(0, dot) : file;
  return stem === 'index' ? (parts.at(-2) ?? stem) : stem;
}

function foldersOf(path: string): string {
  return path
    .split('/')
    .slice(0, -1)
    .filter((part) => part !== '')
    .join(' ');
}
