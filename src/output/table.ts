import { printable } from './printable.js';

export interface Column {
  title: string;
  /** Numbers go to the right. Default: left. */
  align?: 'left' | 'right';
}

/** An aligned table in plain text, every line ended. Cells are made printable first; widths are code points. */
export function table(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const lines = [columns.map((column) => column.title), ...rows].map((row) => row.map(printable));
  const widths = columns.map((_, i) => lines.reduce((most, line) => Math.max(most, width(line[i] ?? '')), 0));
  return lines
    .map((line) => columns.map((column, i) => pad(line[i] ?? '', widths[i]!, column.align)).join('  '))
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}

function width(text: string): number {
  return [...text].length;
}

function pad(text: string, to: number, align: Column['align']): string {
  const space = ' '.repeat(to - width(text));
  return align === 'right' ? space + text : text + space;
}
