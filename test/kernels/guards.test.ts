import { beforeEach, expect, it } from 'vitest';
import { Arena, encodePositions } from './arena.js';

// Every kernel, with sizes that are no multiple of a lane group: only its output may change.
const arena = new Arena(2 * 65536);
const { exports } = arena.kernels;
const N = 37;
const ramp = Array.from({ length: N }, (_, i) => i / 3);
const ids = ramp.map((_, i) => i);

beforeEach(() => arena.reset());

function expectOnly(ranges: [at: number, bytes: number][], call: () => void) {
  arena.mark();
  call();
  expect(arena.changedOutside(ranges)).toEqual([]);
}

it('dotScan and dotExact write their scores only', () => {
  const width = 32;
  const queriesAt = arena.f32(new Array(7 * width).fill(0.5));
  const rowsAt = arena.f32(new Array(N * width).fill(0.25));
  const outAt = arena.room(Float32Array, 7 * N);
  const exactAt = arena.room(Float64Array, N);
  const listAt = arena.u32(ids);
  expectOnly([[outAt, 7 * N * 4]], () => exports.dotScan(queriesAt, 7, rowsAt, width, 0, N, 0, outAt, N));
  expectOnly([[outAt, N * 4]], () => exports.dotScan(queriesAt, 1, rowsAt, width, 0, N, 0, outAt, N));
  expectOnly([[exactAt, N * 8]], () => exports.dotExact(queriesAt, rowsAt, width, 20, listAt, N, exactAt));
});

it('overNorms writes its scores only', () => {
  const [scoresAt, normsAt] = [arena.f32(ramp), arena.f64(ramp)];
  expectOnly([[scoresAt, N * 4]], () => exports.overNorms(scoresAt, normsAt, N, 0));
});

it('dotScanInt8 writes its scores only, selectReach its rows', () => {
  const width = 32;
  const [queryAt, rowsAt] = [arena.u16(new Array(width).fill(9)), arena.bytes(new Array(N * width).fill(5))];
  const [scalesAt, normsAt] = [arena.f32(ramp), arena.f64(ramp)];
  const [outAt, listAt] = [arena.room(Float64Array, N), arena.room(Uint32Array, N)];
  for (const norms of [0, normsAt]) {
    expectOnly([[outAt, N * 8]], () =>
      exports.dotScanInt8(queryAt, rowsAt, width, N, 0, scalesAt, 0.5, norms, 2, outAt),
    );
  }
  const above = ramp.filter((score) => score >= 8).length;
  expectOnly([[listAt, above * 4]], () =>
    exports.selectReach(normsAt, N, 0, scalesAt, normsAt, 0, 0, 0, 8, listAt),
  );
});

it('topK, topK32 and selectAbove write k rows only', () => {
  const [scoresAt, scanAt] = [arena.f64(ramp), arena.f32(ramp)];
  const [rowsAt, outAt] = [arena.room(Uint32Array, N), arena.room(Float64Array, N)];
  for (const k of [1, 5, N]) {
    const ranges: [number, number][] = [
      [rowsAt, 4 * k],
      [outAt, 8 * k],
    ];
    expectOnly(ranges, () => exports.topK(scoresAt, N, 0, 0, -1, k, rowsAt, outAt));
    expectOnly(ranges, () => exports.topK32(scanAt, N, 0, 0, -1, k, rowsAt, outAt));
  }
  const above = ramp.filter((score) => score >= 8).length;
  expectOnly([[rowsAt, 4 * above]], () => exports.selectAbove(scanAt, N, 0, 0, 0, 0, 8, rowsAt));
});

it('the accumulators of bm25, occurrences and rrf write listed rows only', () => {
  const odd = ids.filter((row) => row % 2 === 1);
  const [rowsAt, codesAt, tableAt] = [arena.u32(odd), arena.u16(odd), arena.f64(ramp)];
  const fieldsAt = arena.u32([codesAt, tableAt, codesAt, tableAt, codesAt, tableAt]);
  const [normsAt, accAt] = [arena.f64(new Array(N).fill(1)), arena.room(Float64Array, N)];
  const rows = odd.map((row): [number, number] => [accAt + 8 * row, 8]);
  for (const fields of [1, 2, 3]) {
    expectOnly(rows, () =>
      exports.bm25Accumulate16(rowsAt, odd.length, fieldsAt, fields, normsAt, 1, 1, accAt),
    );
  }
  expectOnly(rows, () => exports.bm25AccumulateCounts(rowsAt, rowsAt, odd.length, normsAt, 1, 1, accAt));
  const countsAt = arena.u32(ids);
  const countedAt = arena.u32([codesAt, countsAt]);
  expectOnly(rows, () => exports.addOccurrences16(rowsAt, odd.length, countedAt, 1, 9, accAt));
  expectOnly(rows, () => exports.rrfAdd(rowsAt, odd.length, 60, 1, accAt));
  const bitmapAt = arena.bitmap(N, (row) => row < 9);
  expectOnly([], () => exports.countVisible(rowsAt, odd.length, bitmapAt));
});

it('the steps of eight walks write scores, contributions and sums only', () => {
  const eight = arena.f64(new Array(8 * N).fill(0.25));
  const [scoresAt, outAt] = [arena.f64(new Array(8 * N).fill(0.5)), arena.room(Float64Array, 8 * N)];
  const [sumsAt, baseAt] = [arena.room(Float64Array, 8), arena.f64(new Array(8).fill(0.2))];
  const [loopsAt, seedsAt] = [arena.f64(ramp), arena.u32([0, 7])];
  const graphAt = arena.u32([
    arena.u32(new Array(N + 1).fill(0).map((_, i) => (i < 9 ? 0 : 3))),
    arena.u32([1, 2, 3]),
    0,
    0,
    0,
  ]);
  expectOnly(
    [
      [outAt, 64 * N],
      [sumsAt, 64],
    ],
    () => exports.pagerankContributions8(scoresAt, loopsAt, N, outAt, sumsAt),
  );
  expectOnly(
    [
      [scoresAt, 64 * N],
      [sumsAt, 64],
    ],
    () =>
      exports.pagerankStep8(
        graphAt,
        graphAt,
        0.5,
        N,
        eight,
        seedsAt,
        2,
        eight,
        loopsAt,
        0,
        baseAt,
        0.8,
        scoresAt,
        sumsAt,
      ),
  );
  const laneAt = arena.room(Float64Array, N);
  expectOnly([[laneAt, 8 * N]], () => exports.takeLane8(eight, 7, N, laneAt));
});

it('the steps of pagerank write scores and contributions only', () => {
  const [startsAt, endsAt] = [arena.u32([...ids, N]), arena.u32(ids)];
  const graphAt = arena.u32([startsAt, endsAt, 0, 0, 0]);
  const [valuesAt, scoresAt, outAt] = [arena.f64(ramp), arena.f64(ramp), arena.room(Float64Array, N)];
  expectOnly([[outAt, 8 * N]], () => exports.pagerankContributions(valuesAt, valuesAt, N, outAt));
  expectOnly([[outAt, 8 * N]], () => exports.outWeights(graphAt, N, 0, 0.3, outAt));
  expectOnly([[scoresAt, 8 * N]], () =>
    exports.pagerankStep(graphAt, graphAt, 0.5, N, outAt, valuesAt, valuesAt, 0, 0.2, 0.8, scoresAt),
  );
});

it('phraseMatch writes cursors, scratch and matches only', () => {
  const positions = ids.flatMap(() => encodePositions([3, 4, 300]));
  const offsets = [...ids, N].map((row) => (row * positions.length) / N);
  const [rowsAt, offsetsAt, positionsAt] = [arena.u32(ids), arena.u32(offsets), arena.bytes(positions)];
  const termsAt = arena.u32([rowsAt, N, offsetsAt, 9, rowsAt, N, offsetsAt, 9]);
  const scratchAt = arena.room(Uint32Array, 3);
  const [outRowsAt, outCountsAt] = [arena.room(Uint32Array, N), arena.room(Uint32Array, N)];
  expectOnly(
    [
      [termsAt + 12, 4],
      [termsAt + 28, 4],
      [scratchAt, 3 * 4],
      [outRowsAt, N * 4],
      [outCountsAt, N * 4],
    ],
    () => exports.phraseMatch(termsAt, 2, positionsAt, 0, 0, 0, 0, scratchAt, outRowsAt, outCountsAt),
  );
  expect([...arena.view(Uint32Array, outCountsAt, N)]).toEqual(new Array(N).fill(1));
});
