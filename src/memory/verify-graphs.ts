import { join } from 'node:path';
import { CorankError } from '../errors.js';
import type { Generation } from '../index/generation.js';
import { checkGraphFile } from '../index/hnsw-file.js';
import type { Finding } from './finding.js';

/** Files of graphs that are not as they were written, or do not hold what the manifest says. */
export async function damagedGraphs({ folder, manifest }: Generation): Promise<Finding[]> {
  const findings: Finding[] = [];
  const { dimension = 0, ann } = manifest.embedding ?? {};
  for (const { file, rows, size, crc32, sha256 } of ann?.graphs ?? []) {
    try {
      const read = await checkGraphFile(join(folder, file), { dimension, rows, m: ann!.m });
      if (read.size === size && read.crc32 === crc32 && read.sha256 === sha256) continue;
      findings.push({ table: 'ann', problem: `${file} is damaged: its SHA-256 is not the manifest's` });
    } catch (cause) {
      if (!(cause instanceof CorankError)) throw cause;
      findings.push({ table: 'ann', problem: cause.message });
    }
  }
  return findings;
}
