import type { RecordBatch } from 'apache-arrow';
import { CorankError } from '../errors.js';
import type { AccessMode } from '../types.js';
import type { EmbeddingsBuilder } from './embeddings.js';
import type { ForwardIndex } from './forward-index.js';
import type { GrantsBuilder } from './grants.js';
import { embedDocuments, type LsaEmbedding, lsaTable, trainLsa } from './lsa.js';
import type { LsaOrigin } from './schema.js';

/** What has been taken in when vectors can be learned. */
export interface Learnable {
  forward: ForwardIndex;
  grants: GrantsBuilder;
  mode: AccessMode;
  /** By input place. */
  ids: readonly string[];
  /** Input places in id order. */
  order: Uint32Array;
  into: EmbeddingsBuilder;
}

/** Trains the index's own model on the rows that it may learn from, and embeds every row with it. */
export function learnVectors(
  embed: LsaEmbedding,
  { forward, grants, mode, ids, order, into }: Learnable,
): { table: RecordBatch; origin: LsaOrigin } {
  const tagged = taggedRows(embed, mode, grants);
  const inputs = tagged === undefined ? order : order.filter((input) => tagged.has(input));
  const model = trainLsa(forward, inputs, embed.dimension);
  into.declare(model.dimension);
  embedDocuments(forward, model, (input, vector) => into.addOwn(input, ids[input]!, vector));
  const origin = tagged === undefined ? {} : { org: tagged.org, tag: embed.trainOn! };
  return { table: lsaTable(model), origin: { rows: inputs.length, ...origin } };
}

/** The rows that a scoped index may learn from; undefined for all rows of an open one. */
function taggedRows({ trainOn }: LsaEmbedding, mode: AccessMode, grants: GrantsBuilder) {
  if (mode === 'open') {
    if (trainOn === undefined) return undefined;
    throw new CorankError('INVALID_INPUT', 'lsa: an open index has no tags to learn from: leave out trainOn');
  }
  if (trainOn !== undefined) return grants.rowsWithTag(trainOn);
  throw new CorankError(
    'INVALID_INPUT',
    'lsa: in a scoped index what is learned from hidden rows would show in the scores of everyone: ' +
      'name the tag of rows that all who may ask can read (trainOn, --lsa-train-on TAG)',
  );
}
