import { quote } from '../errors.js';
import type { RunFormat } from '../output/run-writer.js';
import { usage } from './exit-codes.js';

export const RUN_FORMATS = ['trec', 'jsonl', 'arrow'] as const satisfies readonly RunFormat[];

/** The format of a run: as asked for, else by its name's ending, else trec. */
export function runFormat(path: string, asked: RunFormat | undefined): RunFormat {
  if (/\.gz$/i.test(path)) {
    throw usage(`--out ${quote(path)}: runs are written uncompressed; drop the ending .gz`);
  }
  return asked ?? RUN_FORMATS.find((format) => path.toLowerCase().endsWith(`.${format}`)) ?? 'trec';
}
