import { STOP_WORDS } from '../../ingest/stop-words.js';

/** What kind of thing a query is: some signals count for more, others for less. */
export const QUERY_CLASSES = ['concept', 'symbol', 'path', 'signature', 'keyword_soup'] as const;

export type QueryClass = (typeof QUERY_CLASSES)[number];

/** The words of a query and what they are made of. Operators (OR, AND, pipes) are no words. */
export interface QueryShape {
  words: number;
  operators: number;
  /** Shares of the words, 0 to 1. */
  identifiers: number;
  stopWords: number;
}

const OPERATOR = /^(?:OR|AND|\|{1,2})$/;

/** A word without the punctuation around it. */
const bare = (word: string): string => word.replace(/^[^\p{L}\p{N}_$]+|[^\p{L}\p{N}_$]+$/gu, '');

export function shapeOf(text: string): QueryShape {
  const pieces = text.split(/\s+/).filter((piece) => piece !== '');
  const words = pieces.filter((piece) => !OPERATOR.test(piece));
  const share = (is: (word: string) => boolean): number =>
    words.length === 0 ? 0 : words.filter(is).length / words.length;
  return {
    words: words.length,
    operators: pieces.length - words.length,
    identifiers: share((word) => isIdentifier(bare(word))),
    stopWords: share((word) => STOP_WORDS.has(bare(word).toLowerCase())),
  };
}

/** Whether a word among others is a name in code: joined parts, all capitals, or a capital after a small letter. */
const isIdentifier = (word: string): boolean =>
  isJoined(word) || /\p{Ll}.*\p{Lu}|\p{Lu}{2}.*\p{Ll}/u.test(word);

const isJoined = (word: string): boolean =>
  /\p{L}|\p{N}/u.test(word) &&
  (/::|[._/\\]/.test(word) || /^[\p{Lu}\p{N}]*\p{Lu}[\p{Lu}\p{N}]+$/u.test(word));

/** Alone, any change between small and capital letters makes a name: `Session`. */
const isSymbol = (word: string): boolean => isJoined(word) || (/\p{Ll}/u.test(word) && /\p{Lu}/u.test(word));

/** The class of a query, by the first rule that fits (spec A.4). */
export function classOf(text: string): QueryClass {
  const query = text.trim();
  if (query === '') return 'concept';
  if (isSoup(query)) return 'keyword_soup';
  if (/[()]|->|=>/.test(query)) return 'signature';
  if (/\s/.test(query)) return 'concept';
  if (/[/\\]/.test(query) && /[\p{L}\p{N}]/u.test(query)) return 'path';
  return isSymbol(query) ? 'symbol' : 'concept';
}

function isSoup(query: string): boolean {
  const { words, operators, identifiers, stopWords } = shapeOf(query);
  const tokens = words + operators;
  const quoted = query.match(/"[^"]+"/g)?.length ?? 0;
  if (operators >= 2 || quoted >= 3) return true;
  if (tokens >= 8 && operators >= 1 && stopWords < 0.15 && identifiers > 0.6) return true;
  if (isList(query)) return true;
  return tokens >= 6 && operators === 0 && quoted === 0 && stopWords <= 0.15 && identifiers >= 0.8;
}

/** Three or more fragments between commas, each of one or two words, none a stop word. */
function isList(query: string): boolean {
  const fragments = query.split(',').map((fragment) => fragment.trim().split(/\s+/));
  return (
    fragments.length >= 3 &&
    fragments.every(
      (words) =>
        words[0] !== '' && words.length <= 2 && !words.some((word) => STOP_WORDS.has(word.toLowerCase())),
    )
  );
}
