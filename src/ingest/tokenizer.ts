/** Normalised text -> tokens: maximal runs of letters, marks and digits, in any script. */

/** Beyond this a run is no word; what follows is cut off. In UTF-16 code units. */
export const LONGEST_TOKEN = 256;

/** A token is `source` from `start` to `end`: most are looked up, and few need a string of their own. */
export type TakeToken = (source: string, start: number, end: number) => void;

// Classes of characters. ASTRAL is added for those of two code units.
const UNKNOWN = 0;
const OTHER = 1;
const WORD = 2;
const MARK = 3;
/** Written without spaces between words. */
const UNSPACED = 4;
const ASTRAL = 8;

/**
 * Class of each code unit, filled in as characters turn up: few texts use more than some hundreds.
 * Surrogates stay unknown, since their class depends on the pair.
 */
const CLASSES = new Uint8Array(0x10000);
const LETTER_OR_DIGIT = /^[\p{L}\p{N}]$/u;
const COMBINING = /^\p{M}$/u;

export function isAscii(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range is ASCII, whole
  return !/[^\x00-\x7f]/.test(text);
}

/**
 * Calls `take` with each token of a text that is normalised and in lower case. Runs of Han, Hiragana and
 * Katakana give overlapping pairs of characters, or the character when it stands alone.
 */
export function forEachToken(text: string, take: TakeToken): void {
  for (let at = 0; at < text.length; ) {
    const code = classAt(text, at);
    const kind = code & ~ASTRAL;
    if (kind === OTHER) at += widthOf(code);
    else if (kind === UNSPACED) at = takePairs(text, at, take);
    else at = takeWord(text, at, take);
  }
}

function takeWord(text: string, start: number, take: TakeToken): number {
  const cut = start + LONGEST_TOKEN;
  let kept = start;
  let end = start;
  while (end < text.length) {
    const code = classAt(text, end);
    const kind = code & ~ASTRAL;
    if (kind !== WORD && kind !== MARK) break;
    end += widthOf(code);
    // Moves by whole characters, so that the cut never halves a pair.
    if (end <= cut) kept = end;
  }
  take(text, start, kept);
  return end;
}

/** Marks within the run (variation selectors, stray voicing marks) are passed over. */
function takePairs(text: string, start: number, take: TakeToken): number {
  let previous = '';
  let pairs = 0;
  let at = start;
  while (at < text.length) {
    const code = classAt(text, at);
    const kind = code & ~ASTRAL;
    if (kind !== UNSPACED && kind !== MARK) break;
    if (kind === UNSPACED) {
      const character = text.slice(at, at + widthOf(code));
      if (previous !== '') {
        const pair = previous + character;
        take(pair, 0, pair.length);
        pairs++;
      }
      previous = character;
    }
    at += widthOf(code);
  }
  if (pairs === 0) take(previous, 0, previous.length);
  return at;
}

function widthOf(code: number): number {
  return code & ASTRAL ? 2 : 1;
}

function classAt(text: string, at: number): number {
  const known = CLASSES[text.charCodeAt(at)]!;
  return known === UNKNOWN ? learnedClass(text, at) : known;
}

function learnedClass(text: string, at: number): number {
  const codePoint = text.codePointAt(at)!;
  const kind = classOf(codePoint);
  if (codePoint > 0xffff) return kind | ASTRAL;
  if (codePoint < 0xd800 || codePoint > 0xdfff) CLASSES[codePoint] = kind;
  return kind;
}

function classOf(codePoint: number): number {
  const character = String.fromCodePoint(codePoint);
  if (COMBINING.test(character)) return MARK;
  if (!LETTER_OR_DIGIT.test(character)) return OTHER;
  return isUnspaced(codePoint) ? UNSPACED : WORD;
}

/** Han, Hiragana and Katakana among letters and digits. By range, so that no Node's Unicode version matters. */
function isUnspaced(c: number): boolean {
  if (c < 0x3005) return false;
  return (
    c <= 0x30ff || // iteration marks, ideographic zero, Hiragana, Katakana
    (c >= 0x31f0 && c <= 0x31ff) || // Katakana extensions
    (c >= 0x3400 && c <= 0x4dbf) ||
    (c >= 0x4e00 && c <= 0x9fff) ||
    (c >= 0xf900 && c <= 0xfaff) ||
    (c >= 0x1aff0 && c <= 0x1b16f) || // Kana supplements
    (c >= 0x20000 && c <= 0x3ffff)
  );
}
