/**
 * Order of two ids by their UTF-8 bytes, without encoding them. UTF-16 code units sort like UTF-8 bytes
 * except that surrogates (0xD800-0xDFFF, which stand for code points above 0xFFFF) come too early:
 * lifting them above 0xE000-0xFFFF repairs that. Both strings must be well-formed.
 */
export function compareIds(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return lift(x) - lift(y);
  }
  return a.length - b.length;
}

function lift(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
