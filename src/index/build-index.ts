import type { BuildOptions, IndexSource } from './build-options.js';
import { prepareTarget, publish } from './generation.js';
import { buildAnn } from './graphs.js';
import { IndexBuilder } from './index-builder.js';
import type { Manifest } from './schema.js';

export interface BuildReport {
  generation: string;
  manifest: Manifest;
  /** Edges left out because an end is no node (only with skipDangling). */
  skippedEdges: number;
  /** Nested values of `meta` (lists, objects), which a flat map cannot hold. */
  droppedMeta: number;
}

/**
 * Reads nodes, edges, access rows and vectors and publishes them as the next generation of the index at `out`.
 * Throws INVALID_INPUT (duplicate or malformed ids, unknown edge ends, rows without access columns in a scoped
 * index), DIMENSION_MISMATCH, ACCESS_MODE, INDEX_TOO_LARGE, NOT_CONFIGURED (`ann` without its package, before anything
 * is read); then nothing is published.
 */
export async function buildIndex(source: IndexSource, options: BuildOptions): Promise<BuildReport> {
  await prepareTarget(options.out, options.replace === true);
  const builder = new IndexBuilder(source, options);
  await builder.readNodes();
  await builder.readAccess();
  await builder.readEdges();
  const { draft, tables, ann } = builder.finish();
  const { signal, onProgress } = options;
  const graphs =
    ann && (await buildAnn(ann, { signal, onProgress: (done) => onProgress?.({ stage: 'ann', done }) }));
  onProgress?.({ stage: 'write', done: 0 });
  const generation = await publish(
    options.out,
    { draft, tables, graphs: graphs ?? [] },
    options.replace === true,
    signal,
  );
  return {
    generation: generation.name,
    manifest: generation.manifest,
    skippedEdges: builder.skippedEdges,
    droppedMeta: builder.dropped.nested,
  };
}
