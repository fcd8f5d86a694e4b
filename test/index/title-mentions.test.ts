import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TitleMentions } from '../../src/index/title-mentions.js';
import { mentionsOf, type Passage } from '../reference/derived-links.js';

/** Mentions with titles by their words. */
function found(passages: readonly Passage[]) {
  const mentions = new TitleMentions();
  for (const { title, text } of passages) mentions.add(title, text);
  const { titles, mentions: all } = mentions.finish();
  return {
    titles,
    mentions: all.map(({ from, title, covers, count }) => ({
      from,
      title: titles.texts[title]!,
      covers: covers.map((cover) => titles.texts[cover]!),
      count,
    })),
  };
}

describe('mentions of titles', () => {
  it('are whole words, case kept, of other passages, with how often', () => {
    const { mentions } = found([
      { title: 'Free Guy (film)', text: 'Free Guy is by Shawn Levy. shawn levy, Shawn Levyson' },
      { title: 'Shawn Levy', text: 'made Free Guy; Free-Guy! Free guy' },
      { title: 'War', text: 'War' },
    ]);
    expect(mentions).toEqual([
      { from: 0, title: 'Shawn Levy', covers: [], count: 1 },
      { from: 1, title: 'Free Guy', covers: [], count: 2 },
    ]);
  });

  it('say which longer titles they are part of', () => {
    const { mentions } = found([
      { title: 'York', text: '' },
      { title: 'New York', text: '' },
      { title: 'New York City Hall', text: '' },
      { title: 'x', text: 'York, New York and New York City Hall' },
    ]);
    const of = (title: string) => mentions.filter((mention) => mention.title === title);
    expect(of('York').sort((a, b) => a.covers.length - b.covers.length)).toEqual([
      { from: 3, title: 'York', covers: [], count: 1 },
      { from: 3, title: 'York', covers: ['New York'], count: 1 },
      { from: 3, title: 'York', covers: ['New York', 'New York City Hall'], count: 1 },
    ]);
    expect(of('New York').map(({ covers }) => covers)).toEqual([[], ['New York City Hall']]);
    expect(of('New York City Hall')).toEqual([
      { from: 3, title: 'New York City Hall', covers: [], count: 1 },
    ]);
  });

  it('where none covers them are those of the definition, in any text', () => {
    const word = fc.constantFrom('New', 'York', 'City', 'Hall', 'of', 'Guy');
    const text = fc.array(word, { maxLength: 12 }).map((list) => list.join(' '));
    const title = fc.array(word, { maxLength: 4 }).map((list) => list.join(' '));
    fc.assert(
      fc.property(fc.array(fc.record({ title, text }), { maxLength: 8 }), (passages) => {
        const { titles, mentions } = found(passages);
        const links = new Map<string, number>();
        for (const { from, title, covers, count } of mentions) {
          if (covers.length > 0) continue;
          for (const to of titles.passages[titles.texts.indexOf(title)]!)
            if (to !== from) links.set(`${from}>${to}`, (links.get(`${from}>${to}`) ?? 0) + count);
        }
        const expected = mentionsOf(passages).map(
          ({ from, to, weight }) => [`${from}>${to}`, weight] as const,
        );
        expect(new Map([...links].sort())).toEqual(new Map([...expected].sort()));
      }),
      { numRuns: 300, seed: 1 },
    );
  });
});
