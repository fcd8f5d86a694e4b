/** Program text -> identifiers and their parts (QUALITY section 4). */

const IDENTIFIER = /[\p{L}\p{M}\p{N}_$]+(?:-[\p{L}\p{M}\p{N}_]+)*/gu;
/** `HTTPHeader2` -> HTTP, Header, 2: acronyms, words, digits; letters without case by runs. */
const PART = /\p{Lu}+(?=\p{Lu}\p{Ll})|\p{Lu}?[\p{Ll}\p{M}]+|\p{Lu}+|\p{N}+|[\p{L}\p{M}]+/gu;
/** Beyond this it is no name; what follows is cut off. In UTF-16 code units. */
const LONGEST = 256;

/** Every identifier of a text, hyphenated names whole, in order. */
export function identifiersIn(text: string): string[] {
  return text.match(IDENTIFIER) ?? [];
}

/** The parts of an identifier in lower case: `removeIndexString` -> remove, index, string. */
export function partsOf(identifier: string): string[] {
  const short = identifier.length > LONGEST ? identifier.slice(0, LONGEST).toWellFormed() : identifier;
  return (short.match(PART) ?? []).map((part) => part.toLowerCase());
}
