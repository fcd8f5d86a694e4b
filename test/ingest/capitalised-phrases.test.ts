import { describe, expect, it } from 'vitest';
import { capitalisedPhrases } from '../../src/ingest/capitalised-phrases.js';
import { titleWords } from '../../src/ingest/title-words.js';

describe('capitalised phrases', () => {
  it.each<[string, string[]]>([
    ['He was the son of Lothair II and Waldrada of Friuli.', ['lothair ii and waldrada of friuli']],
    ['Born in Aachen, Bertha married Theobald of Arles.', ['born', 'aachen', 'bertha', 'theobald of arles']],
    // Words that start sentences, and the small words after them, are not of the name.
    ['However the Battle was lost. In the United States it was not.', ['battle', 'united states']],
    ['The American director John Ford', ['john ford']],
    ['In March 1945 Monday came', []],
    // Small words only between capitals; punctuation ends a run.
    ['University of the', ['university']],
    ['New York, Paris', ['new york', 'paris']],
    ["O'Brien met Jean-Luc", ["o'brien", 'jean-luc']],
    // At least four characters.
    ['Ann met Bob and Rob', ['bob and rob']],
    ['Élodie Ångström lebt in Öland', ['élodie ångström', 'öland']],
    ['no capital here', []],
    ['', []],
  ])('of %j', (text, expected) => {
    expect([...capitalisedPhrases(text)].sort()).toEqual([...expected].sort());
  });

  it('are found once each', () => {
    expect([...capitalisedPhrases('Ada Lovelace. Ada Lovelace')]).toEqual(['ada lovelace']);
  });

  it('are found in texts that a quadratic way would not come to the end of', () => {
    for (const unit of ['Of of ', 'A', 'Abc of the ', "x'-", ' \n'])
      expect(capitalisedPhrases(unit.repeat(100_000)).size).toBeLessThan(3);
  });
});

describe('the words of a title', () => {
  it.each<[string, string[] | undefined]>([
    ['Lothair II', ['Lothair', 'II']],
    ['Free Guy (film)', ['Free', 'Guy']],
    ['Dr. Strangelove (1964 film) ', ['Dr', 'Strangelove']],
    ['(500) Days of Summer', ['500', 'Days', 'of', 'Summer']],
    ['Bertha, daughter of Lothair II', ['Bertha', 'daughter', 'of', 'Lothair', 'II']],
    // One short word, or one in lower case, says too little.
    ['War', undefined],
    ['iron', undefined],
    ['Iron', ['Iron']],
    ['up to', ['up', 'to']],
    ['(film)', undefined],
    ['', undefined],
    ['w '.repeat(17), undefined],
  ])('%j', (title, expected) => {
    expect(titleWords(title)).toEqual(expected);
  });
});
