import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CorankError } from '../errors.js';
import { type Generation, withCurrent } from '../index/generation.js';
import type { TableEntry, TableName } from '../index/schema.js';
import { AccessView } from './access-view.js';
import { AnnView } from './ann-view.js';
import { directoryOf } from './directory-of.js';
import { FilterView } from './filter-view.js';
import type { Finding, Report } from './finding.js';
import { type LoadedTables, loadTables } from './load.js';
import { LsaView } from './lsa-view.js';
import { NodeView } from './node-view.js';
import { SharedIndex } from './shared-index.js';
import { verifyEdges } from './verify-edges.js';
import { damagedGraphs } from './verify-graphs.js';
import { verifyNodes } from './verify-nodes.js';
import { verifyPostings } from './verify-postings.js';
import { verifyVectors } from './verify-vectors.js';

/**
 * Reads the whole live generation and returns everything that is wrong with it: checksums first (the SHA-256
 * of each file), then, when the bytes are right, every invariant that a reader relies on. Throws INVALID_INPUT
 * when there is no index at `path`, UNSUPPORTED_VERSION, CORRUPT_INDEX when not even the manifest can be read.
 */
export async function verifyIndex(path: string): Promise<Finding[]> {
  return withCurrent(path, verifyGeneration);
}

async function verifyGeneration(generation: Generation): Promise<Finding[]> {
  const damaged = await damagedFiles(generation);
  if (damaged.length > 0) return damaged;
  const findings: Finding[] = [];
  const report: Report = (table, problem) => findings.push({ table, problem });
  try {
    findings.push(...(await damagedGraphs(generation)));
    const loaded = loadTables(generation, 1);
    const index = SharedIndex.from(loaded.memory, directoryOf(loaded));
    verifyViews(loaded);
    verifyNodes(loaded, report);
    verifyPostings(loaded, index, report);
    verifyVectors(index, report);
    verifyEdges(loaded, index, report);
  } catch (cause) {
    if (!(cause instanceof CorankError) || cause.code !== 'CORRUPT_INDEX') throw cause;
    findings.push({ table: '*', problem: cause.message });
  }
  return findings;
}

async function damagedFiles({ folder, manifest }: Generation): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [table, entry] of Object.entries(manifest.tables) as [TableName, TableEntry][]) {
    const hash = createHash('sha256');
    let size = 0;
    try {
      if (!(await stat(join(folder, entry.file))).isFile()) throw new Error('it is no file');
      for await (const chunk of createReadStream(join(folder, entry.file))) {
        hash.update(chunk as Buffer);
        size += (chunk as Buffer).length;
      }
    } catch (cause) {
      findings.push({ table, problem: `${entry.file} cannot be read: ${(cause as Error).message}` });
      continue;
    }
    if (size !== entry.size) {
      findings.push({ table, problem: `${entry.file} has ${size} bytes, the manifest says ${entry.size}` });
    } else if (hash.digest('hex') !== entry.sha256) {
      findings.push({ table, problem: `${entry.file} is damaged: its SHA-256 is not the manifest's` });
    }
  }
  return findings;
}

/** The readers check the columns that they use. */
function verifyViews(loaded: LoadedTables): void {
  const access = loaded.manifest.access === 'scoped' ? new AccessView(loaded) : undefined;
  new NodeView(loaded, access);
  new FilterView(loaded);
  if (loaded.manifest.embedding?.lsa !== undefined) new LsaView(loaded);
  if (loaded.manifest.embedding?.ann !== undefined) new AnnView(loaded);
}
