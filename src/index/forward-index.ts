import type { Analyzer } from '../ingest/analyzer.js';
import type { Node } from '../types.js';
import { fieldText, SCORED_FIELDS } from './fields.js';
import { GrowableBytes, GrowableU32 } from './growable.js';

/**
 * Documents as they come in, analysed: per document its distinct terms, each with a frequency per field and
 * its positions. Flat arrays, because a corpus of a million documents has hundreds of millions of tokens.
 *
 * Positions. A document's kept tokens (stop words out) are numbered through all its scored fields in the
 * order of SCORED_FIELDS, with one number left out between two fields, so that neighbours never span fields.
 * An entry stores its positions ascending, as LEB128 deltas, the first as itself.
 * Gaps. Raw adjacency (quoted phrases) needs to know where stop words stood: per document pairs of LEB128
 * {delta of the position before which they stand, how many}.
 */
export class ForwardIndex {
  /** Term -> number, in order of first occurrence. */
  readonly terms = new Map<string, number>();
  readonly entryTerm = new GrowableU32();
  /** Bytes of the entry's positions; the positions themselves follow one another in `positions`. */
  readonly entryBytes = new GrowableU32();
  /** Per scored field, the frequency of each entry's term; a list may end early, what follows is 0. */
  readonly entryFrequency = SCORED_FIELDS.map(() => new GrowableU32());
  readonly positions = new GrowableBytes();
  /** One past the last entry of each document. */
  readonly documentEnds = new GrowableU32();
  /** Per scored field, the kept tokens of each document. */
  readonly lengths = SCORED_FIELDS.map(() => new GrowableU32());
  readonly gaps = new GrowableBytes();
  readonly gapEnds = new GrowableU32();

  private readonly analyzer: Analyzer;
  // Per term: the last document that had it, and its entry there.
  private readonly lastDocument = new GrowableU32();
  private readonly lastEntry = new GrowableU32();
  // The current document's tokens: entry and position of each.
  private readonly tokenEntry = new GrowableU32();
  private readonly tokenPosition = new GrowableU32();
  private grouped = new Uint32Array(1024);

  constructor(analyzer: Analyzer) {
    this.analyzer = analyzer;
  }

  get documents(): number {
    return this.documentEnds.length;
  }

  add(node: Node): void {
    this.tokenEntry.clear();
    this.tokenPosition.clear();
    const firstEntry = this.entryTerm.length;
    let base = 0;
    let lastGap = 0;
    SCORED_FIELDS.forEach((field, f) => {
      const text = fieldText(node, field);
      let position = base;
      const kept =
        text === undefined
          ? 0
          : this.analyzer.analyze(text, (term, stopWordsBefore) => {
              if (stopWordsBefore > 0) {
                this.gaps.pushVarint(position - lastGap);
                this.gaps.pushVarint(stopWordsBefore);
                lastGap = position;
              }
              this.addToken(term, f, position++);
            });
      this.lengths[f]!.push(kept);
      if (kept > 0) base += kept + 1;
    });
    this.gapEnds.push(this.gaps.length);
    this.writePositions(firstEntry);
    this.documentEnds.push(this.entryTerm.length);
  }

  private addToken(term: string, field: number, position: number): void {
    const document = this.documents + 1;
    let id = this.terms.get(term);
    if (id === undefined) {
      id = this.terms.size;
      this.terms.set(term, id);
      this.lastDocument.push(0);
      this.lastEntry.push(0);
    }
    if (this.lastDocument.get(id) !== document) {
      this.lastDocument.set(id, document);
      this.lastEntry.set(id, this.entryTerm.length);
      this.entryTerm.push(id);
      this.entryBytes.push(0);
    }
    const entry = this.lastEntry.get(id);
    const frequency = this.entryFrequency[field]!;
    frequency.extendTo(entry + 1);
    frequency.set(entry, frequency.get(entry) + 1);
    this.tokenEntry.push(entry);
    this.tokenPosition.push(position);
  }

  /** Groups the document's tokens by entry, keeping their order, and writes each group's deltas. */
  private writePositions(firstEntry: number): void {
    const tokens = this.tokenEntry.length;
    const entries = this.entryTerm.length - firstEntry;
    if (this.grouped.length < tokens) this.grouped = new Uint32Array(tokens * 2);
    const starts = new Uint32Array(entries + 1);
    for (let t = 0; t < tokens; t++) starts[this.tokenEntry.get(t) - firstEntry + 1]!++;
    for (let e = 0; e < entries; e++) starts[e + 1]! += starts[e]!;
    const cursor = starts.slice();
    for (let t = 0; t < tokens; t++) {
      this.grouped[cursor[this.tokenEntry.get(t) - firstEntry]!++] = this.tokenPosition.get(t);
    }
    for (let e = 0; e < entries; e++) {
      const before = this.positions.length;
      let last = 0;
      for (let i = starts[e]!; i < starts[e + 1]!; i++) {
        this.positions.pushVarint(this.grouped[i]! - last);
        last = this.grouped[i]!;
      }
      this.entryBytes.set(firstEntry + e, this.positions.length - before);
    }
  }
}
