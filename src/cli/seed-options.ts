import { type Command, Option } from 'commander';
import type { Embedder } from '../ingest/embedder.js';
import { dense } from '../retrieve/dense.js';
import type { SeedOptions } from '../retrieve/seeds/options.js';

const STRATEGIES = ['substring', 'embedding', 'hybrid', 'bm25'] as const;

export interface SeedsOptions {
  seeds?: (typeof STRATEGIES)[number];
}

export function addSeedsOption(command: Command): Command {
  return command.addOption(
    new Option(
      '--seeds <strategy>',
      'how the text finds nodes: substring by name, embedding by vector, hybrid by both, bm25 by words (default: hybrid)',
    ).choices(STRATEGIES),
  );
}

/** The command line's words for seeds as the library takes them. */
export function seedOptionsOf(
  { seeds = 'hybrid' }: SeedsOptions,
  embedder: Embedder | undefined,
): SeedOptions {
  if (seeds === 'bm25') return { strategy: 'retriever' };
  const model = embedder?.model === undefined ? {} : { model: embedder.model };
  return {
    strategy: seeds,
    ...(embedder === undefined ? {} : { dense: dense({ embed: embedder.embed, ...model }) }),
  };
}
