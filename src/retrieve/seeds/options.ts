import { CorankError, quote } from '../../errors.js';
import { BOUNDARIES, type Boundaries } from '../../score/boundaries.js';
import { bm25 } from '../bm25.js';
import { dense } from '../dense.js';
import { fraction, knownKeys, oneOf, wholeNumber } from '../options.js';
import { checkRetriever, type Retriever } from '../retriever.js';
import { SEED_WEIGHT_KEYS, type SeedWeightOptions, seedWeightSettings } from './weights.js';

/**
 * `substring`: names and qualified names that the query's words match. `embedding`: the ten nearest vectors.
 * `hybrid`: both. `retriever`: the first hits of any retriever, the form for prose.
 */
export type SeedStrategy = 'substring' | 'embedding' | 'hybrid' | 'retriever';

const STRATEGIES: readonly SeedStrategy[] = ['substring', 'embedding', 'hybrid', 'retriever'];

export interface SeedOptions extends SeedWeightOptions {
  /** Default, and when empty: `hybrid`. */
  strategy?: SeedStrategy | '';
  /** Where a word may begin and end in a qualified name; default `identifier`. `word`: system C's rule. */
  boundaries?: Boundaries;
  /** `auto`: `substring` becomes `hybrid` where the caller sees any vector, as in system C. Default `literal`. */
  route?: 'literal' | 'auto';
  /**
   * From so many seeds by vector (default 3) `hybrid` leaves out those that only their qualified name matched, and,
   * unless `keepExactNames` (default true), those by name as well, as in system C.
   */
  dominance?: { threshold?: number; keepExactNames?: boolean };
  /** Vectors less alike than this are no seeds, 0 to 1; default 0. */
  minCosine?: number;
  /** What finds seeds by vector; default dense(). Its scores must be cosines. */
  dense?: Retriever;
  /** Of the strategy `retriever`; default bm25(). */
  retriever?: Retriever;
}

export const SEED_KEYS = [
  ...['strategy', 'boundaries', 'route', 'dominance', 'minCosine', 'dense', 'retriever'],
  ...SEED_WEIGHT_KEYS,
];

export interface SeedSettings {
  strategy: SeedStrategy;
  boundaries: Boundaries;
  route: 'literal' | 'auto';
  dominance: { threshold: number; keepExactNames: boolean };
  minCosine: number;
  dense: Retriever;
  retriever: Retriever;
  weights: Required<SeedWeightOptions>;
}

/** Throws INVALID_INPUT naming the option and what it may be. */
export function seedSettings(options: SeedOptions): SeedSettings {
  const { dominance = {} } = options;
  const strategy = oneOf('strategy', options.strategy || 'hybrid', STRATEGIES);
  if (options.retriever !== undefined && strategy !== 'retriever') {
    const message = `retriever is an option of the strategy 'retriever', not of '${strategy}'`;
    throw new CorankError('INVALID_INPUT', message);
  }
  if (typeof dominance !== 'object' || dominance === null)
    throw new CorankError('INVALID_INPUT', `dominance must be an object, got ${quote(dominance)}`);
  knownKeys('dominance', dominance, ['threshold', 'keepExactNames']);
  for (const name of ['dense', 'retriever'] as const)
    if (options[name] !== undefined) checkRetriever(options[name], name);
  return {
    strategy,
    boundaries: oneOf('boundaries', options.boundaries ?? 'identifier', BOUNDARIES),
    route: oneOf('route', options.route ?? 'literal', ['literal', 'auto'] as const),
    dominance: {
      threshold: wholeNumber('dominance.threshold', dominance.threshold ?? 3, 1, 1_000_000),
      keepExactNames: dominance.keepExactNames ?? true,
    },
    minCosine: fraction('minCosine', options.minCosine ?? 0),
    dense: options.dense ?? dense(),
    retriever: options.retriever ?? bm25(),
    weights: seedWeightSettings('', options),
  };
}
