import pc from 'picocolors';
import { printable } from '../output/printable.js';
import { coloursOn } from './stdout.js';

/** Time between two updates of the progress line. */
const PROGRESS_MILLISECONDS = 100;

/**
 * What a command says on standard error. `--quiet` silences notes and progress; warnings and errors are always
 * said. Progress is one line, rewritten, and only on a terminal.
 */
export class Notes {
  readonly #quiet: boolean;
  readonly #progress: boolean;
  #shown = 0;
  #last = 0;

  constructor(options: { quiet?: boolean } = {}) {
    this.#quiet = options.quiet === true;
    this.#progress = !this.#quiet && process.stderr.isTTY === true;
  }

  note(text: string): void {
    if (!this.#quiet) this.#write(text);
  }

  /** Several lines that are aligned among themselves. */
  block(text: string): void {
    if (this.#quiet) return;
    this.clear();
    process.stderr.write(text);
  }

  warn(text: string): void {
    this.#write(pc.createColors(coloursOn(process.stderr)).yellow('corank:'), text);
  }

  error(text: string): void {
    this.#write(pc.createColors(coloursOn(process.stderr)).red('corank:'), text);
  }

  progress(text: string): void {
    const now = performance.now();
    if (!this.#progress || now - this.#last < PROGRESS_MILLISECONDS) return;
    this.#last = now;
    process.stderr.write(`\r${text.padEnd(this.#shown)}`);
    this.#shown = text.length;
  }

  /** Takes the progress line away. */
  clear(): void {
    if (this.#shown > 0) process.stderr.write(`\r${' '.repeat(this.#shown)}\r`);
    this.#shown = 0;
  }

  /** Ids and file names in a text may hold anything; nothing of it reaches the terminal as a command. */
  #write(first: string, text?: string): void {
    this.clear();
    process.stderr.write(text === undefined ? `${printable(first)}\n` : `${first} ${printable(text)}\n`);
  }
}
