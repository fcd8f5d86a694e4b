/** Characters that move the cursor, hide or reorder text; the two joiners are spared for scripts and emoji. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}]|(?![\u{200c}\u{200d}])\p{Cf}/gu;

/** A text that stays on its line: white space collapsed, control and direction characters as `\u{1b}`. */
export function printable(text: string): string {
  return text
    .replace(/\p{White_Space}+/gu, ' ')
    .replace(/^ | $/g, '')
    .replace(UNPRINTABLE, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}
