import type { RecordBatch } from 'apache-arrow';
import { capitalisedPhrases } from '../ingest/capitalised-phrases.js';
import type { Node } from '../types.js';
import { batchOf, list, strings, u32 } from './columns.js';
import { GrowableU32 } from './growable.js';
import { compareIds } from './id-order.js';
import type { DerivedCounts } from './schema.js';
import { type Mention, TitleMentions, type Titles } from './title-mentions.js';

export interface DerivedTables {
  phrases: RecordBatch;
  titles: RecordBatch;
  mentions: RecordBatch;
  counts: DerivedCounts;
}

/**
 * Links found in the texts themselves (QUALITY, section 3): mentions of other passages' titles, and names that
 * several passages have. Kept as found, not as weighted: weights are counted in each scope, over visible passages.
 */
export class DerivedLinks {
  private readonly mentions = new TitleMentions();
  private readonly phrases = new Map<string, number>();
  private readonly phrase = new GrowableU32();
  private readonly input = new GrowableU32();
  private inputs = 0;

  /** Nodes must come in input order. */
  add({ title, text }: Node): void {
    const input = this.inputs++;
    this.mentions.add(title, text);
    for (const phrase of capitalisedPhrases(`${title ?? ''} . ${text ?? ''}`)) {
      let place = this.phrases.get(phrase);
      if (place === undefined) {
        place = this.phrases.size;
        this.phrases.set(phrase, place);
      }
      this.phrase.push(place);
      this.input.push(input);
    }
  }

  /** `rowOf[input]` is the row of that input. */
  finish(rowOf: Uint32Array): DerivedTables {
    const phrases = this.phraseTable(rowOf);
    const { titles, mentions } = this.mentions.finish();
    const { tables, links } = mentionTables(titles, mentions, rowOf);
    return {
      phrases: phrases.table,
      ...tables,
      counts: { phrases: phrases.table.numRows, links: 2 * (phrases.pairs + links) },
    };
  }

  /** Phrases of two passages or more: one that is too common here may be rare in a scope. */
  private phraseTable(rowOf: Uint32Array): { table: RecordBatch; pairs: number } {
    const frequency = new Uint32Array(this.phrases.size);
    for (const phrase of this.phrase.view()) frequency[phrase]!++;
    const kept = [...this.phrases]
      .filter(([, phrase]) => frequency[phrase]! >= 2)
      .sort(([a], [b]) => compareIds(a, b));
    const placeOf = new Int32Array(this.phrases.size).fill(-1);
    const starts = new Int32Array(kept.length + 1);
    kept.forEach(([, phrase], place) => {
      placeOf[phrase] = place;
      starts[place + 1] = starts[place]! + frequency[phrase]!;
    });
    const next = starts.slice();
    const rows = new Uint32Array(starts[kept.length]!);
    this.phrase.view().forEach((phrase, i) => {
      const place = placeOf[phrase]!;
      if (place >= 0) rows[next[place]!++] = rowOf[this.input.get(i)]!;
    });
    for (let place = 0; place < kept.length; place++) rows.subarray(starts[place], starts[place + 1]).sort();
    const name = strings(
      'phrase',
      kept.map(([phrase]) => phrase),
    );
    const table = batchOf([name, list('node', starts, u32('item', rows))], kept.length);
    return { table, pairs: rows.length };
  }
}

/** The titles that anything mentions or covers, and the mentions by (passage, title, covers). */
function mentionTables(titles: Titles, mentions: readonly Mention[], rowOf: Uint32Array) {
  const used = new Set(mentions.flatMap(({ title, covers }) => [title, ...covers]));
  const kept = [...used].sort((a, b) => a - b);
  const placeOf = new Map(kept.map((title, place) => [title, place]));
  const rows = mentions
    .map(({ from, title, covers, count }) => ({
      from: rowOf[from]!,
      title: placeOf.get(title)!,
      covers: covers.map((cover) => placeOf.get(cover)!),
      count,
    }))
    .sort((a, b) => a.from - b.from || a.title - b.title || compareLists(a.covers, b.covers));
  const column = (name: 'from' | 'title' | 'count') =>
    u32(
      name,
      Uint32Array.from(rows, (row) => row[name]),
    );
  const passages = kept.map((title) =>
    titles.passages[title]!.map((input) => rowOf[input]!).sort((a, b) => a - b),
  );
  const text = strings(
    'title',
    kept.map((title) => titles.texts[title]!),
  );
  const covers = lists(
    'covers',
    rows.map((row) => row.covers),
  );
  const tables = {
    titles: batchOf([text, lists('node', passages)], kept.length),
    mentions: batchOf([column('from'), column('title'), column('count'), covers], rows.length),
  };
  return { tables, links: rows.reduce((sum, { title }) => sum + passages[title]!.length, 0) };
}

function compareLists(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < a.length && i < b.length; i++) if (a[i] !== b[i]) return a[i]! - b[i]!;
  return a.length - b.length;
}

function lists(name: string, values: readonly (readonly number[])[]) {
  const starts = new Int32Array(values.length + 1);
  values.forEach((items, i) => {
    starts[i + 1] = starts[i]! + items.length;
  });
  return list(name, starts, u32('item', Uint32Array.from(values.flat())));
}
