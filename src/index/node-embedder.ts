import { CorankError, quote, reasonOf } from '../errors.js';
import { documentText } from '../ingest/document-text.js';
import type { Embedder } from '../ingest/embedder.js';
import type { Node } from '../types.js';
import type { EmbeddingsBuilder } from './embeddings.js';

/** Texts that the embedder is given at once: what progress is counted in. */
const AT_ONCE = 64;

/** Has an embedder of one's own make the vectors of nodes as they come; nodes without a text get none. */
export class NodeEmbedder {
  private readonly embedder: Embedder;
  private readonly into: EmbeddingsBuilder;
  private readonly signal: AbortSignal | undefined;
  private waiting: { input: number; id: string; text: string }[] = [];

  constructor(embedder: Embedder, into: EmbeddingsBuilder, signal: AbortSignal | undefined) {
    this.embedder = embedder;
    this.into = into;
    this.signal = signal;
  }

  /** Inputs must come ascending. True when vectors were made. */
  async add(input: number, node: Node): Promise<boolean> {
    const text = documentText(node);
    if (text !== '') this.waiting.push({ input, id: node.id, text });
    if (this.waiting.length < AT_ONCE) return false;
    await this.flush();
    return true;
  }

  /**
   * Embeds what waits. Rejects with the embedder's error and the ids it was about, EMBEDDINGS_UNAVAILABLE for one
   * that is none of ours, DIMENSION_MISMATCH or INVALID_INPUT for vectors that no index can hold.
   */
  async flush(): Promise<void> {
    const batch = this.waiting;
    if (batch.length === 0) return;
    this.waiting = [];
    const vectors = await this.vectorsOf(batch.map(({ text }) => text)).catch((cause: unknown) => {
      this.signal?.throwIfAborted();
      const ids = [...new Set([batch[0]!.id, batch.at(-1)!.id])].map(quote).join(' to ');
      const code = cause instanceof CorankError ? cause.code : 'EMBEDDINGS_UNAVAILABLE';
      throw new CorankError(code, `the vectors of ${ids} cannot be made: ${reasonOf(cause)}`, {
        cause,
        place: { id: batch[0]!.id },
      });
    });
    batch.forEach(({ input, id }, i) => {
      this.into.addOwn(input, id, vectors[i]!);
    });
  }

  private async vectorsOf(texts: readonly string[]): Promise<ArrayLike<number>[]> {
    const vectors: unknown = await this.embedder.embed(texts, 'document', { signal: this.signal });
    if (!Array.isArray(vectors) || vectors.length !== texts.length)
      throw unfit(`no list of ${texts.length} vectors`);
    for (const vector of vectors) {
      if (!Array.isArray(vector) && !ArrayBuffer.isView(vector)) throw unfit(`${quote(vector)} for a vector`);
      if (!(vector as unknown[]).every((x) => typeof x === 'number')) throw unfit('a vector of non-numbers');
    }
    return vectors;
  }
}

const unfit = (what: string) => new CorankError('EMBEDDINGS_UNAVAILABLE', `the embedder returned ${what}`);
