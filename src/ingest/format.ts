import { refusal } from './refusal.js';

/**
 * The format that a name's ending tells, in lower case and without `.gz`: `a.CSV.gz` is csv.
 * `-` (standard input) is JSON lines. Another ending is refused with the list of those that are read.
 */
export function formatOf<F extends string>(path: string, formats: readonly F[], what: string): F {
  if (path === '-' && (formats as readonly string[]).includes('jsonl')) return 'jsonl' as F;
  const name = path.toLowerCase().replace(/\.gz$/, '');
  const format = formats.find((ending) => name.endsWith(`.${ending}`));
  if (format !== undefined) return format;
  const endings = formats.map((ending) => `.${ending}[.gz]`).join(' or ');
  throw refusal(`${what} are read from ${endings}; this name ends otherwise`, { file: path });
}
