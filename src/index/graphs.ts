import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { AnnPlan } from './ann.js';
import { DEFAULT_EF, Hnsw } from './hnsw.js';
import { checkGraphFile } from './hnsw-file.js';
import { recallOf } from './recall.js';
import { type GraphEntry, graphFile, type Manifest } from './schema.js';

/** A graph that is made, in native memory. */
export interface BuiltGraph {
  graph: Hnsw;
  recall: number;
}

/** Vectors added between two looks at the signal. */
const BLOCK = 256;

/** Makes the graphs one after the other; `onProgress` hears how many vectors are in. */
export async function buildAnn(
  { vectors, places, m, efConstruction }: AnnPlan,
  { signal, onProgress }: { signal?: AbortSignal | undefined; onProgress?: (done: number) => void },
): Promise<BuiltGraph[]> {
  const built: BuiltGraph[] = [];
  let done = 0;
  const breathe = async (): Promise<void> => {
    onProgress?.(done);
    await setImmediate();
    signal?.throwIfAborted();
  };
  for (const part of places) {
    const { dimension, vectorOf } = vectors;
    const graph = Hnsw.empty({ dimension, rows: part.length, m, efConstruction });
    for (const place of part) {
      if (done % BLOCK === 0) await breathe();
      graph.add(vectorOf(place));
      done++;
    }
    const recall = await recallOf(graph, (i) => vectorOf(part[i]!), DEFAULT_EF, breathe);
    built.push({ graph, recall });
  }
  return built;
}

/**
 * Writes the file of graph `i` of a generation, synced, and returns its entry for the manifest. The file is read again:
 * the package does not say when it could not write.
 */
export async function writeGraph(
  folder: string,
  i: number,
  { graph, recall }: BuiltGraph,
  { dimension, ann }: NonNullable<Manifest['embedding']>,
): Promise<GraphEntry> {
  const file = graphFile(i);
  const path = join(folder, file);
  const { rows } = graph;
  graph.save(path);
  const written = await checkGraphFile(path, { dimension, rows, m: ann!.m });
  await sync(path);
  return { file, rows, recall, ...written };
}

async function sync(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
