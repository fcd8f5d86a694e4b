import { CorankError, quote } from '../errors.js';
import { finiteScore, type RunResult } from './candidate-json.js';

/**
 * White space and control characters, which end a column for one reader or another; U+FEFF, which vanishes at
 * the start of a file; and lone surrogates, which UTF-8 cannot write.
 */
const UNWRITABLE = /[\p{White_Space}\p{Cc}\p{Cs}\u{feff}]/u;

/**
 * The lines `qid Q0 docid rank score tag` of one result, each ended; '' when nothing was returned.
 * A score is printed with the fewest digits that read back to the same number (-0 as 0).
 */
export function trecLines(result: RunResult, tag: string): string {
  const query = writable(result.id, 'query id');
  const name = writableTag(tag);
  let lines = '';
  result.candidates.forEach(({ id, score }, i) => {
    lines += `${query} Q0 ${writable(id, 'document id')} ${i + 1} ${finiteScore(score, id)} ${name}\n`;
  });
  return lines;
}

export function writableTag(tag: string): string {
  return writable(tag, 'tag');
}

function writable(text: string, what: string): string {
  if (text !== '' && !UNWRITABLE.test(text)) return text;
  const why = text === '' ? 'is empty' : 'holds white space or a control character';
  throw new CorankError(
    'INVALID_INPUT',
    `the ${what} ${quote(text)} ${why}, which a TREC run cannot express: use the jsonl format`,
    what === 'tag' ? {} : { place: { id: text } },
  );
}
