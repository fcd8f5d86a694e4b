import { join } from 'node:path';
import type { Scope } from '../access/scope.js';
import { CorankError, reasonOf } from '../errors.js';
import { type Generation, isCurrent } from '../index/generation.js';
import { Hnsw, requireHnsw } from '../index/hnsw.js';
import { checkGraphFile } from '../index/hnsw-file.js';
import type { AnnView } from '../memory/ann-view.js';
import { bitmapWords, isSet } from '../memory/bitmap.js';
import { perScope, type ScoreContext } from '../score/context.js';

/** The generation's files are gone: a writer replaced it since it was opened. */
export class Replaced extends Error {}

/** The graphs of one opened index. Each file is opened when it is first asked for, and then stays in native memory. */
export class Graphs {
  readonly #generation: Generation;
  readonly #view: AnnView;
  readonly #opened = new Map<number, Promise<Hnsw>>();

  constructor(generation: Generation, view: AnnView) {
    this.#generation = generation;
    this.#view = view;
  }

  /**
   * The graphs that together hold every visible vector and no hidden one; undefined when there are none such. A graph
   * is walked from row to row: one hidden row in it could change what is found.
   */
  visible(context: ScoreContext, scope: Scope): number[] | undefined {
    return perScope(context, scope, 'ann', () => {
      const { index } = context;
      const { rows, count } = index.directory.embeddings!;
      const rowOf = index.u32(rows, count);
      const bitmap = index.u32(scope.bitmapAt, bitmapWords(index.nodes));
      const whole: number[] = [];
      for (let graph = 0; graph < this.#view.graphs; graph++) {
        const places = this.#view.places(graph);
        const isVisible = (place: number): boolean => isSet(bitmap, rowOf[place]!);
        const first = isVisible(places[0]!);
        if (!scope.full && !places.every((place) => isVisible(place) === first)) return undefined;
        if (first) whole.push(graph);
      }
      return whole;
    });
  }

  /**
   * Places of vectors near the query, at most `limit` from each graph. Throws NOT_CONFIGURED without the package,
   * CORRUPT_INDEX for a file that is not as it was written, Replaced.
   */
  async near(
    graphs: readonly number[],
    query: Float32Array,
    limit: number,
    ef: number,
  ): Promise<Uint32Array> {
    requireHnsw();
    const opened = await Promise.all(graphs.map((graph) => this.#graph(graph)));
    return Uint32Array.from(
      opened.flatMap((graph, i) => {
        const places = this.#view.places(graphs[i]!);
        return graph.search(query, limit, ef).map((number) => places[number]!);
      }),
    );
  }

  #graph(graph: number): Promise<Hnsw> {
    let opened = this.#opened.get(graph);
    if (opened === undefined) {
      opened = this.#open(graph).catch(async (cause) => {
        throw (await isCurrent(this.#generation)) ? cause : new Replaced();
      });
      this.#opened.set(graph, opened);
      // A failure is told to who asked, and the next one tries again.
      opened.catch(() => this.#opened.delete(graph));
    }
    return opened;
  }

  async #open(graph: number): Promise<Hnsw> {
    const { folder, manifest } = this.#generation;
    const { dimension, ann } = manifest.embedding!;
    const { file, rows, size, sha256 } = ann!.graphs[graph]!;
    const path = join(folder, file);
    const read = await checkGraphFile(path, { dimension, rows, m: ann!.m });
    if (read.size !== size || read.sha256 !== sha256)
      throw new CorankError('CORRUPT_INDEX', `${path} is damaged: its SHA-256 is not the manifest's`);
    try {
      return Hnsw.open(path, { dimension, rows });
    } catch (cause) {
      throw new CorankError('CORRUPT_INDEX', `${path} cannot be opened: ${reasonOf(cause)}`, { cause });
    }
  }
}
