import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  readSourceTree,
  type SourceTree,
  type SourceTreeOptions,
} from '../../../src/ingest/code/source-tree.js';
import { temporaryFolder } from '../../index/small-index.js';

/** Writes files into a folder of their own. */
export function written(files: Readonly<Record<string, string | Uint8Array>>): string {
  const root = temporaryFolder();
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  return root;
}

export const treeOf = (
  files: Readonly<Record<string, string | Uint8Array>>,
  options: SourceTreeOptions = {},
): Promise<SourceTree> => readSourceTree(written(files), options);

/** Symbols as `id kind lines`. */
export const symbolsOf = ({ nodes }: SourceTree): string[] =>
  nodes
    .filter(({ kind }) => kind !== 'file')
    .map(({ id, kind, startLine, endLine }) => `${id} ${kind} ${startLine}-${endLine}`);

/** Edges without those that only say what contains what, as `from kind to`, `?` for inferred ones. */
export const edgesOf = ({ edges }: SourceTree): string[] =>
  edges
    .filter(({ kind }) => kind !== 'contains')
    .map(
      ({ from, to, kind, provenance }) => `${from} ${kind}${provenance === 'ast_inferred' ? '?' : ''} ${to}`,
    )
    .sort();
