import type { Link } from './pagerank.js';

export interface Passage {
  title: string;
  text: string;
}

/** Words of ASCII texts without marks. */
const words = (text: string): string[] => text.split(/[^A-Za-z0-9_]+/).filter((word) => word !== '');

const holds = (list: readonly string[], start: number, part: readonly string[]): boolean =>
  part.every((word, i) => list[start + i] === word);

/** Whether other passages may be mentioned by this title. */
const counts = (title: readonly string[]): boolean =>
  title.length > 1 || (title.length === 1 && title[0]!.length >= 4 && /[A-Z]/.test(title[0]!));

/** Mentions by the definition: an occurrence that no longer title's occurrence covers, in another passage's text. */
export function mentionsOf(passages: readonly Passage[]): Link[] {
  const titles = passages.map(({ title }) => words(title.replace(/\s*\([^()]*\)\s*$/, '')));
  const links: Link[] = [];
  passages.forEach(({ text }, from) => {
    const list = words(text);
    titles.forEach((title, to) => {
      if (to === from || !counts(title)) return;
      let weight = 0;
      for (let start = 0; start < list.length; start++) {
        if (!holds(list, start, title)) continue;
        const isCovered = titles.some((longer) => {
          if (longer.length <= title.length || !counts(longer)) return false;
          for (let at = start + title.length - longer.length; at <= start; at++)
            if (at >= 0 && holds(list, at, longer)) return true;
          return false;
        });
        if (!isCovered) weight++;
      }
      if (weight > 0) links.push({ from, to, weight });
    });
  });
  return links;
}

/** What passages share: two to fifty have it, and each is linked with it both ways by 1 over their number. */
export function phraseLinks(phrasesOf: readonly ReadonlySet<string>[]): { phrases: string[]; links: Link[] } {
  const all = [...new Set(phrasesOf.flatMap((phrases) => [...phrases]))];
  const phrases = all.filter((phrase) => {
    const df = phrasesOf.filter((own) => own.has(phrase)).length;
    return df >= 2 && df <= 50;
  });
  const links = phrases.flatMap((phrase, place) => {
    const passages = phrasesOf.flatMap((own, passage) => (own.has(phrase) ? [passage] : []));
    const at = phrasesOf.length + place;
    const weight = 1 / passages.length;
    return passages.flatMap((passage) => [
      { from: passage, to: at, weight },
      { from: at, to: passage, weight },
    ]);
  });
  return { phrases, links };
}
