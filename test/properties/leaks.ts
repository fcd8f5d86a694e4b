/** A text of one file of dist/, which must occur exactly once, and what stands in its place. */
export interface Patch {
  file: string;
  from: string;
  to: string;
}

export interface Leak {
  patches: Patch[];
  /** What the first difference that is found begins with: the retriever that gives it away. */
  shows: RegExp;
  /** Whether it takes more than one caller of one index to see it. */
  needsOthers?: boolean;
}

/** Runs `code` while the bitmap of the scope has every row. */
const overAllRows = (code: string): string => `
    const bits = index.u32(scope.bitmapAt, Math.ceil(index.nodes / 32));
    const kept = bits.slice();
    bits.fill(0xffffffff);
    ${code}
    bits.set(kept);`;

const FIND_TOP =
  'const found = topK(kernels, scratch.scores, index.nodes, 0, scope.bitmapAt, 0, Math.min(limit, index.nodes), scratch.topRows, scratch.topScores);';

const WALK_STEP =
  'end.residual = pagerankStep(kernels, graph.pull, graph.second, graph.ratio, graph.derivedAt, n, graph.phrases, scratch.walkContributions, scratch.walkRestart, graph.loopsAt, scope.bitmapAt, base, damping, scratch.walkScores);';

/** Ways to get a scope wrong, each a mistake that someone has made. */
export const LEAKS = {
  'document frequencies counted over all rows': {
    patches: [
      {
        file: 'score/term.js',
        from: 'return scope.full ? count : countVisible(kernels, rowsAt, count, scope.bitmapAt);',
        to: 'return count;',
      },
    ],
    shows: /^(bm25|hybrid|pagerank|fused|graph completion|default)/,
  },
  'everything ranked over all rows, hidden ones dropped from the answer': {
    patches: [
      {
        file: 'coordinator.js',
        from: 'const request = requestOf(this.runtime, query, scope, alive, { limit: limits.depth, explain, trace });',
        to: `const whole = await this.scopes.acquire({ mode: 'open' }, query.filters ?? []);
            const request = requestOf(this.runtime, query, whole, alive, { limit: limits.depth, explain, trace });`,
      },
      {
        file: 'coordinator.js',
        from: 'if (!isPartial(retriever))',
        to: `this.scopes.release(whole);
            const bits = this.runtime.index.u32(scope.bitmapAt, Math.ceil(this.runtime.index.nodes / 32));
            found.hits = found.hits.filter(({ row }) => (bits[row >>> 5] >>> (row & 31)) & 1);
            if (!isPartial(retriever))`,
      },
    ],
    shows: /^(bm25|dense|hybrid|pagerank|fused|graph completion|default|probe)/,
  },
  'the limit of bm25 counted before hidden rows are dropped': {
    patches: [
      { file: 'score/best-rows.js', from: FIND_TOP, to: overAllRows(FIND_TOP.replace('const', 'var')) },
      {
        file: 'score/best-rows.js',
        from: `return {
        rows: index.u32(scratch.topRows, found).slice(),
        scores: index.f64(scratch.topScores, found).slice(),
    };`,
        to: `const seen = (_, i) => {
        const row = index.u32(scratch.topRows, found)[i];
        return (kept[row >>> 5] >>> (row & 31)) & 1;
    };
    return {
        rows: index.u32(scratch.topRows, found).filter(seen),
        scores: index.f64(scratch.topScores, found).filter(seen),
    };`,
      },
    ],
    shows: /^(bm25|hybrid|pagerank|fused|graph completion|default)/,
  },
  'the cap of 8 expansions counted before hidden ones are dropped': {
    patches: [
      {
        file: 'retrieve/graph-completion.js',
        from: "import { ask } from './hits.js';",
        to: `import { ask } from './hits.js';
import { neighbours } from '../score/neighbours.js';
function everyEdge({ runtime: { context, nodes }, scope }, id) {
    const { index } = context;
    const row = nodes.row(id);
    ${overAllRows("const ends = neighbours(context, scope, row, 'out');")}
    const hidden = (end) => ((kept[end >>> 5] >>> (end & 31)) & 1) === 0;
    return ends.map((end) => ({ id: nodes.id(end.row), kind: end.kind, along: 'out', hidden: hidden(end.row) }));
}`,
      },
      {
        file: 'retrieve/graph-completion.js',
        from: 'const { expansions, done } = await expand(settings, request,',
        to: 'const { expansions, done } = await expand(settings, request, (id) => everyEdge(request, id),',
      },
      {
        file: 'retrieve/graph-completion.js',
        from: 'async function expand({ maxSeedExpansion, edgeKinds, direction, onCancel }, { graph },',
        to: 'async function expand({ maxSeedExpansion, edgeKinds, direction, onCancel }, { graph }, everyEdgeOf,',
      },
      { file: 'retrieve/graph-completion.js', from: 'of edgesOf(seed.id))', to: 'of everyEdgeOf(seed.id))' },
      {
        file: 'retrieve/graph-completion.js',
        from: 'const { id, kind, along } of',
        to: 'const { id, kind, along, hidden } of',
      },
      { file: 'retrieve/graph-completion.js', from: 'added++;', to: 'added++; if (hidden) continue;' },
    ],
    shows: /^graph completion/,
  },
  'average lengths taken over all rows': {
    patches: [
      { file: 'score/field-statistics.js', from: 'if (isSet(words, row))\n', to: '\n' },
      {
        file: 'score/field-statistics.js',
        from: 'return { totals };',
        to: 'return { totals: totals.map((total) => (total * scope.visible) / index.nodes) };',
      },
    ],
    shows: /^(bm25|hybrid|pagerank|fused|graph completion|default)/,
  },
  'out-weights that count hidden edges': {
    patches: [
      {
        file: 'score/walk-graph.js',
        from: 'outWeights(kernels, reverse ? inAt : outAt, n, scope.bitmapAt, 1, scratch.walkInverse);',
        to: overAllRows(
          'outWeights(kernels, reverse ? inAt : outAt, n, scope.bitmapAt, 1, scratch.walkInverse);',
        ),
      },
    ],
    shows: /^(pagerank|fused|graph completion of pagerank|default|walk)/,
  },
  'hidden rows that receive and pass on rank': {
    patches: [{ file: 'score/walk.js', from: WALK_STEP, to: overAllRows(WALK_STEP) }],
    shows: /^(pagerank|fused|graph completion of pagerank|default|walk)/,
  },
  'hidden files that gain by their symbols': {
    patches: [
      {
        file: 'retrieve/code-search.js',
        from: 'if (file < 0 || !isSet(visible, file) || !isFile(file))',
        to: 'if (file < 0 || !isFile(file))',
      },
    ],
    shows: /^(code search|default)/,
  },
  'a stage that tells hidden nodes from unknown ones': {
    patches: [
      {
        file: 'retrieve/why-not.js',
        from: 'return row >= 0 && isSet(visible, row) ?',
        to: 'return row >= 0 ?',
      },
    ],
    shows: /./,
  },
  'a count that tells hidden ids from unknown ones': {
    patches: [
      {
        file: 'retrieve/hits.js',
        from: 'if (row < 0 || !isSet(visible, row))',
        to: "if (row < 0)\n            return 'empty_hits';\n        if (!isSet(visible, row))",
      },
    ],
    shows: /probe/,
  },
  'an error that tells hidden seeds from unknown ones': {
    patches: [
      {
        file: 'retrieve/walk.js',
        from: 'if (row < 0 || !isSet(visible, row)) {',
        to: `if (row >= 0 && !isSet(visible, row))
            throw new CorankError('INVALID_INPUT', 'this caller may not see that seed');
        if (row < 0) {`,
      },
    ],
    shows: /^walk/,
  },
  'seeds among hidden rows': {
    patches: [{ file: 'score/seeds.js', from: 'if (!isSet(visible, row))', to: 'if (false)' }],
    shows: /^(rankByQuery|localize|seeds)/,
  },
  'hidden rows that lead on from seeds': {
    patches: [{ file: 'score/localize-walk.js', from: '|| !isSet(visible, row)', to: '' }],
    shows: /^localize/,
  },
  'a route decided by hidden vectors': {
    patches: [
      {
        file: 'retrieve/seeds/seeds-of.js',
        from: "const { any } = await runtime.pool.run('visibleVectors', scope, { model: 0 }, signal);",
        to: 'const any = runtime.manifest.counts.vectors;',
      },
    ],
    shows: /^(rankByQuery as|seeds by the route)/,
  },
  'a score that tells hidden nodes from unknown ones': {
    patches: [
      {
        file: 'retrieve/seeds/match.js',
        from: 'const node = row >= 0 && isSet(visible, row) ?',
        to: 'const node = row >= 0 ?',
      },
    ],
    shows: /^scores of seeds/,
  },
  'a reason made from hidden vectors': {
    patches: [{ file: 'score/visible-vectors.js', from: 'if (!isSet(words, rows[v]))', to: 'if (false)' }],
    shows: /^(dense|hybrid|fused|pagerank from dense)/,
  },
  "a scope that is kept under its organisation's name": {
    patches: [
      {
        file: 'access/scope-cache.js',
        from: 'JSON.stringify([caller, filters])',
        to: 'JSON.stringify([caller.org, filters])',
      },
    ],
    shows: /^(bm25|dense|hybrid|pagerank|fused|graph completion|default|probe|walk)/,
    needsOthers: true,
  },
} satisfies Record<string, Leak>;
