/** A streaming reader of CSV as RFC 4180 has it: quotes doubled inside quotes, line ends allowed inside them. */

import { constants } from 'node:buffer';
import { quote } from '../errors.js';
import { readLineBlocks } from './lines.js';
import { refusal } from './refusal.js';

export interface CsvRow {
  /** As many as the header has. */
  cells: readonly string[];
  /** The line on which the row starts. */
  line: number;
}

export interface CsvTable {
  header: readonly string[];
  /** A row that cannot be read throws when its turn comes. */
  rows: Iterable<CsvRow>;
}

const QUOTE = '"';

/** Rows in blocks, each with the header; a file with a header only gives one block without rows. */
export async function* readCsv(
  path: string,
  options: { signal?: AbortSignal } = {},
): AsyncGenerator<CsvTable> {
  const parser = new RowParser(path);
  let header: readonly string[] | undefined;
  for await (const block of readLineBlocks(path, { ...options, keepCarriageReturn: true })) {
    const rows = parser.rowsOf(block);
    if (header === undefined) {
      const first = rows.next();
      if (first.done) continue;
      header = headerOf(first.value, path);
    }
    yield { header, rows: evenRows(rows, header.length, path) };
  }
  parser.finish();
  if (header === undefined) throw refusal('is empty; the first line must name the columns', { file: path });
}

function headerOf({ cells, line }: CsvRow, file: string): readonly string[] {
  const header = cells.map((name) => name.trim());
  const seen = new Set<string>();
  for (const name of header) {
    const place = { file, line };
    if (name === '') throw refusal(`column ${seen.size + 1} has no name; name every column`, place);
    if (seen.has(name)) throw refusal(`column ${quote(name)} is named twice; rename one`, place);
    seen.add(name);
  }
  return header;
}

function* evenRows(rows: Iterable<CsvRow>, columns: number, file: string): Generator<CsvRow> {
  for (const row of rows) {
    if (row.cells.length !== columns) {
      const counts = `has ${row.cells.length} cells where the header names ${columns} columns`;
      throw refusal(`the row ${counts}; quote cells that hold a comma`, { file, line: row.line });
    }
    yield row;
  }
}

/** Takes lines that keep their CR, since inside quotes a line end is data. */
class RowParser {
  /** Cells of a row whose last cell, `open`, is still within its quotes. */
  private cells: string[] = [];
  private open: string | undefined;
  private rowLine = 0;
  private openLine = 0;

  constructor(private readonly file: string) {}

  *rowsOf(lines: readonly { text: string; line: number }[]): Generator<CsvRow> {
    for (const { text, line } of lines) {
      if (this.open === undefined) {
        if (text === '' || text === '\r') continue;
        this.rowLine = line;
        if (!text.includes(QUOTE)) {
          yield { cells: withoutReturn(text).split(','), line };
          continue;
        }
      }
      if (this.parse(text, line)) yield { cells: this.takeCells(), line: this.rowLine };
    }
  }

  finish(): void {
    if (this.open === undefined) return;
    throw refusal('the quote opened here is never closed; close it, or double a quote that is text', {
      file: this.file,
      line: this.openLine,
    });
  }

  private takeCells(): string[] {
    const { cells } = this;
    this.cells = [];
    return cells;
  }

  /** Adds one line to the row; true when the row ends with it. */
  private parse(text: string, line: number): boolean {
    let at = 0;
    if (this.open !== undefined) at = this.quoted(text, 0, `${this.open}\n`, line);
    else at = this.cell(text, 0, line);
    while (at >= 0 && at < text.length && text[at] === ',') at = this.cell(text, at + 1, line);
    return at >= 0;
  }

  /** Reads the cell that starts at `at`; where it ends, or -1 when its quote is still open. */
  private cell(text: string, at: number, line: number): number {
    if (text[at] === QUOTE) {
      this.openLine = line;
      return this.quoted(text, at + 1, '', line);
    }
    const comma = text.indexOf(',', at);
    const end = comma < 0 ? text.length : comma;
    const cell = comma < 0 ? withoutReturn(text.slice(at)) : text.slice(at, end);
    if (cell.includes(QUOTE)) {
      const advice = 'put the whole cell in quotes and double the quotes inside';
      throw refusal(`a quote stands inside the unquoted cell ${quote(cell)}; ${advice}`, {
        file: this.file,
        line,
      });
    }
    this.cells.push(cell);
    return end;
  }

  private quoted(text: string, from: number, before: string, line: number): number {
    let value = before;
    for (let at = from; ; ) {
      const end = text.indexOf(QUOTE, at);
      if (end < 0) return this.keepOpen(value, text.slice(at));
      value += text.slice(at, end);
      if (text[end + 1] !== QUOTE) {
        this.open = undefined;
        this.cells.push(value);
        return this.afterQuote(text, end + 1, line);
      }
      value += QUOTE;
      at = end + 2;
    }
  }

  private keepOpen(value: string, more: string): number {
    // One is the line end that comes next; a string beyond the limit would be a RangeError.
    if (value.length + more.length + 1 > constants.MAX_STRING_LENGTH) this.finish();
    this.open = value + more;
    return -1;
  }

  private afterQuote(text: string, at: number, line: number): number {
    if (at === text.length || text[at] === ',' || (text[at] === '\r' && at + 1 === text.length)) return at;
    throw refusal(
      `${quote(text[at])} follows a closing quote; double a quote that is text, or put a comma after the cell`,
      { file: this.file, line },
    );
  }
}

function withoutReturn(text: string): string {
  return text.endsWith('\r') ? text.slice(0, -1) : text;
}
