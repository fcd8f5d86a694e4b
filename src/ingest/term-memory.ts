/**
 * Tokens already analysed, and their terms. Looked up by code units in place: a Map would need a new
 * string for every token of a text, which costs several times what the rest of the analysis does.
 */

/** Entries of one generation. */
const ENTRIES = 1 << 16;
/** Twice the entries, so that probing stays short; a power of two, so that a mask replaces a division. */
const SLOTS = ENTRIES * 2;
/** Code units of all tokens of one generation: 16 each on average, where English has 8. */
const UNITS = ENTRIES * 16;

export class TermMemory {
  /** When the young generation is full it becomes the old one: frequent tokens stay, rare ones go. */
  private young = new Generation();
  private old = new Generation();

  constructor(private readonly termOf: (token: string) => string) {}

  /** The term of the token that `source` holds from `start` to `end`. */
  term(source: string, start: number, end: number): string {
    const hash = hashOf(source, start, end);
    const known = this.young.find(source, start, end, hash);
    if (known !== undefined) return known;
    const term = this.old.find(source, start, end, hash) ?? this.termOf(source.slice(start, end));
    if (this.young.isFull(end - start)) {
      [this.young, this.old] = [this.old, this.young];
      this.young.clear();
    }
    this.young.add(source, start, end, hash, term);
    return term;
  }
}

class Generation {
  /** Entry number + 1, or 0 for a free slot. */
  private readonly slots = new Uint32Array(SLOTS);
  private readonly hashes = new Uint32Array(ENTRIES);
  /** Entry i is units[ends[i] .. ends[i + 1] - 1]. */
  private readonly ends = new Uint32Array(ENTRIES + 1);
  private readonly units = new Uint16Array(UNITS);
  private terms: string[] = [];

  find(source: string, start: number, end: number, hash: number): string | undefined {
    for (let slot = hash & (SLOTS - 1); this.slots[slot] !== 0; slot = (slot + 1) & (SLOTS - 1)) {
      const entry = this.slots[slot]! - 1;
      if (this.hashes[entry] === hash && this.equals(entry, source, start, end)) return this.terms[entry];
    }
    return undefined;
  }

  add(source: string, start: number, end: number, hash: number, term: string): void {
    const entry = this.terms.length;
    let slot = hash & (SLOTS - 1);
    while (this.slots[slot] !== 0) slot = (slot + 1) & (SLOTS - 1);
    this.slots[slot] = entry + 1;
    this.hashes[entry] = hash;
    let at = this.ends[entry]!;
    for (let i = start; i < end; i++) this.units[at++] = source.charCodeAt(i);
    this.ends[entry + 1] = at;
    this.terms.push(term);
  }

  isFull(length: number): boolean {
    return this.terms.length === ENTRIES || this.ends[this.terms.length]! + length > UNITS;
  }

  clear(): void {
    this.slots.fill(0);
    this.terms = [];
  }

  private equals(entry: number, source: string, start: number, end: number): boolean {
    let at = this.ends[entry]!;
    if (this.ends[entry + 1]! - at !== end - start) return false;
    for (let i = start; i < end; i++) {
      if (this.units[at++] !== source.charCodeAt(i)) return false;
    }
    return true;
  }
}

/** FNV-1a over code units. */
function hashOf(source: string, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ source.charCodeAt(i), 0x01000193);
  // FNV's low bits are its weak ones, and they choose the slot.
  return (hash ^ (hash >>> 15)) >>> 0;
}
