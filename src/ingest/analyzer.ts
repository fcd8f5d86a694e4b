/** Text -> terms. An index and its queries must use the same analyzer, which the fingerprint proves. */

import { createHash } from 'node:crypto';
import porter from 'natural/lib/natural/stemmers/porter_stemmer.js';
import { quote } from '../errors.js';
import { identifiersIn, partsOf } from './identifiers.js';
import { refusal } from './refusal.js';
import { STOP_WORDS } from './stop-words.js';
import { TermMemory } from './term-memory.js';
import { forEachToken, isAscii, LONGEST_TOKEN } from './tokenizer.js';

export interface AnalyzedToken {
  term: string;
  /** Among all raw tokens, stop words included. */
  position: number;
}

export interface Analyzer {
  readonly name: 'plain' | 'english' | 'code';
  /** `name/rules:hash` over everything that changes terms. */
  readonly fingerprint: string;
  /**
   * Calls `emit` for each kept term in order; `stopWordsBefore` is how many stop words stand directly
   * before it. Returns the number of kept terms.
   */
  analyze(text: string, emit: (term: string, stopWordsBefore: number) => void): number;
}

/** To be changed with the pin in package.json: another stemmer makes other terms. */
const STEMMER = 'porter of natural 8.1.1';
/** No English word is longer, and the stemmer's time grows with the square of the length. */
const LONGEST_STEMMED = 64;
const STOP_WORD = '';

const memory = new TermMemory(termOf);

const plain: Analyzer = {
  name: 'plain',
  fingerprint: fingerprint('plain', 1, ['lower case', 'runs of a-z 0-9']),
  analyze(text, emit) {
    const tokens = text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
    for (const token of tokens) emit(unshared(token), 0);
    return tokens.length;
  },
};

const english: Analyzer = {
  name: 'english',
  fingerprint: fingerprint('english', 1, [
    'NFKC, lower case, runs of letters, marks and digits, pairs of Han, Hiragana and Katakana',
    `tokens cut at ${LONGEST_TOKEN}, a-z stemmed up to ${LONGEST_STEMMED}`,
    STEMMER,
    ...STOP_WORDS,
  ]),
  analyze(text, emit) {
    let kept = 0;
    let stopWords = 0;
    const normal = isAscii(text) ? text : text.normalize('NFKC');
    forEachToken(normal.toLowerCase(), (source, start, end) => {
      const term = memory.term(source, start, end);
      if (term === STOP_WORD) {
        stopWords++;
        return;
      }
      emit(term, stopWords);
      stopWords = 0;
      kept++;
    });
    return kept;
  },
};

/**
 * For program text (QUALITY section 4): identifiers are taken apart, stop words left out and parts stemmed; one of
 * several parts is a term as a whole too, `=` and its parts joined: `not-found` -> found, =notfound.
 */
const code: Analyzer = {
  name: 'code',
  fingerprint: fingerprint('code', 1, [
    'NFKC, identifiers of letters, marks, digits, _, $ and inner hyphens; parts by case, digits and script',
    'the whole of several parts after them, as = and the parts joined',
    `parts stemmed up to ${LONGEST_STEMMED}`,
    STEMMER,
    ...STOP_WORDS,
  ]),
  analyze(text, emit) {
    let kept = 0;
    let stopWords = 0;
    for (const identifier of identifiersIn(isAscii(text) ? text : text.normalize('NFKC'))) {
      for (const term of identifierTerms(identifier)) {
        if (term === STOP_WORD) {
          stopWords++;
          continue;
        }
        emit(term, stopWords);
        stopWords = 0;
        kept++;
      }
    }
    return kept;
  },
};

const ANALYZERS: readonly Analyzer[] = [plain, english, code];

export function analyzerNamed(name: string): Analyzer {
  const found = ANALYZERS.find((analyzer) => analyzer.name === name);
  if (found !== undefined) return found;
  const known = ANALYZERS.map((analyzer) => analyzer.name).join(', ');
  throw refusal(`unknown analyzer ${quote(name)}; the known ones are ${known}`, {});
}

function fingerprint(name: string, rules: number, parts: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  return `${name}/${rules}:${hash.slice(0, 16)}`;
}

/** Terms of identifiers seen before; emptied when full, since a text has few that others lack. */
const identifiers = new Map<string, readonly string[]>();
const MOST_IDENTIFIERS = 1 << 16;

function identifierTerms(identifier: string): readonly string[] {
  const known = identifiers.get(identifier);
  if (known !== undefined) return known;
  const parts = partsOf(identifier);
  const terms = parts.map(termOf);
  if (parts.length > 1) terms.push(unshared(`=${parts.join('')}`));
  if (identifiers.size === MOST_IDENTIFIERS) identifiers.clear();
  identifiers.set(unshared(identifier), terms);
  return terms;
}

function termOf(token: string): string {
  if (STOP_WORDS.has(token)) return STOP_WORD;
  if (token.length > LONGEST_STEMMED || !/^[a-z]+$/.test(token)) return unshared(token);
  return unshared(porter.stem(token) || token);
}

/** V8 keeps a slice of 13 characters or more as a window on its text; a kept term would hold its whole document. */
function unshared(token: string): string {
  if (token.length < 13) return token;
  const encoding = isAscii(token) ? 'latin1' : 'utf16le';
  return Buffer.from(token, encoding).toString(encoding);
}
