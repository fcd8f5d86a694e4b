/**
 * The distinct words of a signature or a name, in small letters: split where there is no letter or digit, before a
 * capital after a small letter, before the last capital of an acronym, and between letters and digits (spec A.3).
 */
export function signatureTokens(text: string): Set<string> {
  const found = text.match(/\p{N}+|\p{Lu}+(?!\p{Ll})|\p{Lu}?[^\P{L}\p{Lu}]+|\p{Lu}/gu) ?? [];
  return new Set(found.map((token) => token.toLowerCase()));
}

/** The share of the wanted tokens that are there; 0 when none is wanted. */
export function overlap(wanted: ReadonlySet<string>, there: ReadonlySet<string>): number {
  if (wanted.size === 0) return 0;
  let common = 0;
  for (const token of wanted) if (there.has(token)) common++;
  return common / wanted.size;
}
