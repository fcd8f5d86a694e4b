import type { PhraseRequest } from './phrase.js';

export interface TermRequest {
  /** Number of the term in the index. */
  term: number;
  /** How often the query has it. */
  weight: number;
}

/**
 * One BM25 query. `weights` and `b` have an entry per scored field of the directory. `fields`: each field's
 * frequency is normalised by its own length, then added (BM25F, Zaragoza et al., 2004). `joined`:
 * frequencies and lengths are added first, which with weights of 1 is BM25 on the concatenated text.
 */
export interface Bm25Settings {
  form: 'fields' | 'joined';
  k1: number;
  weights: number[];
  b: number[];
  /** b of ordered pairs, whose length is the document's. */
  pairB: number;
}

export interface Bm25Request extends Bm25Settings {
  terms: TermRequest[];
  quoted: PhraseRequest[];
  pairs: PhraseRequest[];
  limit: number;
}
