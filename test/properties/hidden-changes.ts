import type { Edge } from '../../dist/index.js';
import { type Asked, type Caller, type Corpus, mayRead, type Row, visiblePart } from './corpora.js';

interface Asking {
  who: Caller;
  requests: readonly Asked[];
}

/**
 * The corpus with its hidden part changed in several ways, each alone; `other` gives what comes in its place.
 * What the caller may read stays as it is, and in its order. Changes that change nothing are left out.
 */
export function mutants(one: Corpus, other: Corpus, asking: Asking): [string, Corpus][] {
  const all: [string, Corpus][] = [
    ['all that is hidden', withOtherHiddenPart(one, other, asking.who)],
    ['half of the hidden rows', fewer(one, asking.who)],
    ['hidden texts', louder(one, asking)],
    ['hidden vectors', otherVectors(one, asking.who)],
    ['hidden edges', otherEdges(one, asking.who)],
    ['hidden access lists', otherAccess(one, asking.who)],
  ];
  const before = JSON.stringify(one);
  return all.filter(([, changed]) => JSON.stringify(changed) !== before);
}

/** What the caller may read of `one`, among the hidden rows of `other` and edges that end at one of those. */
function withOtherHiddenPart(one: Corpus, other: Corpus, who: Caller): Corpus {
  const kept = visiblePart(one, who);
  const ids = new Set(kept.nodes.map(({ id }) => id));
  const hidden = other.nodes.filter((row) => !mayRead(who, row) && !ids.has(row.id));
  const hiddenIds = new Set(hidden.map(({ id }) => id));
  const visible = [...ids];
  const end = (id: string, i: number): string | undefined =>
    hiddenIds.has(id) ? id : visible[i % Math.max(1, visible.length)];
  const edges = other.edges.flatMap((edge, i) => {
    const [from, to] = [end(edge.from, i), end(edge.to, i + 1)];
    const leads = from !== undefined && to !== undefined && (hiddenIds.has(from) || hiddenIds.has(to));
    return leads ? [{ ...edge, from, to }] : [];
  });
  return { ...one, nodes: interleaved(hidden, kept.nodes), edges: interleaved(edges, kept.edges) };
}

function interleaved<T>(a: readonly T[], b: readonly T[]): T[] {
  const out: T[] = [];
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    if (i < a.length) out.push(a[i]!);
    if (i < b.length) out.push(b[i]!);
  }
  return out;
}

/** Every hidden row as `change` makes it; `i` counts the hidden rows. */
function changeHidden(one: Corpus, who: Caller, change: (row: Row, i: number) => Row): Corpus {
  let i = 0;
  return { ...one, nodes: one.nodes.map((row) => (mayRead(who, row) ? row : change(row, i++))) };
}

function fewer(one: Corpus, who: Caller): Corpus {
  let i = 0;
  const nodes = one.nodes.filter((row) => mayRead(who, row) || i++ % 2 === 0);
  const ids = new Set(nodes.map(({ id }) => id));
  return { ...one, nodes, edges: one.edges.filter(({ from, to }) => ids.has(from) && ids.has(to)) };
}

/** Hidden rows say again and again what is asked. */
const louder = (one: Corpus, { who, requests }: Asking): Corpus =>
  changeHidden(one, who, (row, i) => {
    const { text } = requests[i % requests.length]!;
    return { ...row, title: text, text: `${text} ${row.text ?? ''} ${text} ${text}` };
  });

/** Vectors of hidden rows turned round; every third row loses its own, those without get one. */
const otherVectors = (one: Corpus, who: Caller): Corpus =>
  changeHidden(one, who, ({ embedding, embeddingModel: _, ...row }, i) =>
    i % 3 === 0 && embedding !== undefined
      ? row
      : { ...row, embedding: turned(embedding, one.settings.dimension), embeddingModel: 'm1' },
  );

const turned = (vector: Row['embedding'], dimension: number): number[] =>
  vector === undefined ? new Array<number>(dimension).fill(1) : Array.from(vector, (x) => -x);

/** Edges at hidden rows: one in three goes, the others weigh more, and every visible row gets one both ways. */
function otherEdges(one: Corpus, who: Caller): Corpus {
  const hidden = one.nodes.filter((row) => !mayRead(who, row)).map(({ id }) => id);
  const isHidden = new Set(hidden);
  const edges = one.edges.flatMap((edge, i): Edge[] => {
    if (!isHidden.has(edge.from) && !isHidden.has(edge.to)) return [edge];
    return i % 3 === 0 ? [] : [{ ...edge, weight: (edge.weight ?? 1) * 7 }];
  });
  const added = one.nodes.flatMap((row, i): Edge[] => {
    const end = hidden[i % hidden.length];
    if (end === undefined) return [];
    return [
      { from: row.id, to: end, kind: 'cites', weight: 9 },
      { from: end, to: row.id },
    ];
  });
  return { ...one, edges: interleaved(added, edges) };
}

/** Other organisations, sources and tags for the hidden rows, none of which the caller may read. */
const otherAccess = (one: Corpus, who: Caller): Corpus =>
  changeHidden(one, who, (row, i) => {
    const moved = [
      { ...row, org: 'c' },
      { ...row, source: 'elsewhere', acl: ['a', 'b'] },
      { ...row, acl: ['nobody', 'role:x y'] },
    ];
    return moved[i % moved.length]!;
  });
