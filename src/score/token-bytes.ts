// What a pair of bytes may be the start of.
const NOTHING = 0;
const TOKEN = 1;
/** Not ASCII: lower case may then have other bytes, or ASCII ones (the Kelvin sign). */
const UNDECIDED = 2;

/**
 * Tells by bytes alone which texts cannot have one of some lower-case tokens. A text of ASCII is decided, its capitals
 * taken as small letters; any other may match.
 */
export class TokenBytes {
  /** By two bytes, the first times 256. */
  private readonly starts = new Uint8Array(0x10000);
  private readonly tokens: Uint8Array[] = [];

  /** Tokens of less than two bytes are left out. */
  constructor(tokens: readonly string[]) {
    for (let pair = 0; pair < 0x10000; pair++) if ((pair & 0x8080) !== 0) this.starts[pair] = UNDECIDED;
    for (const token of new Set(tokens)) {
      const bytes = Buffer.from(token, 'utf8');
      // What is not ASCII never stands in a text of ASCII.
      if (bytes.length < 2 || bytes.some((byte) => byte >= 0x80)) continue;
      this.tokens.push(bytes);
      for (const first of bothCases(bytes[0]!))
        for (const second of bothCases(bytes[1]!)) this.starts[first * 256 + second] = TOKEN;
    }
  }

  /** Whether the text from `start` to `end` may be one of the tokens. */
  mayEqual(text: Uint8Array, start: number, end: number): boolean {
    if (end - start < 2) return false;
    const kind = this.starts[text[start]! * 256 + text[start + 1]!]!;
    if (kind === UNDECIDED || (kind === TOKEN && this.startsAt(text, start, end, true))) return true;
    for (let at = start + 2; at < end; at++) if (text[at]! >= 0x80) return true;
    return false;
  }

  /** Whether one of the tokens may stand in the text from `start` to `end`. */
  mayStandIn(text: Uint8Array, start: number, end: number): boolean {
    if (end - start < 2) return false;
    const { starts } = this;
    let pair = text[start]!;
    for (let at = start + 1; at < end; at++) {
      pair = ((pair & 0xff) << 8) | text[at]!;
      const kind = starts[pair]!;
      if (kind === NOTHING) continue;
      if (kind === UNDECIDED || this.startsAt(text, at - 1, end, false)) return true;
    }
    return false;
  }

  private startsAt(text: Uint8Array, at: number, end: number, whole: boolean): boolean {
    const { tokens } = this;
    for (let t = 0; t < tokens.length; t++) {
      const token = tokens[t]!;
      const { length } = token;
      if (whole ? at + length !== end : at + length > end) continue;
      let i = 0;
      while (i < length && small(text[at + i]!) === token[i]) i++;
      if (i === length) return true;
    }
    return false;
  }
}

const bothCases = (byte: number): number[] => (byte >= 0x61 && byte <= 0x7a ? [byte, byte - 0x20] : [byte]);
const small = (byte: number): number => (byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte);
