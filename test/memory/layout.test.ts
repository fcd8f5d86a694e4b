import { fc, it as property } from '@fast-check/vitest';
import { describe, expect, it, vi } from 'vitest';
import { BODY_START, TABLES } from '../../src/index/schema.js';
import {
  CANCEL_SLOTS,
  MAX_BYTES,
  MAX_DEPTH,
  MAX_PHRASE_TERMS,
  PAGE,
  planLayout,
  QUERY_BLOCK,
  SCOPE_SLOTS,
  type Scratch,
  type Sizes,
  WALK_LANES,
  WALK_SEEDS,
} from '../../src/memory/layout.js';
import { loadTables } from '../../src/memory/load.js';
import { refusal } from '../index/small-index.js';

/** What each area of a scratch region must hold, in bytes, from the comments beside the addresses. */
function scratchBytes(sizes: Sizes) {
  const { nodes, vectors, width, scored, maxCodes, maxOccurrences, kinds } = sizes;
  const rows = nodes + sizes.phrases;
  const walked = sizes.tables.some(({ name }) => name === 'edges') ? 1 : 0;
  const bits = (rows: number) => Math.ceil(rows / 32) * 4;
  const deepest = Math.min(MAX_DEPTH, Math.max(nodes, vectors));
  const bytes: Record<keyof Scratch, number> = {
    scores: nodes * 8,
    norms: nodes * 8,
    codeTables: scored * maxCodes * 8,
    fieldRecords: scored * 2 * 4,
    phraseTerms: MAX_PHRASE_TERMS * 4 * 4,
    phraseGaps: MAX_PHRASE_TERMS * 4,
    phrasePositions: maxOccurrences * 4,
    phraseRows: nodes * 4,
    phraseCounts: nodes * 4,
    phraseCodes: scored * nodes * 4,
    topRows: deepest * 4,
    topScores: deepest * 8,
    queries: QUERY_BLOCK * width * 4,
    scan: QUERY_BLOCK * vectors * 4,
    vectorBitmap: bits(vectors),
    exactRows: vectors * 4,
    exactScores: vectors * 8,
    walkScores: rows * 8,
    walkContributions: rows * 8,
    walkInverse: rows * 8,
    walkRestart: nodes * 8,
    walkLoops: nodes * 8,
    blockScores: walked * rows * WALK_LANES * 8,
    blockContributions: walked * rows * WALK_LANES * 8,
    blockSeeds: walked * WALK_SEEDS * 4,
    blockRestart: walked * WALK_SEEDS * WALK_LANES * 8,
    blockSums: walked * 3 * WALK_LANES * 8,
    derivedStarts: sizes.tables.some(({ name }) => name === 'phrases') ? (rows + 1) * 4 : 0,
    derivedSources: sizes.links * 4,
    derivedWeights: sizes.links * 8,
    kindWeights: kinds * 8,
    // Three records of five u32, 32 bytes apart.
    graphRecords: 64 + 5 * 4,
    fuseSlots: MAX_DEPTH * 4,
  };
  return bytes;
}

function regions(sizes: Sizes): { name: string; from: number; to: number }[] {
  const layout = planLayout(sizes);
  const all = [
    { name: 'cancelFlags', from: layout.cancelFlags, to: layout.cancelFlags + CANCEL_SLOTS * 4 },
    { name: 'owners', from: layout.owners, to: layout.owners + sizes.threads * 4 },
    ...sizes.tables.map(({ name, size }) => ({
      name,
      from: layout.tables[name]!,
      to: layout.tables[name]! + size,
    })),
    ...layout.scopes.map((from, i) => ({
      name: `scope ${i}`,
      from,
      to: from + Math.ceil(sizes.nodes / 32) * 4,
    })),
    ...layout.scratch.flatMap((scratch, thread) =>
      Object.entries(scratchBytes(sizes)).map(([name, bytes]) => ({
        name: `${name} of thread ${thread}`,
        from: scratch[name as keyof Scratch],
        to: scratch[name as keyof Scratch] + bytes,
      })),
    ),
  ];
  return all.filter(({ from, to }) => to > from).sort((a, b) => a.from - b.from);
}

const sizes = fc.record({
  tables: fc.uniqueArray(fc.record({ name: fc.constantFrom(...TABLES), size: fc.nat({ max: 5000 }) }), {
    selector: ({ name }) => name,
  }),
  nodes: fc.nat({ max: 3000 }),
  vectors: fc.nat({ max: 3000 }),
  width: fc.constantFrom(0, 16, 128),
  scored: fc.nat({ max: 9 }),
  maxCodes: fc.nat({ max: 300 }),
  maxOccurrences: fc.nat({ max: 300 }),
  kinds: fc.nat({ max: 9 }),
  phrases: fc.nat({ max: 500 }),
  links: fc.nat({ max: 5000 }),
  threads: fc.integer({ min: 1, max: 5 }),
});

describe('the plan of one memory', () => {
  property.prop([sizes], { seed: 1 })(
    'lets no two regions overlap, and all end before the memory',
    (given) => {
      const sorted = regions(given);
      for (let i = 1; i < sorted.length; i++) {
        const [before, region] = [sorted[i - 1]!, sorted[i]!];
        expect(region.from, `${region.name} after ${before.name}`).toBeGreaterThanOrEqual(before.to);
      }
      const { bytes, scopes, scratch } = planLayout(given);
      expect(bytes).toBeGreaterThanOrEqual(sorted.at(-1)!.to);
      expect(bytes % PAGE).toBe(0);
      expect([scopes.length, scratch.length]).toEqual([SCOPE_SLOTS, given.threads]);
    },
  );

  property.prop([sizes], { seed: 1 })(
    'starts each on a cache line, tables so that their buffers do',
    (given) => {
      const { tables } = planLayout(given);
      for (const { name, from } of regions(given)) {
        if (name in tables) expect((from + BODY_START) % 64, name).toBe(0);
        else expect(from % (name === 'owners' ? 4 : 64), name).toBe(0);
      }
    },
  );

  it('is a pure function of the sizes', () => {
    const given = fc.sample(sizes, { seed: 3, numRuns: 1 })[0]!;
    expect(planLayout(given)).toEqual(planLayout(structuredClone(given)));
  });
});

describe('what does not fit one memory', () => {
  const large: Sizes = {
    tables: [{ name: 'postings', size: 2 ** 31 }],
    nodes: 1_000_000,
    vectors: 0,
    width: 0,
    scored: 2,
    maxCodes: 1000,
    maxOccurrences: 100,
    kinds: 0,
    phrases: 0,
    links: 0,
    threads: 1,
  };

  const planned = async (given: Sizes) => planLayout(given);

  it('is refused with what it needs and what would help', async () => {
    expect(planLayout(large).bytes).toBeLessThan(MAX_BYTES);
    await refusal(
      planned({ ...large, threads: 64 }),
      'INDEX_TOO_LARGE',
      String(MAX_BYTES),
      '64 threads',
      'fewer threads',
    );
  });

  it('is advised to keep vectors as int8 only where that saves something', async () => {
    const vectors = { ...large, threads: 64, vectors: 1000, width: 16 };
    const embeddings = { name: 'embeddings' as const, size: 1000 * 16 * 4 + 500 };
    const advice = 'int8-only vectors';
    const whole = { ...vectors, tables: [...large.tables, embeddings] };
    await refusal(planned(whole), 'INDEX_TOO_LARGE', advice);
    const bytes = { ...vectors, tables: [...large.tables, { ...embeddings, size: 1000 * 14 }] };
    for (const given of [bytes, { ...large, threads: 64 }]) {
      const error = await refusal(planned(given), 'INDEX_TOO_LARGE');
      expect(error.message).not.toMatch(advice);
    }
  });

  it('is refused at the first byte too many', async () => {
    const room = { ...large, tables: [], nodes: 1, scored: 0, maxCodes: 0 };
    const rest = MAX_BYTES - planLayout(room).bytes;
    const fits = { ...room, tables: [{ name: 'nodes' as const, size: rest - PAGE }] };
    expect(planLayout(fits).bytes).toBeLessThanOrEqual(MAX_BYTES);
    await refusal(planned({ ...room, tables: [{ name: 'nodes', size: rest + PAGE }] }), 'INDEX_TOO_LARGE');
  });

  it('is refused before any memory is made and any file is opened', async () => {
    const memory = vi.spyOn(WebAssembly, 'Memory');
    const manifest = {
      tables: { nodes: { file: 'nodes.arrow', size: 2 ** 33, rows: 1, crc32: 0, sha256: '' } },
      scored: [],
      counts: { nodes: 1, vectors: 0 },
      limits: { codeBytes: 2, maxCodes: 1, maxOccurrences: 1 },
    };
    const load = async () =>
      loadTables({ folder: '/does/not/exist', name: 'gen-000001', manifest: manifest as never }, 1);
    await refusal(load(), 'INDEX_TOO_LARGE');
    expect(memory).not.toHaveBeenCalled();
    memory.mockRestore();
  });
});
