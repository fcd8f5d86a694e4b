/** Lines of a UTF-8 input of any size; only one block of them is in memory at a time. */

import { constants, isAscii, isUtf8 } from 'node:buffer';
import type { CorankError } from '../errors.js';
import { readBytes } from './bytes.js';
import { refusal } from './refusal.js';

export interface Line {
  text: string;
  /** 1-based. */
  line: number;
}

export interface LineOptions {
  signal?: AbortSignal;
  /** A longer line is refused; no more than fits in one JavaScript string, which is the default. */
  maxLineBytes?: number;
}

export interface BlockOptions extends LineOptions {
  /** Leaves the CR of a CRLF on the line, for formats in which a line end can be data. */
  keepCarriageReturn?: boolean;
  /** Called for a line that is not UTF-8, which is then left out; without it such a line ends the reading. */
  onBadLine?: (error: CorankError, line: number) => void;
}

const LF = 0x0a;
const CR = 0x0d;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** Lines without their ends (LF or CRLF) and without a byte order mark; the last one needs no end. */
export async function* readLines(path: string, options: LineOptions = {}): AsyncGenerator<Line> {
  for await (const block of readLineBlocks(path, options)) {
    for (const line of block) yield line;
  }
}

/** The same lines in arrays, because one turn of an async generator costs more than splitting a line. */
export async function* readLineBlocks(path: string, options: BlockOptions = {}): AsyncGenerator<Line[]> {
  const splitter = new Splitter(path, options);
  for await (const chunk of readBytes(path, options)) {
    splitter.add(chunk);
    if (splitter.lines.length > 0) yield splitter.take();
    if (splitter.failure !== undefined) throw splitter.failure;
    options.signal?.throwIfAborted();
  }
  splitter.finish();
  if (splitter.lines.length > 0) yield splitter.take();
  if (splitter.failure !== undefined) throw splitter.failure;
}

/** Cuts chunks at LF bytes, which UTF-8 never uses inside a character, and decodes whole lines only. */
class Splitter {
  /** Complete lines before the failure, if there is one: the reader gets them first. */
  lines: Line[] = [];
  failure: CorankError | undefined;
  private line = 1;
  private rest: Buffer[] = [];
  private restBytes = 0;
  private readonly maxLineBytes: number;

  constructor(
    private readonly file: string,
    private readonly options: BlockOptions,
  ) {
    this.maxLineBytes = Math.min(options.maxLineBytes ?? Infinity, constants.MAX_STRING_LENGTH);
  }

  add(chunk: Buffer): void {
    const end = chunk.lastIndexOf(LF) + 1;
    if (end > 0) {
      const whole = chunk.subarray(0, end);
      this.split(this.rest.length === 0 ? whole : Buffer.concat([...this.rest, whole]));
      this.rest = [];
      this.restBytes = 0;
    }
    if (end < chunk.length) this.rest.push(chunk.subarray(end));
    this.restBytes += chunk.length - end;
    if (this.restBytes > this.maxLineBytes) this.failure ??= this.tooLong();
  }

  finish(): void {
    if (this.restBytes > 0) this.split(Buffer.concat(this.rest));
  }

  take(): Line[] {
    const { lines } = this;
    this.lines = [];
    return lines;
  }

  private split(bytes: Buffer): void {
    const valid = isUtf8(bytes);
    // ASCII decodes much faster as Latin-1, to the same string.
    const encoding = valid && isAscii(bytes) ? 'latin1' : 'utf8';
    let start = this.line === 1 && bytes.subarray(0, 3).equals(BYTE_ORDER_MARK) ? 3 : 0;
    for (let end = 0; start < bytes.length && this.failure === undefined; start = end + 1, this.line++) {
      end = bytes.indexOf(LF, start);
      if (end < 0) end = bytes.length;
      if (end - start > this.maxLineBytes) this.failure = this.tooLong();
      else if (!valid && !isUtf8(bytes.subarray(start, end))) this.badLine();
      else
        this.lines.push({
          text: bytes.toString(encoding, start, this.textEnd(bytes, start, end)),
          line: this.line,
        });
    }
  }

  private textEnd(bytes: Buffer, start: number, end: number): number {
    const cut = end > start && bytes[end - 1] === CR && this.options.keepCarriageReturn !== true;
    return cut ? end - 1 : end;
  }

  private badLine(): void {
    const place = { file: this.file, line: this.line };
    const error = refusal('the line is not valid UTF-8; convert the file to UTF-8', place);
    if (this.options.onBadLine === undefined) this.failure = error;
    else this.options.onBadLine(error, this.line);
  }

  private tooLong(): CorankError {
    const place = { file: this.file, line: this.line };
    return refusal(
      `the line is longer than ${this.maxLineBytes} bytes; split it into several records`,
      place,
    );
  }
}
