import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BuildReport, buildIndex, Engine } from '../../dist/index.js';
import type { Corpus, Row } from './corpora.js';

let built = 0;

/** A folder for the indexes of a test file, gone afterwards. */
export async function temporaryFolder(): Promise<{ path: string; remove: () => Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'corank-properties-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

export interface Built {
  path: string;
  report: BuildReport;
}

/** Builds the index of a corpus with its declared settings in a new folder below `folder`. */
export async function build(folder: string, { settings, nodes, edges }: Corpus): Promise<Built> {
  const path = join(folder, String(built++));
  const { accessTable, ...options } = settings;
  const access = nodes.map(({ id, org, source, acl }) => ({ id, org, source, acl }));
  const report = await buildIndex(
    accessTable ? { nodes: nodes.map(bare), edges, access } : { nodes, edges },
    { ...options, out: path, accessMode: 'scoped' },
  );
  return { path, report };
}

function bare({ org: _org, source: _source, acl: _acl, ...rest }: Row): Omit<Row, 'org' | 'source' | 'acl'> {
  return rest;
}

/** Builds, opens, uses, closes and removes. */
export async function withIndex<T>(
  folder: string,
  corpus: Corpus,
  use: (engine: Engine) => Promise<T>,
  threads = 0,
): Promise<T> {
  const { path } = await build(folder, corpus);
  try {
    const engine = await Engine.open(path, { threads });
    try {
      return await use(engine);
    } finally {
      await engine.close();
    }
  } finally {
    await rm(path, { recursive: true, force: true });
  }
}
