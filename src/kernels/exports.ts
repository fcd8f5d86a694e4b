/**
 * The ABI of the kernels: one entry per export of assembly/index.ts.
 *
 * Every `...At` parameter is a byte address (u32) in the shared memory. Counts are elements, never bytes.
 * Kernels allocate nothing, check nothing and touch only the ranges named here; the bindings beside this
 * file check once, and src/memory/layout.ts is the only place where addresses come from.
 *
 * bitmap: u32 words, row r is bit (r & 31) of word (r >> 5), 4-byte aligned; address 0 means "all rows".
 * f64 arrays are 8-byte aligned, u32/f32 4-byte, u16 2-byte; columns and scratch start 64-byte aligned.
 */
export interface KernelExports {
  // --- dot.ts
  /**
   * Scan scores of `queryCount` f32 queries against rows [from, to) of an f32 matrix, in f32 lanes:
   * out[q * stride + (row - from)] = dot(query q, row). Fast, not canonical: see dotExact.
   * `width` is the padded row length in floats, a multiple of 16; the padding is zero in queries and rows.
   * Rows outside the bitmap may be skipped: their out entries are then left as they were.
   * Bits depend on queryCount only (queries in fours add in another order than the rest), not on range or bitmap.
   * |out - exact| <= (width / 16 + 6) * 2^-24 * |query| * |row| when queryCount < 4, (width / 4 + 6) otherwise,
   * plus width * 2^-149 for products that underflow; an overflow gives an infinity or NaN and no bound.
   */
  dotScan(
    queriesAt: number,
    queryCount: number,
    rowsAt: number,
    width: number,
    from: number,
    to: number,
    bitmapAt: number,
    outAt: number,
    stride: number,
  ): void;
  /**
   * Canonical scores: out[i] = sum over d = 0 .. dimension-1, in that order, of f64(query[d]) * f64(row[d]),
   * for the `count` rows listed at `listAt` (u32). One rounding per multiply and per add (no fused multiply-add).
   * out: f64[count].
   */
  dotExact(
    queryAt: number,
    rowsAt: number,
    width: number,
    dimension: number,
    listAt: number,
    count: number,
    outAt: number,
  ): void;

  // --- over-norms.ts
  /**
   * Scan scores of dot products into those of cosine, but for the query's norm: scores[row] = scores[row] / norms[row]
   * in f64, rounded once to f32; 0 where norms[row] is 0. scores: f32[count]; norms: f64[count].
   * Blocks of 32 rows (a bitmap word) of which none is visible are left as they were.
   */
  overNorms(scoresAt: number, normsAt: number, count: number, bitmapAt: number): void;

  // --- dot-int8.ts
  /**
   * Scores of one i16 query against rows [0, count) of an int8 matrix. With sum = the exact integer dot product,
   *   out[row] = sum * (scales[row] * queryScale)                                     (normsAt 0: dot)
   *   out[row] = the same / (queryNorm * norms[row]), 0 where norms[row] is 0         (cosine)
   * in f64, one rounding per operation: a row's bits depend on that row and the query alone.
   * query: i16[width], 127 * (sum of the magnitudes) < 2^31; rows: i8[count][width] of -127 .. 127; `width` is a
   * multiple of 16, the padding is zero. scales: f32[count]; norms: f64[count]; out: f64[count].
   * Rows outside the bitmap may be skipped: their out entries are then left as they were.
   */
  dotScanInt8(
    queryAt: number,
    rowsAt: number,
    width: number,
    count: number,
    bitmapAt: number,
    scalesAt: number,
    queryScale: number,
    normsAt: number,
    queryNorm: number,
    outAt: number,
  ): void;

  // --- reach-int8.ts
  /**
   * Rows in [0, count) that are visible and whose score may still reach `limit`: with gap = scores[row] - limit,
   *   NOT (gap + perNorm * norms[row] + perResidual * residuals[row] < 0)              (divided 0: dot)
   *   NOT ((gap + perNorm) * norms[row] + perResidual * residuals[row] < 0)            (divided 1: cosine),
   * there NOT (gap < 0) where norms[row] is 0. scores, norms: f64[count]; residuals: f32[count].
   * Writes rows (u32, ascending), returns how many.
   */
  selectReach(
    scoresAt: number,
    count: number,
    bitmapAt: number,
    residualsAt: number,
    normsAt: number,
    divided: 0 | 1,
    perResidual: number,
    perNorm: number,
    limit: number,
    outRowsAt: number,
  ): number;

  // --- bm25.ts
  /** How many of the `count` ids at `rowsAt` (u32, ascending) have their bit set. */
  countVisible(rowsAt: number, count: number, bitmapAt: number): number;
  /**
   * Adds one term's postings into the accumulator. For posting i in 0..count-1 with row = rows[i]:
   *   f = sum over fields j = 0 .. fieldCount-1, in that order, of table_j[code_j[i]]
   *   f = f / norms[row]                      (only when normsAt != 0)
   *   acc[row] = acc[row] + weight * (f / (f + k1))
   * fieldsAt: u32 pairs {address of code_j[0..count-1], address of table_j} per field. table_j: f64 per code.
   * codes are u16 in bm25Accumulate16 and u32 in bm25Accumulate32. acc, norms: f64 indexed by row.
   * f = 0 adds 0 (f + k1 > 0: k1 is > 0, or the posting is skipped when f is 0 and k1 is 0).
   */
  bm25Accumulate16(
    rowsAt: number,
    count: number,
    fieldsAt: number,
    fieldCount: number,
    normsAt: number,
    k1: number,
    weight: number,
    accAt: number,
  ): void;
  bm25Accumulate32(
    rowsAt: number,
    count: number,
    fieldsAt: number,
    fieldCount: number,
    normsAt: number,
    k1: number,
    weight: number,
    accAt: number,
  ): void;
  /**
   * The same for a pseudo-term (phrase, ordered pair) given as (row, occurrences) lists:
   * f = occurrences[i] / norms[row]; acc[row] += weight * (f / (f + k1)). rows, occurrences: u32.
   */
  bm25AccumulateCounts(
    rowsAt: number,
    occurrencesAt: number,
    count: number,
    normsAt: number,
    k1: number,
    weight: number,
    accAt: number,
  ): void;

  // --- occurrences.ts
  /**
   * Adds one term's occurrences. For posting i in 0..count-1 with row = rows[i]:
   *   acc[row] = acc[row] + min(most, sum over fields j of frequency_j[code_j[i]])
   * fieldsAt: u32 pairs {address of code_j[0..count-1], address of frequency_j: u32 per code} per field.
   * codes are u16 in addOccurrences16 and u32 in addOccurrences32. acc: f64 indexed by row.
   */
  addOccurrences16(
    rowsAt: number,
    count: number,
    fieldsAt: number,
    fieldCount: number,
    most: number,
    accAt: number,
  ): void;
  addOccurrences32(
    rowsAt: number,
    count: number,
    fieldsAt: number,
    fieldCount: number,
    most: number,
    accAt: number,
  ): void;

  // --- phrase.ts
  /**
   * Rows in which `termCount` (>= 2) terms stand one after another: term j at position p + j of the
   * stop-free sequence, for some p. Output, ascending by row: rows and how many such p (>= 1) each has.
   * termsAt: `termCount` records of four u32: {address of the term's rows (u32, ascending), count of postings,
   *   address of its position offsets (i32[count + 1], byte offsets into positions), 0 (scratch: cursor)}.
   * positionsAt: bytes; a posting's positions are unsigned LEB128 deltas, the first from 0 (so the first
   *   position is stored as itself), strictly ascending.
   * When gapsAt != 0 the phrase must also match at raw positions: between term j-1 and term j exactly
   *   gapCounts[j] stop words stand (gapCounts: u32[termCount], entry 0 unused). gapOffsetsAt: i32 per row + 1,
   *   byte offsets into the bytes at gapsAt; a row's gaps are pairs of unsigned LEB128: {delta of the
   *   stop-free position before which stop words stand (first from 0), number of them (>= 1)}, ascending.
   *   A position without an entry has 0 stop words before it.
   * bitmapAt: only visible rows are looked at. scratchAt: u32[maxPositions] for the current row.
   * Returns the number of rows written. outRowsAt, outCountsAt: u32, room for the shortest posting list.
   * The bytes of a term's positions for posting i are [offsets[i], offsets[i+1]).
   */
  phraseMatch(
    termsAt: number,
    termCount: number,
    positionsAt: number,
    gapCountsAt: number,
    gapOffsetsAt: number,
    gapsAt: number,
    bitmapAt: number,
    scratchAt: number,
    outRowsAt: number,
    outCountsAt: number,
  ): number;

  // --- top-k.ts
  /**
   * The best `k` rows of scores[0..count-1] (f64) that are visible and have score > floor,
   * by score descending, then row ascending. NaN never qualifies. Writes rows (u32) and scores (f64),
   * best first, and returns how many (<= k). Room for k entries is needed at both.
   * base is added to every row index written, and subtracted nowhere: bitmap bits are tested at index + base.
   */
  topK(
    scoresAt: number,
    count: number,
    base: number,
    bitmapAt: number,
    floor: number,
    k: number,
    outRowsAt: number,
    outScoresAt: number,
  ): number;
  /** The same over f32 scan scores (compared as f32 values); scores written as f64. */
  topK32(
    scoresAt: number,
    count: number,
    base: number,
    bitmapAt: number,
    floor: number,
    k: number,
    outRowsAt: number,
    outScoresAt: number,
  ): number;
  /**
   * Rows whose scan score may still reach `limit`: visible and NOT (scan[i] + slack * norms[i] < limit) (so a NaN is kept).
   * norms: f64 per row, or address 0 for 1. scan: f32. Writes row indices (u32, ascending, plus base as in topK), returns how many.
   */
  selectAbove(
    scanAt: number,
    count: number,
    base: number,
    bitmapAt: number,
    normsAt: number,
    slack: number,
    limit: number,
    outRowsAt: number,
  ): number;

  // --- pagerank.ts
  /** contributions[i] = scores[i] * inverse[i], i in 0..n-1; returns the sum, in row order, of scores[i] where inverse[i] is 0 (dangling mass). All f64. */
  pagerankContributions(scoresAt: number, inverseAt: number, n: number, contributionsAt: number): number;
  /**
   * One pull step, rows in order, in place:
   *   sum  = sum over in-edges e of row, in order, of c[source_e] * w_e                (graph at graphAt)
   *   sum += loops[row] * c[row]                                                       (only when loopsAt != 0)
   *   sum += sum over second graph's edges e, in order, of c[source_e] * (w_e * ratio) (only when ratio != 0)
   *   next = base * restart[row] + damping * sum;  scores[row] = next;  returned L1 change += |next - old|
   * Rows outside the bitmap are set to 0 and add nothing. w_e is weights[e] (f64; 1 when its address is 0),
   * times kindWeights[kinds[e]] (f64 table, u16 codes) when the kinds address is not 0.
   * graph record, five u32: {starts (i32[n + 1]), sources (u32), weights (f64 or 0), kinds (u16 or 0), kindWeights (f64 or 0)}.
   * Scalar, one accumulator: the order of additions is part of the contract.
   */
  pagerankStep(
    graphAt: number,
    secondAt: number,
    ratio: number,
    n: number,
    contributionsAt: number,
    restartAt: number,
    loopsAt: number,
    bitmapAt: number,
    base: number,
    damping: number,
    scoresAt: number,
  ): number;
  /**
   * Adds each visible row's out-weight to visible targets: out[row] += sum over edges e, in order, of w_e * factor;
   * rows outside the bitmap are left alone. Same graph record; here the list at `sources` holds the other ends.
   */
  outWeights(graphAt: number, n: number, bitmapAt: number, factor: number, outAt: number): void;

  // --- pagerank-block.ts
  /**
   * pagerankContributions of eight walks side by side: scores, contributions: f64[n][8]; inverse: f64[n], shared. The
   * dangling mass of each walk goes to danglingAt, f64[8]. Bits of a walk as pagerankContributions makes them.
   */
  pagerankContributions8(
    scoresAt: number,
    inverseAt: number,
    n: number,
    contributionsAt: number,
    danglingAt: number,
  ): void;
  /**
   * pagerankStep of eight walks side by side over the same graphs: contributions, scores: f64[n][8]; base and the L1
   * changes returned: f64[8]; loops: f64[n] or 0, shared. The restart is listed: seedCount rows (u32, ascending), each
   * with f64[8]; elsewhere it is 0. Rows outside the bitmap are left as they were: they must be 0 from the start.
   * Bits of a walk as pagerankStep makes them, as long as no number is negative.
   */
  pagerankStep8(
    graphAt: number,
    secondAt: number,
    ratio: number,
    n: number,
    contributionsAt: number,
    seedsAt: number,
    seedCount: number,
    restartAt: number,
    loopsAt: number,
    bitmapAt: number,
    baseAt: number,
    damping: number,
    scoresAt: number,
    changeAt: number,
  ): void;
  /** One walk out of a block: out[row] = block[row][lane]. block: f64[n][8]; lane in 0..7; out: f64[n]. */
  takeLane8(blockAt: number, lane: number, n: number, outAt: number): void;

  // --- rrf.ts
  /** acc[slots[i]] += weight / (k + i + 1), i in 0..count-1: ranks are 1-based, the list is best first. slots: u32, acc: f64. */
  rrfAdd(slotsAt: number, count: number, k: number, weight: number, accAt: number): void;
}
