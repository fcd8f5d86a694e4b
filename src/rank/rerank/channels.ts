import { mostOf, ownSignal, rankValue, type Signal } from './signal.js';

/** What the channels that found the candidates say of them. */
export const channelSignals: readonly Signal[] = [
  ownSignal('bm25', 'no channel of words returned it', ({ textRank }) => rankValue(textRank)),
  ownSignal('semantic', 'no channel of vectors returned it', ({ vectorRank }) => rankValue(vectorRank)),
  ownSignal('semantic_cosine', 'no vector of the query or of the node', ({ cosine }) => cosine),
  {
    name: 'retriever',
    needs: 'no score of the list is above 0',
    prepare(batch) {
      const best = mostOf(batch, ({ score }) => score);
      return ({ score }) => (best > 0 ? score / best : undefined);
    },
  },
];
