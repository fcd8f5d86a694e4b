// `npm start`: indexes the bundled sample, ranks its queries with every retriever and prints the measures side
// by side. Only the command line is used; every command is printed, so each can be repeated by hand.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const SAMPLE = 'data/2wiki-sample';
const INDEX = 'out/2wiki.corank';
const RUNS = [
  { name: 'bm25' },
  { name: 'dense' },
  { name: 'hybrid' },
  { name: 'pagerank' },
  { name: 'fused' },
  {
    name: 'fused-dense0.1',
    retriever: 'fused',
    options: ['--set', 'rrf.weights.dense=0.1', '--tag', 'fused-dense0.1'],
  },
  { name: 'graph-completion' },
  { name: 'default' },
];
const EXAMPLE = {
  query: '6f7115240bde11eba7f7acde48001122',
  text: 'What is the place of birth of the director of film Oh Billy, Behave?',
  answer: '6220', // Grover Jones
};

const root = resolve(fileURLToPath(new URL('..', import.meta.url)));
const began = performance.now();
process.stdout.on('error', () => process.exit()); // the reader of a pipe has gone, as with `| head`

if (!existsSync(`${root}/dist/cli/main.js`)) {
  console.error('dist/cli/main.js is missing: run npm run build first');
  process.exit(1);
}
mkdirSync(`${root}/out`, { recursive: true });

heading('The sample: 164 questions, 2,500 Wikipedia passages, 1,562 links (data/2wiki-sample/README.md)');
if (process.cwd() !== root) console.log(`$ cd ${quoted(root)}`);
corank(
  ...['index', SAMPLE, '--edges', `${SAMPLE}/title_edges.csv`],
  ...['--embed', 'lsa:256'],
  ...['--out', INDEX, '--replace'],
);

heading('Every question, every retriever');
for (const { name, retriever = name, options = [] } of RUNS) {
  const asked = ['--queries', `${SAMPLE}/queries.jsonl`, '--retriever', retriever, ...options];
  corank('rank', INDEX, ...asked, '--out', runOf(name));
}

heading('Measures');
corank(
  ...['eval', '--qrels', `${SAMPLE}/qrels/test.tsv`, ...RUNS.map(({ name }) => runOf(name))],
  ...['--measures', 'nDCG@10,R@5,R@10,R@20,R@100'],
);

console.log(`
R@k is the share of a question's passages among the first k. bm25 finds those that share words with the
question; pagerank starts there and follows the links. dense compares vectors that were learned from the passages
themselves; hybrid lets them add what the words leave open. fused joins all three by rank alone: it
finds more than bm25, but dense, weak on names, spoils its first places; with a tenth of the weight it does not.`);

heading('One question that needs a link');
for (const retriever of ['bm25', 'pagerank']) {
  corank('search', INDEX, EXAMPLE.text, '--retriever', retriever, '-k', '3');
}
console.log(
  `Passage ${EXAMPLE.answer} (Grover Jones) has the answer but none of the question's rarer words: ` +
    `${placeIn('bm25')}; ${placeIn('pagerank')}, over the link from the film's passage, which names him.`,
);

heading('What is where');
console.log(`index  ${INDEX}
runs   ${runOf('NAME')}, one for each line of the table (query Q0 passage rank score tag)
took   ${Math.round((performance.now() - began) / 1000)} s`);

function corank(...args) {
  console.log(`$ node dist/cli/main.js ${args.map(quoted).join(' ')}`);
  const { status, error } = spawnSync(process.execPath, ['dist/cli/main.js', ...args], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (error) throw error;
  // Ended by a signal, there is no status: interrupted.
  if (status !== 0) process.exit(status ?? 130);
}

function placeIn(name) {
  const lines = readFileSync(`${root}/${runOf(name)}`, 'utf8').split('\n');
  const line = lines.find((entry) => entry.startsWith(`${EXAMPLE.query} Q0 ${EXAMPLE.answer} `));
  return line === undefined ? `${name} misses it` : `${name} has it at rank ${line.split(' ')[3]}`;
}

function runOf(name) {
  return `out/${name}.trec`;
}

function quoted(word) {
  return /^[\w./,=@:-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function heading(text) {
  console.log(`\n== ${text}\n`);
}
