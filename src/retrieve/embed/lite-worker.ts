/** Thread entry of `useLite`: loads the model with the first task, then embeds one text at a time. */

import { parentPort } from 'node:worker_threads';
import { reasonOf } from '../../errors.js';
import { LITE_DIMENSION, LITE_PACKAGES, type LiteAnswer, type LiteTask } from './lite-messages.js';

/**
 * UTF-16 code units of a text that are read. The model takes 128 tokens, of at most 16 characters each; making
 * tokens of longer texts takes seconds and changes nothing, unless runs of unknown characters (one token each)
 * fill the beginning.
 */
const LONGEST = 4096;

/** What corank uses of the packages. Optional, so their own types may be absent. */
interface Model {
  embed(texts: string[]): Promise<number[][]>;
}
interface Packages {
  initModel(source: unknown): Promise<Model>;
  modelSource: unknown;
}

class Missing extends Error {}

async function load(name: string): Promise<Partial<Packages>> {
  try {
    return await import(name);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ERR_MODULE_NOT_FOUND' && message.includes(name)) throw new Missing(name);
    throw error;
  }
}

async function loadModel(): Promise<Model> {
  const [core, embeddings, weights] = LITE_PACKAGES;
  await load(core);
  const { initModel } = await load(embeddings);
  const { modelSource } = await load(weights);
  return initModel!(modelSource);
}

/**
 * The vectors of texts, one after the other. Each text is embedded alone: its vector does not depend on its
 * neighbours. A text of nothing has no direction: zeros.
 */
async function embed(texts: readonly string[]): Promise<Float32Array> {
  const vectors = new Float32Array(texts.length * LITE_DIMENSION);
  for (const [at, text] of texts.entries()) {
    // The packages would normalise too; signs can grow by it, so the cut comes after.
    const read = text.slice(0, LONGEST).normalize('NFKC').slice(0, LONGEST);
    if (read.trim() === '') continue;
    model ??= loadModel();
    const [vector] = await (await model).embed([read]);
    if (vector?.length !== LITE_DIMENSION || !vector.every(Number.isFinite))
      throw new Error(`the model gave no ${LITE_DIMENSION} finite numbers`);
    vectors.set(vector, at * LITE_DIMENSION);
  }
  return vectors;
}

let model: Promise<Model> | undefined;
/** Tasks one after the other: the model is not made for two at once. */
let last: Promise<void> = Promise.resolve();

async function answer({ id, texts }: LiteTask): Promise<void> {
  let told: LiteAnswer;
  try {
    told = { id, vectors: await embed(texts) };
  } catch (error) {
    told = error instanceof Missing ? { id, missing: error.message } : { id, why: reasonOf(error) };
  }
  parentPort!.postMessage(told, 'vectors' in told ? [told.vectors.buffer as ArrayBuffer] : []);
}

parentPort!.on('message', (task: LiteTask) => {
  last = last.then(() => answer(task));
});
