import pc from 'picocolors';
import { printable } from '../output/printable.js';
import { StreamSink } from '../output/stream-sink.js';

/** Whether a stream gets colours: a terminal, and NO_COLOR (https://no-color.org) is not set. */
export function coloursOn(stream: { isTTY?: boolean }): boolean {
  const { NO_COLOR, TERM } = process.env;
  return stream.isTTY === true && (NO_COLOR === undefined || NO_COLOR === '') && TERM !== 'dumb';
}

/** Data goes to standard output; a reader that has left is no error. Settles when the text was taken. */
export async function print(text: string): Promise<void> {
  const sink = new StreamSink(process.stdout);
  await sink.write(text);
  await sink.close();
}

export function printJson(value: unknown): Promise<void> {
  return print(`${JSON.stringify(value)}\n`);
}

/** A table whose first line, the titles, stands out on a terminal. */
export function headed(table: string): string {
  const end = table.indexOf('\n');
  if (end < 0) return table;
  const { bold } = pc.createColors(coloursOn(process.stdout));
  return bold(table.slice(0, end)) + table.slice(end);
}

/** Names and values below each other, aligned. */
export function listing(entries: readonly (readonly [name: string, value: string | number])[]): string {
  const width = Math.max(...entries.map(([name]) => name.length));
  return entries.map(([name, value]) => `${name.padEnd(width)}  ${printable(String(value))}\n`).join('');
}
