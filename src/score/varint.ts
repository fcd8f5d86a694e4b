/** Calls `visit` with each unsigned LEB128 number in bytes[from .. to - 1]. */
export function eachVarint(
  bytes: Uint8Array,
  from: number,
  to: number,
  visit: (value: number) => void,
): void {
  let value = 0;
  let shift = 0;
  for (let at = from; at < to; at++) {
    const byte = bytes[at]!;
    value |= (byte & 0x7f) << shift;
    shift += 7;
    if (byte > 0x7f) continue;
    visit(value);
    value = 0;
    shift = 0;
  }
}
