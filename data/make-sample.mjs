// Cuts data/2wiki-sample out of the 2WikiMultihopQA collection that its README names. No randomness: the same
// input gives the same bytes.
//
//   node data/make-sample.mjs SHARED_DATA_DIR [OUT]
//
// SHARED_DATA_DIR holds the folder 2wiki-164; OUT is data/2wiki-sample unless given.

import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';

const PASSAGES = 2500;
const SEEDS = 10; // pagerank starts from so many passages a question: their links must be whole
const SIZE_LIMIT = 3_000_000;

const [shared, out = fileURLToPath(new URL('2wiki-sample', import.meta.url))] = process.argv.slice(2);
const from = join(shared ?? '', '2wiki-164');
if (shared === undefined || !existsSync(from)) {
  console.error(
    'usage: node data/make-sample.mjs SHARED_DATA_DIR [OUT]    (SHARED_DATA_DIR/2wiki-164 is read)',
  );
  process.exit(2);
}

const corpusLines = lines('corpus.jsonl.gz');
const passages = corpusLines.map((line) => JSON.parse(line));
const queries = lines('queries.jsonl').map((line) => JSON.parse(line));
const [qrelsHeader, ...qrels] = lines('qrels/test.tsv');
const [edgesHeader, ...edges] = lines('title_edges.csv.gz');

const kept = choose();
const rows = passages.flatMap(({ _id }, row) => (kept.has(_id) ? [row] : []));
const links = edges.filter((line) => ends(line).every((id) => kept.has(id)));

write(
  'corpus.jsonl',
  rows.map((row) => corpusLines[row]),
);
write('queries.jsonl', lines('queries.jsonl'));
write('qrels/test.tsv', [qrelsHeader, ...qrels]);
write('title_edges.csv', [edgesHeader, ...links]);
writeBytes('embeddings/lsa-128.docs.npy', npy(vectorsOf('lsa-128.docs.npy', passages.length), rows));
writeBytes('embeddings/lsa-128.queries.npy', npy(vectorsOf('lsa-128.queries.npy', queries.length)));
report();

/** Ids of the passages to keep: relevant ones, the seeds of a walk, the links of both, then distractors. */
function choose() {
  const relevant = qrels.map((line) => line.split('\t')[1]);
  const ranked = rankByWords(PASSAGES);
  const neighbours = neighboursByLink();
  const chosen = new Set();
  for (const id of [...relevant, ...ranked.flatMap((ids) => ids.slice(0, SEEDS))]) {
    chosen.add(id);
    for (const neighbour of neighbours.get(id) ?? []) chosen.add(neighbour);
  }
  if (chosen.size > PASSAGES) throw new Error(`${chosen.size} passages are needed, PASSAGES is ${PASSAGES}`);
  for (let rank = SEEDS; rank < PASSAGES; rank++) {
    for (const ids of ranked) {
      if (chosen.size === PASSAGES) return chosen;
      if (rank < ids.length) chosen.add(ids[rank]);
    }
  }
  return chosen;
}

/** For every query the passages that share words with it, best BM25 score (k1 1.2, b 0.75) first. */
function rankByWords(depth) {
  const postings = new Map();
  const lengths = passages.map(({ title, text }, row) => {
    const words = wordsOf(`${title} ${text}`);
    for (const word of words) {
      if (!postings.has(word)) postings.set(word, new Map());
      const rowsOfWord = postings.get(word);
      rowsOfWord.set(row, (rowsOfWord.get(row) ?? 0) + 1);
    }
    return words.length;
  });
  const average = lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
  return queries.map((query) => {
    const scores = new Map();
    for (const word of new Set(wordsOf(query.text))) {
      const rowsOfWord = postings.get(word) ?? new Map();
      const idf = Math.log(1 + (passages.length - rowsOfWord.size + 0.5) / (rowsOfWord.size + 0.5));
      for (const [row, tf] of rowsOfWord) {
        const score = (idf * tf * 2.2) / (tf + 1.2 * (0.25 + (0.75 * lengths[row]) / average));
        scores.set(row, (scores.get(row) ?? 0) + score);
      }
    }
    const best = [...scores].sort(([rowA, a], [rowB, b]) => b - a || rowA - rowB).slice(0, depth);
    return best.map(([row]) => passages[row]._id);
  });
}

function wordsOf(text) {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

function neighboursByLink() {
  const neighbours = new Map(passages.map(({ _id }) => [_id, []]));
  for (const line of edges) {
    const [source, target] = ends(line);
    neighbours.get(source).push(target);
    neighbours.get(target).push(source);
  }
  return neighbours;
}

function ends(line) {
  return line.split(',', 2);
}

/** A float32 matrix in C order with as many rows as its text file has lines. */
function vectorsOf(name, count) {
  const bytes = readFileSync(join(from, 'embeddings', name));
  const dataAt = 10 + bytes.readUInt16LE(8);
  const header = bytes.toString('latin1', 10, dataAt);
  const shape = /'shape': \((\d+), (\d+)\)/.exec(header);
  const plain = header.includes("'<f4'") && header.includes("'fortran_order': False");
  if (!plain || Number(shape?.[1]) !== count) throw new Error(`${name}: unexpected header ${header}`);
  const dimension = Number(shape[2]);
  return {
    dimension,
    count,
    row: (i) => bytes.subarray(dataAt + i * dimension * 4).subarray(0, dimension * 4),
  };
}

/** The rows as an npy 1.0 file: magic, version, header length, and a header padded so that data is 64-aligned. */
function npy({ dimension, count, row }, chosen = Array.from({ length: count }, (_, i) => i)) {
  const header = `{'descr': '<f4', 'fortran_order': False, 'shape': (${chosen.length}, ${dimension}), }`;
  const padded = `${header.padEnd(Math.ceil((header.length + 11) / 64) * 64 - 11)}\n`;
  const start = Buffer.from(`\x93NUMPY\x01\x00\x00\x00${padded}`, 'latin1');
  start.writeUInt16LE(padded.length, 8);
  return Buffer.concat([start, ...chosen.map(row)]);
}

function lines(name) {
  const bytes = readFileSync(join(from, name));
  const text = (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  return text.split(/\r?\n/).filter((line) => line !== '');
}

function write(name, content) {
  writeBytes(name, content.map((line) => `${line}\n`).join(''));
}

function writeBytes(name, content) {
  const path = join(out, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

/** Sizes of all that lies in OUT, the hand-written README and licences included. */
function report() {
  const files = readdirSync(out, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => join(entry.parentPath ?? entry.path, entry.name)).sort();
  const sizes = paths.map((path) => statSync(path).size);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  for (const [i, path] of paths.entries())
    console.log(`${String(sizes[i]).padStart(9)}  ${relative(out, path)}`);
  console.log(`${String(total).padStart(9)}  bytes in ${out}`);
  console.log(
    `${rows.length} passages, ${queries.length} queries, ${qrels.length} judgements, ${links.length} links`,
  );
  if (total <= SIZE_LIMIT) return;
  console.error(`over the limit of ${SIZE_LIMIT} bytes: lower PASSAGES`);
  process.exit(1);
}
