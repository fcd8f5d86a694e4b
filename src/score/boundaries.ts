/**
 * What may stand beside a token that is found in a qualified name. `identifier` (default): the ends of the parts
 * that identifiers are made of (`routerMode`, `router_mode`, `router2`, `HTTPRouter`: parts, runs of parts and whole
 * identifiers are found), in any script. `word`: system C's rule, the ASCII \b, for which `_`, digits and capitals
 * belong to a word.
 */
export type Boundaries = 'identifier' | 'word';

export const BOUNDARIES: readonly Boundaries[] = ['identifier', 'word'];

/** Whether `token`, in lower case, stands in `text` between two boundaries. */
export function standsIn(text: string, token: string, boundaries: Boundaries): boolean {
  // The one character whose lower case is longer: places in both texts are the same without it.
  const level = text.includes('\u0130') ? text.replaceAll('\u0130', 'i\u0307') : text;
  const lower = level.toLowerCase();
  const isBoundary = boundaries === 'word' ? wordBoundary : partBoundary;
  for (let at = lower.indexOf(token); at >= 0; at = lower.indexOf(token, at + 1)) {
    const [written, end] = [boundaries === 'word' ? lower : level, at + token.length];
    if (isBoundary(written, at) && isBoundary(written, end)) return true;
  }
  return false;
}

/** JavaScript's and Go's \b: exactly one of both neighbours is one of A-Z a-z 0-9 _. */
function wordBoundary(text: string, at: number): boolean {
  return isWordUnit(text.charCodeAt(at - 1)) !== isWordUnit(text.charCodeAt(at));
}

/** NaN, the neighbour beyond an end, is none. */
function isWordUnit(unit: number): boolean {
  return isDigit(unit) || isLower(unit) || isUpper(unit) || unit === 0x5f;
}

// What a character is to the parts of an identifier.
const OTHER = 0;
const DIGIT = 1;
const UPPER = 2;
/** Also letters of scripts that have no case. */
const LOWER = 3;
const MARK = 4;

/**
 * The ends of the text, the sides of whatever is neither letter nor digit, between letters and digits, before a
 * capital that follows a small letter (`router|Mode`), before the last of several capitals that a small letter
 * follows (`HTTP|Server`). A mark belongs to its letter.
 */
function partBoundary(text: string, at: number): boolean {
  if (at === 0 || at === text.length) return true;
  const right = classAt(text, at);
  if (right === MARK) return false;
  const left = classBefore(text, at);
  if (left === OTHER || right === OTHER) return true;
  if (left === DIGIT || right === DIGIT) return left !== right;
  if (right !== UPPER) return false;
  if (left !== UPPER) return true;
  const after = at + (text.codePointAt(at)! > 0xffff ? 2 : 1);
  return after < text.length && classAt(text, after) === LOWER;
}

function classBefore(text: string, at: number): number {
  const isPair = /[\udc00-\udfff]/.test(text[at - 1]!) && /[\ud800-\udbff]/.test(text[at - 2] ?? '');
  return classAt(text, at - (isPair ? 2 : 1));
}

function classAt(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  if (unit < 0x80) {
    if (isDigit(unit)) return DIGIT;
    if (isLower(unit)) return LOWER;
    return isUpper(unit) ? UPPER : OTHER;
  }
  const character = String.fromCodePoint(text.codePointAt(at)!);
  if (/^\p{N}$/u.test(character)) return DIGIT;
  if (/^[\p{Lu}\p{Lt}]$/u.test(character)) return UPPER;
  if (/^\p{L}$/u.test(character)) return LOWER;
  return /^\p{M}$/u.test(character) ? MARK : OTHER;
}

const isDigit = (unit: number): boolean => unit >= 0x30 && unit <= 0x39;
const isLower = (unit: number): boolean => unit >= 0x61 && unit <= 0x7a;
const isUpper = (unit: number): boolean => unit >= 0x41 && unit <= 0x5a;
