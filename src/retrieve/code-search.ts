import { bitmapWords, isSet } from '../memory/bitmap.js';
import { bm25 } from './bm25.js';
import { ask, type RowHit, type RowHits } from './hits.js';
import { factor, knownKeys, oneOf } from './options.js';
import { pagerank } from './pagerank.js';
import type { Hit, RetrieveOptions, RetrieveRequest, Retriever } from './retriever.js';
import type { Runtime } from './runtime.js';
import { ScoreSums } from './score-sums.js';

export type CodeSurface = 'symbols' | 'files' | 'all';
export const CODE_SURFACES: readonly CodeSurface[] = ['symbols', 'files', 'all'];

export interface CodeSearchOptions {
  /** What the answer shows; default `symbols`. Either way both are ranked together. */
  surface?: CodeSurface;
  /** What a class or function around a symbol adds to it, per unit of its own score; default 0.1. */
  container?: number;
  /** What its symbols add to a file: so much times ln(1 + sum of those above 0.3); default 0.1. */
  symbols?: number;
  /** What the walk adds, where its best is 1; default 0.2. */
  walk?: number;
}

/** Rows of each list of words, whatever is asked for: a shorter answer is then a prefix of a longer one. */
const POOL = 1000;
const SEEDS = 10;
/** Symbols that count for their file. */
const GOOD = 0.3;

/** Files have other fields than symbols: the names of what they define (heading), and no name of their own. */
const FILE_WORDS = {
  weights: { name: 0, folders: 2, signature: 0, text: 0.5 },
  b: { default: 0.2, text: 0.4, heading: 0.5 },
  phrases: false,
} as const;

/** Edges weigh by kind, both ways (QUALITY section 4); kinds that are not named weigh 1. */
const WALK = {
  walk: 'mixed',
  reverseRatio: 1,
  damping: 0.5,
  maxIterations: 25,
  seedCount: SEEDS,
  seedPower: 3,
  kindWeights: { references: 0.5, imports: 0.3 },
} as const;

/**
 * Ranks the symbols and files of a code index (QUALITY section 4): words, each list divided by its best; a share of the
 * container's score for symbols, of its symbols' scores for files; a walk from the first ten symbols along calls,
 * containment, references and imports, both ways. The default retriever of an index with the analyzer `code`.
 */
export function codeSearch(options: CodeSearchOptions = {}): Retriever {
  knownKeys('codeSearch', options, ['surface', 'container', 'symbols', 'walk']);
  const surface = oneOf('codeSearch.surface', options.surface ?? 'symbols', CODE_SURFACES);
  const container = factor('codeSearch.container', options.container ?? 0.1);
  const symbols = factor('codeSearch.symbols', options.symbols ?? 0.1);
  const walk = factor('codeSearch.walk', options.walk ?? 0.2);
  const [ofSymbols, ofFiles] = [bm25({ phrases: false }), bm25(FILE_WORDS)];
  return {
    name: 'code',
    async retrieve(request, { signal }) {
      const pooled = { ...request, limit: POOL };
      const [words, fileWords] = await Promise.all([
        ask(ofSymbols, pooled, { signal }),
        ask(ofFiles, pooled, { signal }),
      ]);
      const { runtime } = request;
      const isFile = filesOf(runtime);
      const isSymbol = (row: number) => !isFile(row);
      const idOf = (row: number) => runtime.nodes.id(row);
      const scores = new ScoreSums(request.explain);
      const found = words.hits.filter(({ row }) => isSymbol(row));
      scores.addShares(found, 'words');
      const files = fileWords.hits.filter(({ row }) => isFile(row));
      scores.addShares(files, 'words');
      addContainers(request, scores, found, container);
      addToFiles(request, scores, found, symbols, isFile);
      if (walk > 0 && runtime.index.directory.graph !== undefined) {
        const seeds = scores.hits(idOf, isSymbol).slice(0, SEEDS);
        const { hits } = await walkFrom(pooled, seeds, { signal });
        for (const kind of [isSymbol, isFile])
          scores.addShares(
            hits.filter(({ row }) => kind(row)),
            'walk',
            walk,
          );
      }
      const shown = { symbols: isSymbol, files: isFile, all: () => true }[surface];
      return { hits: scores.hits(idOf, shown).slice(0, request.limit), skipped: words.skipped };
    },
  };
}

const FILE = Buffer.from('file');

/** Whether a row is a file; anything else with words is a symbol. */
function filesOf({ nodes }: Runtime): (row: number) => boolean {
  const kind = nodes.text('kind');
  return (row) => kind?.equals(row, FILE) === true;
}

/** A symbol's container is known by its qualified name: `A.b` around `A.b.c`. */
function addContainers(
  { runtime: { nodes } }: RetrieveRequest,
  scores: ScoreSums,
  symbols: readonly RowHit[],
  weight: number,
): void {
  const [paths, names] = [nodes.text('path'), nodes.text('qualifiedName')];
  const own = new Map(symbols.map(({ row }) => [row, scores.of(row)]));
  for (const { row } of symbols) {
    const name = names?.get(row) ?? '';
    const around = name.slice(0, Math.max(0, name.lastIndexOf('.')));
    if (around === '') continue;
    scores.add(row, 'container', weight * (own.get(nodes.row(`${paths?.get(row)}#${around}`)) ?? 0));
  }
}

/** Only files that the caller sees gain: hidden ones do not exist. */
function addToFiles(
  { runtime: { nodes, index }, scope }: RetrieveRequest,
  scores: ScoreSums,
  symbols: readonly RowHit[],
  weight: number,
  isFile: (row: number) => boolean,
): void {
  const visible = index.u32(scope.bitmapAt, bitmapWords(index.nodes));
  const paths = nodes.text('path');
  const best = symbols[0]?.score ?? 1;
  const sums = new Map<number, number>();
  for (const { row, score } of symbols) {
    if (score / best <= GOOD) continue;
    const file = nodes.row(paths?.get(row) ?? '');
    if (file < 0 || !isSet(visible, file) || !isFile(file)) continue;
    sums.set(file, (sums.get(file) ?? 0) + score / best);
  }
  for (const [file, sum] of sums) scores.add(file, 'symbols', weight * Math.log1p(sum));
}

function walkFrom(
  request: RetrieveRequest,
  seeds: readonly Hit[],
  options: RetrieveOptions,
): Promise<RowHits> {
  const found: Retriever = { name: 'symbols', retrieve: async () => seeds };
  return ask(pagerank({ ...WALK, seeds: found }), request, options);
}
