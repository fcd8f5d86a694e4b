import type { IndexSource } from '../index/build-options.js';
import { assignAccess } from '../ingest/code/access-patterns.js';
import { addHistory, HISTORY_FIELDS } from '../ingest/code/history.js';
import type { SourceTreeReport } from '../ingest/code/source-tree.js';
import type { FieldDeclaration } from '../types.js';
import { accessOf } from './index-input.js';
import type { Notes } from './notes.js';

export interface CodeOptions {
  exclude?: readonly string[];
  include?: readonly string[];
  git?: boolean;
  acl?: string;
}

/** Filter fields that every index of code has. */
const FIELDS: readonly FieldDeclaration[] = [{ name: 'exported', type: 'bool' }];

/** A source tree as nodes and edges, and what was found in it. */
export async function codeSource(
  root: string,
  options: CodeOptions,
  notes: Notes,
  signal: AbortSignal,
): Promise<{ source: IndexSource; fields: readonly FieldDeclaration[]; report: SourceTreeReport }> {
  const { readSourceTree } = await import('../ingest/code/source-tree.js');
  const { exclude, include, git, acl } = options;
  const { nodes, edges, report } = await readSourceTree(root, {
    signal,
    ...(exclude === undefined ? {} : { exclude }),
    ...(include === undefined ? {} : { include }),
    onProgress: ({ done, of }) => {
      if (done % 100 === 0) notes.progress(`parsing ${done} of ${of} files`);
    },
  });
  if (git === true) await addHistory(root, nodes, signal);
  if (acl !== undefined) await assignAccess(nodes, accessOf(acl, { signal }));
  const fields = git === true ? [...FIELDS, ...HISTORY_FIELDS] : FIELDS;
  return { source: { nodes, edges }, fields, report };
}

/** What was found in a tree, a line each. */
export function codeLines(report: SourceTreeReport): [string, string | number][] {
  const { files, symbols, asText, notParsed, skipped, calls } = report;
  const reasons = Object.entries(skipped).map(([reason, count]) => `${reason.replaceAll('_', ' ')} ${count}`);
  return [
    ['files', files],
    ['symbols', symbols],
    ['files as text', asText],
    ['files that did not parse', notParsed],
    ['calls', `${calls.resolved} resolved, ${calls.inferred} inferred, ${calls.unresolved} unresolved`],
    ['left out', reasons.length === 0 ? 'nothing' : reasons.join(', ')],
  ];
}
