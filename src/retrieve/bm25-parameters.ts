import { CorankError } from '../errors.js';
import { SCORED_FIELDS, type ScoredField } from '../index/fields.js';
import { factor, flag, fraction, knownKeys, oneOf } from './options.js';

export interface Bm25Options {
  /** How fast repeats of a word stop counting; 0.5 to 2; default 1.2. */
  k1?: number;
  /**
   * How much length counts, 0 to 1; default 0.6 (code: 0.4 in the text, 0.2 elsewhere). One number, or one per field and
   * `default` for all others.
   */
  b?: number | Partial<Record<ScoredField | 'default', number>>;
  /** `fields` (default): each field normalised by its own length, then added. `joined`: one long field. */
  form?: 'fields' | 'joined';
  /** Weight of a field; what is not named keeps its default (`joined`: 1). */
  weights?: Partial<Record<ScoredField, number>>;
  /** Weight of neighbouring query words found next to each other; 0 switches them off; default 0.2 (code: 0). */
  pairs?: number;
  /** Whether double quotes ask for words side by side (default) or are plain text. */
  phrases?: boolean;
}

/** What is not given: for prose, and for indexes of the analyzer `code`. */
interface Defaults {
  weights: Readonly<Record<ScoredField, number>>;
  b: Readonly<Partial<Record<ScoredField, number>> & { default: number }>;
  pairs: number;
}

/** QUALITY section 1: a word of the title counts three times, names and paths likewise. */
const PROSE: Defaults = {
  weights: {
    name: 3,
    qualifiedName: 1,
    container: 1,
    stem: 3,
    folders: 3,
    title: 3,
    heading: 1,
    signature: 1,
    text: 1,
  },
  b: { default: 0.6 },
  pairs: 0.2,
};

/** QUALITY section 4. A qualified name repeats name and container, a file's title its path. */
const CODE: Defaults = {
  weights: { ...PROSE.weights, qualifiedName: 0, title: 0 },
  b: { default: 0.2, text: 0.4 },
  pairs: 0,
};

export interface Bm25Parameters {
  form: 'fields' | 'joined';
  k1: number;
  b: (field: ScoredField) => number;
  pairB: number;
  weights: Record<ScoredField, number>;
  pairs: number;
  phrases: boolean;
}

/** Throws INVALID_INPUT for options out of range. The function gives the parameters for an index of an analyzer. */
export function bm25Parameters(options: Bm25Options): (analyzer: string) => Bm25Parameters {
  const [prose, code] = [PROSE, CODE].map((defaults) => checked(options, defaults)) as [
    Bm25Parameters,
    Bm25Parameters,
  ];
  return (analyzer) => (analyzer === 'code' ? code : prose);
}

function checked(options: Bm25Options, usual: Defaults): Bm25Parameters {
  knownKeys('bm25', options, ['k1', 'b', 'form', 'weights', 'pairs', 'phrases']);
  const form = oneOf('bm25.form', options.form ?? 'fields', ['fields', 'joined'] as const);
  const weights = { ...usual.weights };
  if (form === 'joined') for (const field of SCORED_FIELDS) weights[field] = 1;
  for (const [field, weight] of Object.entries(options.weights ?? {})) {
    oneOf('a field of bm25.weights', field, SCORED_FIELDS);
    weights[field as ScoredField] = factor(`bm25.weights.${field}`, weight);
  }
  const b = options.b ?? (form === 'joined' ? usual.b.default : usual.b);
  if (typeof b === 'object') {
    for (const [field, value] of Object.entries(b)) {
      if (field !== 'default') oneOf('a field of bm25.b', field, SCORED_FIELDS);
      fraction(`bm25.b.${field}`, value);
    }
    if (form === 'joined')
      throw new CorankError('INVALID_INPUT', 'bm25.b is one number when fields are joined');
  } else fraction('bm25.b', b);
  const usualB = typeof b === 'number' ? b : (b.default ?? usual.b.default);
  return {
    form,
    k1: factor('bm25.k1', options.k1 ?? 1.2),
    b: (field) => (typeof b === 'number' ? b : (b[field] ?? usualB)),
    pairB: usualB,
    weights,
    pairs: factor('bm25.pairs', options.pairs ?? usual.pairs),
    phrases: flag('bm25.phrases', options.phrases ?? true),
  };
}
