import { CorankError } from '../errors.js';
import { BODY_START, type Manifest, type TableName } from '../index/schema.js';
import { bitmapWords } from './bitmap.js';

/**
 * The one place that adds byte offsets. From the sizes in a manifest it plans one WebAssembly memory:
 *
 *   control    one page: cancel flags, owners of the scratch regions
 *   tables     each file of the index, at 56 modulo 64, so that its buffers start on cache lines
 *   scopes     SCOPE_SLOTS bitmaps over the nodes
 *   scratch    one region a thread (the calling thread is one), the same areas in each
 *
 * Everything is planned before the memory is made; it never grows.
 */
export const PAGE = 65536;
const LINE = 64;
/** 4 GiB less one page, so that address + length never wraps in 32 bits. */
export const MAX_BYTES = 65535 * PAGE;
/** Scopes alive at once; a request for one more waits until a task lets one go. */
export const SCOPE_SLOTS = 64;
/** Longest list that a channel can be asked for. */
export const MAX_DEPTH = 10_000;
/** Query terms that one phrase can hold. */
export const MAX_PHRASE_TERMS = 1024;
/** Walks side by side in one block, and the distinct seeds that a block can have. */
export const WALK_LANES = 8;
export const WALK_SEEDS = 2048;
/** Queries scored side by side by the dense kernel. */
export const QUERY_BLOCK = 8;
/** Tasks that can be cancelled one by one. */
export const CANCEL_SLOTS = 4096;

/** What the plan depends on. */
export interface Sizes {
  tables: readonly { name: TableName; size: number }[];
  nodes: number;
  vectors: number;
  width: number;
  scored: number;
  maxCodes: number;
  maxOccurrences: number;
  kinds: number;
  /** Phrases and derived links, both ways; 0 without. Links are derived where there is a table of phrases, even empty. */
  phrases: number;
  links: number;
  threads: number;
}

/** Byte addresses of one thread's scratch areas; the comment gives element type and length. */
export interface Scratch {
  /** f64[nodes]: BM25 scores. */
  scores: number;
  /** f64[nodes]: document length norms. */
  norms: number;
  /** f64[scored][maxCodes]: what a code contributes. */
  codeTables: number;
  /** u32[scored * 2]: the field records of bm25Accumulate. */
  fieldRecords: number;
  /** u32[MAX_PHRASE_TERMS * 4], u32[MAX_PHRASE_TERMS], u32[maxOccurrences]: one phrase. */
  phraseTerms: number;
  phraseGaps: number;
  phrasePositions: number;
  /** u32[nodes] each: rows of a phrase with their counts. */
  phraseRows: number;
  phraseCounts: number;
  /** u16 or u32[scored][nodes]: one word's codes in those rows. */
  phraseCodes: number;
  /** u32[depth], f64[depth]: the best rows. */
  topRows: number;
  topScores: number;
  /** f32[QUERY_BLOCK][width]: padded query vectors; an i16 query lies in the second. */
  queries: number;
  /**
   * f32[QUERY_BLOCK][vectors]: scan scores. Those of an int8 scan are f64[vectors]; the bitmap of the vectors that
   * it leaves to a float32 scan lies in the second block.
   */
  scan: number;
  /** u32[vectors / 32]: visible vectors of one model. */
  vectorBitmap: number;
  /** u32[vectors], f64[vectors]: rows to be scored canonically, and their scores. */
  exactRows: number;
  exactScores: number;
  /** f64[nodes + phrases] each, the last two f64[nodes]: one walk. Phrases come behind the nodes. */
  walkScores: number;
  walkContributions: number;
  walkInverse: number;
  walkRestart: number;
  walkLoops: number;
  /**
   * f64[nodes + phrases][WALK_LANES] each: a block of walks; u32[WALK_SEEDS], f64[WALK_SEEDS][WALK_LANES]: where they restart;
   * f64[3][WALK_LANES]: dangling mass, base, change. All 0 where the index has no edges or the memory no room.
   */
  blockScores: number;
  blockContributions: number;
  blockSeeds: number;
  blockRestart: number;
  blockSums: number;
  /** i32[nodes + phrases + 1], u32[links], f64[links]: derived links as a scope weighs them, by the row they lead to. */
  derivedStarts: number;
  derivedSources: number;
  derivedWeights: number;
  /** f64[kinds]: weight of each edge kind; u32[5] each, 32 bytes apart: three graph records. */
  kindWeights: number;
  graphRecords: number;
  /** u32[MAX_DEPTH]: one list of a fusion; its scores go to `scores`. */
  fuseSlots: number;
}

export interface Layout {
  bytes: number;
  cancelFlags: number;
  /** i32[threads]: which thread has which scratch region. */
  owners: number;
  tables: Partial<Record<TableName, number>>;
  /** First byte of each scope bitmap. */
  scopes: number[];
  /** One per thread. */
  scratch: Scratch[];
}

export function sizesOf(manifest: Manifest, threads: number): Sizes {
  return {
    tables: Object.entries(manifest.tables).map(([name, entry]) => ({
      name: name as TableName,
      size: entry.size,
    })),
    nodes: manifest.counts.nodes,
    vectors: manifest.counts.vectors,
    width: manifest.embedding?.width ?? 0,
    scored: manifest.scored.length,
    maxCodes: manifest.limits.maxCodes,
    maxOccurrences: manifest.limits.maxOccurrences,
    kinds: manifest.tables.kinds?.rows ?? 0,
    phrases: manifest.derived?.phrases ?? 0,
    links: manifest.derived?.links ?? 0,
    threads,
  };
}

/**
 * Throws INDEX_TOO_LARGE, before anything is allocated, when the plan does not fit one memory. Blocks of walks are
 * planned when they fit too.
 */
export function planLayout(sizes: Sizes): Layout {
  const hasEdges = hasTable(sizes, 'edges');
  const roomy = plan(sizes, hasEdges);
  const layout = hasEdges && roomy.bytes > MAX_BYTES ? plan(sizes, false) : roomy;
  if (layout.bytes <= MAX_BYTES) return layout;
  const table = sizes.tables.reduce((sum, t) => sum + t.size, 0);
  throw new CorankError(
    'INDEX_TOO_LARGE',
    `the index needs ${layout.bytes} bytes (${table} of tables, the rest for ${sizes.threads} threads), ` +
      `one memory holds ${MAX_BYTES}: use ${remedies(sizes)}`,
  );
}

const hasTable = ({ tables }: Sizes, wanted: TableName): boolean =>
  tables.some(({ name }) => name === wanted);

function plan(sizes: Sizes, blocks: boolean): Layout {
  let at = 0;
  const take = (bytes: number): number => {
    const start = at;
    at = Math.ceil((at + bytes) / LINE) * LINE;
    return start;
  };
  const cancelFlags = take(CANCEL_SLOTS * 4);
  const owners = take(sizes.threads * 4);
  take(PAGE - at);
  const tables: Layout['tables'] = {};
  for (const { name, size } of sizes.tables) {
    tables[name] = take(size + LINE) + LINE - BODY_START;
  }
  const scopes = Array.from({ length: SCOPE_SLOTS }, () => take(bitmapWords(sizes.nodes) * 4));
  const scratch = Array.from({ length: sizes.threads }, () => planScratch(sizes, blocks, take));
  const bytes = Math.ceil(at / PAGE) * PAGE;
  return { bytes, cancelFlags, owners, tables, scopes, scratch };
}

function remedies({ tables, vectors, width }: Sizes): string {
  const floats = vectors * width * 4;
  const smaller = floats > 0 && tables.some(({ name, size }) => name === 'embeddings' && size >= floats);
  const options = [
    'fewer threads',
    'fewer fields',
    ...(smaller ? ['int8-only vectors'] : []),
    'several indexes',
  ];
  return `${options.slice(0, -1).join(', ')}, or ${options.at(-1)}`;
}

function planScratch(sizes: Sizes, blocks: boolean, take: (bytes: number) => number): Scratch {
  const { nodes, vectors, scored } = sizes;
  const walked = nodes + sizes.phrases;
  const depth = Math.min(MAX_DEPTH, Math.max(nodes, vectors, 1));
  return {
    scores: take(nodes * 8),
    norms: take(nodes * 8),
    codeTables: take(scored * sizes.maxCodes * 8),
    fieldRecords: take(scored * 8),
    phraseTerms: take(MAX_PHRASE_TERMS * 16),
    phraseGaps: take(MAX_PHRASE_TERMS * 4),
    phrasePositions: take(sizes.maxOccurrences * 4),
    phraseRows: take(nodes * 4),
    phraseCounts: take(nodes * 4),
    phraseCodes: take(scored * nodes * 4),
    topRows: take(depth * 4),
    topScores: take(depth * 8),
    queries: take(QUERY_BLOCK * sizes.width * 4),
    scan: take(QUERY_BLOCK * vectors * 4),
    vectorBitmap: take(bitmapWords(vectors) * 4),
    exactRows: take(vectors * 4),
    exactScores: take(vectors * 8),
    walkScores: take(walked * 8),
    walkContributions: take(walked * 8),
    walkInverse: take(walked * 8),
    walkRestart: take(nodes * 8),
    walkLoops: take(nodes * 8),
    blockScores: blocks ? take(walked * WALK_LANES * 8) : 0,
    blockContributions: blocks ? take(walked * WALK_LANES * 8) : 0,
    blockSeeds: blocks ? take(WALK_SEEDS * 4) : 0,
    blockRestart: blocks ? take(WALK_SEEDS * WALK_LANES * 8) : 0,
    blockSums: blocks ? take(3 * WALK_LANES * 8) : 0,
    derivedStarts: take(hasTable(sizes, 'phrases') ? (walked + 1) * 4 : 0),
    derivedSources: take(sizes.links * 4),
    derivedWeights: take(sizes.links * 8),
    kindWeights: take(sizes.kinds * 8),
    graphRecords: take(96),
    fuseSlots: take(MAX_DEPTH * 4),
  };
}
