export { bm25Accumulate16, bm25Accumulate32, bm25AccumulateCounts, countVisible } from './bm25';
export { dotScan } from './dot';
export { dotExact } from './dot-exact';
export { addOccurrences16, addOccurrences32 } from './occurrences';
export { outWeights, pagerankContributions, pagerankStep } from './pagerank';
export { phraseMatch } from './phrase';
export { rrfAdd } from './rrf';
export { selectAbove, topK, topK32 } from './top-k';
