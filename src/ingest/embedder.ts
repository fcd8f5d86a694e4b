/**
 * Turns texts into vectors: one a text, in the order of the texts, all of one length, numbers finite as float32.
 * Rejects when it cannot, and with the signal's reason when it is cancelled.
 */
export type Embed = (
  texts: readonly string[],
  kind: 'query' | 'document',
  options: { signal?: AbortSignal | undefined },
) => Promise<ArrayLike<number>[]>;

/** An `Embed` that knows whose vectors it makes. `embed` works when it is taken out of its embedder. */
export interface Embedder {
  /** Name of the model, as an index records it. */
  readonly model: string;
  /** Length of a vector; undefined while it is not known. */
  readonly dimension?: number | undefined;
  readonly embed: Embed;
  /** Lets go of what the embedder holds; `embed` rejects with CLOSED afterwards. */
  close?(): Promise<void>;
}
