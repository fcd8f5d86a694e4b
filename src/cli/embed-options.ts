import type { Command } from 'commander';
import { quote } from '../errors.js';
import type { Embedder } from '../ingest/embedder.js';
import { httpEmbedder } from '../retrieve/embed/http-embedder.js';
import { useLite } from '../retrieve/embed/use-lite.js';
import { asUsage, usage } from './exit-codes.js';
import type { Notes } from './notes.js';

/** Whose vectors: of a service, or of the model that runs in this process. */
export interface EmbedOptions {
  embed?: string;
  embeddingModel?: string;
  embedKeyEnv?: string;
  embedInputType?: boolean;
}

export function addServiceOptions(command: Command): Command {
  return command
    .option(
      '--embed-key-env <name>',
      'with --embed URL: the environment variable that holds its key (default: no key)',
    )
    .option('--embed-input-type', 'with --embed URL: says what is a query, what a document (default: off)');
}

/** An embedder that may still have to be told the name of its model. */
export type MakeEmbedder = (model: string | undefined) => Embedder | undefined;

/** `use-lite` or the URL of a service (`http:` before it is allowed); undefined for none of them. */
export function embedderMaker(options: EmbedOptions, notes: Notes): MakeEmbedder | undefined {
  const { embed, embedKeyEnv, embedInputType, embeddingModel } = options;
  const url = embed?.replace(/^http:(?=https?:)/, '');
  if (url === undefined || !/^https?:/i.test(url)) {
    if (embedKeyEnv !== undefined) notes.warn('--embed-key-env has no effect without --embed URL');
    if (embedInputType === true) notes.warn('--embed-input-type has no effect without --embed URL');
    return embed === 'use-lite' ? () => useLite() : undefined;
  }
  const key = embedKeyEnv === undefined ? undefined : keyIn(embedKeyEnv);
  const make = (model: string) => httpEmbedder({ url, model, key, inputType: embedInputType === true });
  asUsage(() => make(embeddingModel ?? 'any'));
  return (model) => {
    const name = embeddingModel ?? model;
    return name === undefined ? undefined : make(name);
  };
}

function keyIn(variable: string): string {
  const key = process.env[variable];
  if (key !== undefined && key !== '') return key;
  throw usage(`--embed-key-env ${quote(variable)}: no environment variable of this name has a value`);
}
