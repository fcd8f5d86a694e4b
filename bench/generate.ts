/** A sequence of numbers in [0, 1), the same for the same seed (splitmix, 32 bits). */
export function uniform(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let z = state ^ (state >>> 16);
    z = Math.imul(z, 0x21f0aaad);
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
    return ((z ^ (z >>> 15)) >>> 0) / 2 ** 32;
  };
}

/** Fills rows of `width` floats with unit vectors around `clusters` centres; beyond `dimension` they stay 0. */
export function vectors(
  target: Float32Array,
  options: { seed: number; dimension: number; width: number; clusters?: number },
): void {
  const { seed, dimension, width, clusters = 500 } = options;
  const next = uniform(seed);
  const spread = () => next() + next() - 1;
  const centres = Float32Array.from({ length: clusters * dimension }, spread);
  for (let at = 0; at + width <= target.length; at += width) {
    const centre = Math.floor(next() * clusters) * dimension;
    let squares = 0;
    for (let d = 0; d < dimension; d++) {
      const value = centres[centre + d]! + 0.9 * spread();
      target[at + d] = value;
      squares += value * value;
    }
    const scale = 1 / Math.sqrt(squares);
    for (let d = 0; d < dimension; d++) target[at + d]! *= scale;
  }
}

export interface Edges {
  nodes: number;
  from: Uint32Array;
  to: Uint32Array;
}

/** R-MAT with the usual shares (.57, .19, .19, .05): 2^scale nodes, few of them with most of the edges. */
export function rmat(seed: number, scale: number, edges: number): Edges {
  const next = uniform(seed);
  const from = new Uint32Array(edges);
  const to = new Uint32Array(edges);
  for (let e = 0; e < edges; e++) {
    for (let bit = 0; bit < scale; bit++) {
      const r = next();
      from[e] = 2 * from[e]! + (r < 0.76 ? 0 : 1);
      to[e] = 2 * to[e]! + ((r >= 0.57 && r < 0.76) || r >= 0.95 ? 1 : 0);
    }
  }
  return { nodes: 2 ** scale, from, to };
}

/** Nodes in groups of 256 with `degree` edges each, nine of ten within the group. */
export function communities(seed: number, nodes: number, degree: number): Edges {
  const next = uniform(seed);
  const from = Uint32Array.from({ length: nodes * degree }, (_, e) => Math.floor(e / degree));
  const to = from.map((node) => {
    const group = node - (node % 256);
    return next() < 0.9 ? Math.min(group + Math.floor(next() * 256), nodes - 1) : Math.floor(next() * nodes);
  });
  return { nodes, from, to };
}

/** A CSR graph: the ends of node i are ends[starts[i]] .. ends[starts[i + 1] - 1], in input order. */
export interface Csr {
  starts: Uint32Array;
  ends: Uint32Array;
}

export function csr(nodes: number, keys: Uint32Array, values: Uint32Array): Csr {
  const starts = new Uint32Array(nodes + 1);
  for (const key of keys) starts[key + 1]!++;
  for (let i = 0; i < nodes; i++) starts[i + 1]! += starts[i]!;
  const next = starts.slice();
  const ends = new Uint32Array(values.length);
  keys.forEach((key, e) => {
    ends[next[key]!++] = values[e]!;
  });
  return { starts, ends };
}

/** A text collection: document i holds tokens[starts[i]] .. tokens[starts[i + 1] - 1], term numbers by rank. */
export interface Text {
  starts: Uint32Array;
  tokens: Uint32Array;
}

/** Zipf-distributed terms; documents of 10 to 56 tokens. */
export function zipfText(seed: number, documents: number, vocabulary: number): Text {
  const next = uniform(seed);
  const sums = new Float64Array(vocabulary);
  let total = 0;
  for (let rank = 0; rank < vocabulary; rank++) {
    total += 1 / (rank + 1);
    sums[rank] = total;
  }
  const starts = new Uint32Array(documents + 1);
  for (let i = 0; i < documents; i++) starts[i + 1] = starts[i]! + 10 + Math.floor(next() * 47);
  const tokens = new Uint32Array(starts[documents]!).map(() => lowerBound(sums, next() * total));
  return { starts, tokens };
}

function lowerBound(sums: Float64Array, value: number): number {
  let low = 0;
  let high = sums.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sums[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

export interface Postings {
  rows: Uint32Array;
  /** Positions of posting i: positions[offsets[i]] .. positions[offsets[i + 1] - 1]. */
  offsets: Uint32Array;
  positions: Uint32Array;
}

/** One term's postings. */
export function postings({ starts, tokens }: Text, term: number): Postings {
  const rows: number[] = [];
  const offsets = [0];
  const positions: number[] = [];
  for (let row = 0; row + 1 < starts.length; row++) {
    const before = positions.length;
    for (let at = starts[row]!; at < starts[row + 1]!; at++) {
      if (tokens[at] === term) positions.push(at - starts[row]!);
    }
    if (positions.length === before) continue;
    rows.push(row);
    offsets.push(positions.length);
  }
  return {
    rows: Uint32Array.from(rows),
    offsets: Uint32Array.from(offsets),
    positions: Uint32Array.from(positions),
  };
}

/** A bitmap of `rows` rows, each set with the given chance. */
export function bitmap(seed: number, rows: number, share: number): Uint32Array {
  const next = uniform(seed);
  const words = new Uint32Array(Math.ceil(rows / 32));
  for (let row = 0; row < rows; row++) if (next() < share) words[row >>> 5]! |= 1 << (row & 31);
  return words;
}
