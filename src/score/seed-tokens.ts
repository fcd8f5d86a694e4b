/** Words of a query that may name a node, as system C takes them (C.2). */

/** Short words and words of everyday English that are names in code: always kept. */
const ALLOWED = words('new run get set add del ok io err log id key url tcp udp dns tls ssh ssl api');

const STOPPED = words(
  'the a an of and or to in on for is as at by be if it this that with from into than',
  'how does do what where when why which who whom',
  'work use make call calls show need want find look have will would could should must install create delete',
  'update return execute handle process',
  'code file type name test data error value item list line step case true false null none self main',
  'some many more most also only just very even such',
);

/** Trimmed from both ends of a word; a backtick and `< > # @ * / \ - _` stay. */
const TRIMMED = new Set('.,;:!?"\'()[]{}');

/** Bytes of UTF-8 below which a word is dropped: "éa" has 3, "日本" has 6. */
const LEAST_BYTES = 4;

/** In the order of the query, lower-cased, repeats kept. Linear in its length. */
export function seedTokens(query: string): string[] {
  return query
    .toLowerCase()
    .split(/\p{White_Space}+/u)
    .map(trimmed)
    .filter((word) => {
      if (word === '') return false;
      if (ALLOWED.has(word)) return true;
      return !STOPPED.has(word) && Buffer.byteLength(word) >= LEAST_BYTES;
    });
}

function trimmed(word: string): string {
  let start = 0;
  let end = word.length;
  while (start < end && TRIMMED.has(word[start]!)) start++;
  while (end > start && TRIMMED.has(word[end - 1]!)) end--;
  return word.slice(start, end);
}

function words(...lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.join(' ').split(' '));
}
