import type { Scope } from '../../access/scope.js';
import { DEFAULT_EDGE_KIND } from '../../index/edge-table.js';
import { bitmapWords, isSet } from '../../memory/bitmap.js';
import type { EdgeView } from '../../memory/edge-view.js';
import type { Links } from '../../rank/rerank/batch.js';
import type { Step } from '../../rank/rerank/bounded-walk.js';
import { mentionsIn } from '../../score/mentions.js';
import type { Runtime } from '../runtime.js';

/** A visible edge of a visible row. */
interface EdgeAt {
  /** The other end. */
  row: number;
  weight: number;
  /** Its place in the edge table. */
  edge: number;
}

/** Kinds of edges that say that two nodes are alike, or that their files change together. */
const SIMILAR = 'similar_to';
const CO_CHANGE = 'co_change';
const USES: ReadonlySet<string> = new Set(['calls', 'references']);

/** What a kind of edge means to `links`. */
const Role = { none: 0, use: 1, similar: 2 } as const;
const SIDES = ['out', 'in'] as const;

/** Trust in an edge by how it was found. */
const TRUST: ReadonlyMap<string, number> = new Map([
  ['ast_resolved', 1],
  ['ast_inferred', 0.8],
  ['lsp', 0.6],
  ['text_matched', 0.5],
]);

/** The visible edges of rows: counted, and those of some kinds looked at. Undefined in an index without edges. */
export class LinkReader {
  private readonly runtime: Runtime;
  private readonly edges: EdgeView;
  private readonly visible: Uint32Array;
  /** In small letters, words joined by `_`. */
  private readonly kinds: readonly string[];
  private readonly roles: readonly number[];
  private readonly mentions: ReturnType<typeof mentionsIn>;
  private readonly sides: Readonly<Record<'in' | 'out', ReturnType<typeof sideOf>>>;

  constructor(runtime: Runtime, scope: Scope) {
    const { index, context, edges } = runtime;
    this.runtime = runtime;
    this.edges = edges!;
    this.visible = index.u32(scope.bitmapAt, bitmapWords(index.nodes));
    this.kinds = index.directory.graph!.kinds.map(folded);
    this.roles = this.kinds.map((kind) =>
      kind === SIMILAR ? Role.similar : USES.has(kind) ? Role.use : Role.none,
    );
    this.mentions = mentionsIn(context, scope);
    this.sides = { in: sideOf(runtime, 'in'), out: sideOf(runtime, 'out') };
  }

  /** `places`: the candidates' numbers, by row. */
  links(row: number, places: ReadonlyMap<number, number>): Links {
    const links: Links = { fanIn: 0, fanOut: 0, provenance: undefined, similar: [] };
    const similar: { row: number; similarity: number }[] = [];
    let [uses, trust] = [0, 0];
    for (const side of SIDES) {
      const { starts, ends, kinds, weights, edges } = this.sides[side];
      let count = this.mentions?.of(row, side).length ?? 0;
      for (let i = starts[row]!; i < starts[row + 1]!; i++) {
        const end = ends[i]!;
        if (!isSet(this.visible, end)) continue;
        count++;
        const role = this.roles[kinds[i]!]!;
        if (role === Role.use && side === 'in') {
          uses++;
          trust += this.trustIn(edges[i]!);
        } else if (role === Role.similar) {
          const place = places.get(end);
          if (place === undefined) continue;
          similar.push({ row: place, similarity: this.strength(edges[i]!, weights[i]!, 'similarity') });
        }
      }
      if (side === 'in') links.fanIn = count;
      else links.fanOut = count;
    }
    if (uses > 0) links.provenance = trust / uses;
    links.similar = similar;
    return links;
  }

  /** What ties a row's file to others, by their paths: of its own edges and of those of the node that is the file. */
  coChange(row: number, path: string): ReadonlyMap<string, number> | undefined {
    if (!this.kinds.includes(CO_CHANGE)) return undefined;
    const file = this.runtime.nodes.row(path);
    const rows = file >= 0 && file !== row && isSet(this.visible, file) ? [row, file] : [row];
    const ties = new Map<string, number>();
    for (const from of rows) {
      for (const side of SIDES) {
        for (const edge of this.read(from, side, (kind) => kind === CO_CHANGE)) {
          const other = this.runtime.nodes.text('path')?.get(edge.row) || this.runtime.nodes.id(edge.row);
          ties.set(
            other,
            Math.max(ties.get(other) ?? 0, this.strength(edge.edge, edge.weight, 'association')),
          );
        }
      }
    }
    return ties.size === 0 ? undefined : ties;
  }

  /** Outgoing edges of some kinds, by how far each is trusted, and mentions, which texts tell of. */
  steps(row: number, wanted: (kind: string) => boolean): Step[] {
    const steps = this.read(row, 'out', wanted).map((edge) => ({
      to: edge.row,
      weight: this.trustIn(edge.edge),
    }));
    const mentioned = this.mentions?.of(row, 'out') ?? [];
    return [...steps, ...mentioned.map((one) => ({ to: one.row, weight: TRUST.get('text_matched')! }))];
  }

  /** The visible edges of a row on one side that are of the wanted kinds. */
  private read(row: number, side: 'in' | 'out', wanted: (kind: string) => boolean): EdgeAt[] {
    const { starts, ends, kinds, weights, edges } = this.sides[side];
    const named: EdgeAt[] = [];
    for (let i = starts[row]!; i < starts[row + 1]!; i++) {
      if (!isSet(this.visible, ends[i]!) || !wanted(this.kinds[kinds[i]!]!)) continue;
      named.push({ row: ends[i]!, weight: weights[i]!, edge: edges[i]! });
    }
    return named;
  }

  /** Of an edge without a stamp: that it came from a language server, else its confidence. */
  private trustIn(edge: number): number {
    const stamp = this.edges.provenance.get(edge);
    const known = stamp === undefined ? undefined : TRUST.get(folded(stamp));
    if (known !== undefined) return known;
    if (this.edges.field(edge, 'semantic_source')) return TRUST.get('lsp')!;
    const confidence = this.edges.confidence(edge) ?? 0;
    return TRUST.get(
      confidence >= 0.9 ? 'ast_resolved' : confidence >= 0.5 ? 'ast_inferred' : 'text_matched',
    )!;
  }

  /** How alike or tied the ends are: as the edge says it, else its confidence, else its weight. */
  private strength(edge: number, weight: number, field: string): number {
    const told = Number(this.edges.field(edge, field) || Number.NaN);
    const value = Number.isFinite(told) ? told : (this.edges.confidence(edge) ?? weight);
    return Math.min(1, Math.max(0, value));
  }
}

function sideOf({ index }: Runtime, side: 'in' | 'out') {
  const at = index.directory.graph![side];
  return {
    starts: index.i32(at.starts, index.nodes + 1),
    ends: index.u32(at.nodes, at.length),
    kinds: index.u16(at.kinds, at.length),
    weights: index.f64(at.weights, at.length),
    edges: index.u32(at.edges, at.length),
  };
}

/** Kinds of edges that a walk over code follows: calls, references, and those that name no kind. */
export const isUse = (kind: string): boolean => kind === DEFAULT_EDGE_KIND || USES.has(kind);

const folded = (name: string): string => name.toLowerCase().replace(/[\s-]+/g, '_');
