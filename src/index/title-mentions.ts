import { MOST_TITLE_WORDS, titleWords, wordsOf } from '../ingest/title-words.js';
import { GrowableU32 } from './growable.js';
import { compareIds } from './id-order.js';

/** How often a passage's text has a title's words where the same longer titles cover them. */
export interface Mention {
  /** Input place of the passage. */
  from: number;
  /** Places among the titles. */
  title: number;
  covers: number[];
  count: number;
}

export interface Titles {
  /** Words joined by a space, ascending by their bytes. */
  texts: string[];
  /** Input places of the passages with this title. */
  passages: number[][];
}

interface Branch {
  next: Map<number, Branch>;
  title: number;
}

interface Match {
  start: number;
  end: number;
  title: number;
}

/**
 * Finds the titles that other passages' texts mention: whole words, case kept. All of them, longer ones noted as
 * covering shorter ones: a scope in which the longer title's passages are hidden has the shorter one there.
 */
export class TitleMentions {
  private readonly words = new Map<string, number>();
  private readonly texts = new GrowableU32();
  private readonly ends = new GrowableU32();
  private readonly titles = new Map<string, { words: number[]; passages: number[] }>();

  /** Passages must come in input order. */
  add(title: string | undefined | null, text: string | undefined | null): void {
    const input = this.ends.length;
    const named = typeof title === 'string' ? titleWords(title) : undefined;
    if (named !== undefined) {
      const key = named.join(' ');
      const known = this.titles.get(key);
      if (known !== undefined) known.passages.push(input);
      else this.titles.set(key, { words: named.map((word) => this.place(word)), passages: [input] });
    }
    if (typeof text === 'string') for (const word of wordsOf(text)) this.texts.push(this.place(word));
    this.ends.push(this.texts.length);
  }

  private place(word: string): number {
    const known = this.words.get(word);
    if (known !== undefined) return known;
    this.words.set(word, this.words.size);
    return this.words.size - 1;
  }

  /** All titles, and the mentions in input order; those of titles that only the passage itself has are left out. */
  finish(): { titles: Titles; mentions: Mention[] } {
    const texts = [...this.titles.keys()].sort(compareIds);
    const passages = texts.map((text) => this.titles.get(text)!.passages);
    const root: Branch = { next: new Map(), title: -1 };
    texts.forEach((text, title) => {
      let branch = root;
      for (const word of this.titles.get(text)!.words) branch = step(branch, word);
      branch.title = title;
    });
    const mentions: Mention[] = [];
    for (let from = 0; from < this.ends.length; from++) {
      const byKey = new Map<string, Mention>();
      const matches = this.matchesIn(from, root);
      for (const [i, { title }] of matches.entries()) {
        if (passages[title]!.length === 1 && passages[title]![0] === from) continue;
        const covers = coversOf(matches, i);
        const key = `${title}:${covers}`;
        const known = byKey.get(key);
        if (known === undefined) byKey.set(key, { from, title, covers, count: 1 });
        else known.count++;
      }
      mentions.push(...byKey.values());
    }
    return { titles: { texts, passages }, mentions };
  }

  /** By start, then by end. */
  private matchesIn(from: number, root: Branch): Match[] {
    const matches: Match[] = [];
    const last = this.ends.get(from);
    for (let start = from === 0 ? 0 : this.ends.get(from - 1); start < last; start++) {
      let branch: Branch | undefined = root;
      for (let end = start; end < last; end++) {
        branch = branch.next.get(this.texts.get(end));
        if (branch === undefined) break;
        if (branch.title >= 0) matches.push({ start, end: end + 1, title: branch.title });
      }
    }
    return matches;
  }
}

function step(branch: Branch, word: number): Branch {
  const known = branch.next.get(word);
  if (known !== undefined) return known;
  const made: Branch = { next: new Map(), title: -1 };
  branch.next.set(word, made);
  return made;
}

/** The distinct titles of the longer matches around a match, ascending. */
function coversOf(matches: readonly Match[], i: number): number[] {
  const { start, end } = matches[i]!;
  const covers = new Set<number>();
  const around = (match: Match) =>
    match.start <= start && match.end >= end && match.end - match.start > end - start;
  for (let j = i - 1; j >= 0 && matches[j]!.start > start - MOST_TITLE_WORDS; j--)
    if (around(matches[j]!)) covers.add(matches[j]!.title);
  for (let j = i + 1; j < matches.length && matches[j]!.start === start; j++)
    if (around(matches[j]!)) covers.add(matches[j]!.title);
  return [...covers].sort((a, b) => a - b);
}
