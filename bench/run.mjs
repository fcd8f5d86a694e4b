// `node bench/run.mjs [SUBJECT ...] [--seed N] [--large]`: all subjects unless some are named; --large adds sizes that take
// many minutes. Run `npm run build:wasm` first.
import { register } from 'node:module';
import { parseArgs } from 'node:util';

register('./typescript.mjs', import.meta.url);

const SUBJECTS = [
  'dot',
  'dense',
  'int8',
  'hnsw',
  'bm25',
  'phrase',
  'top-k',
  'pagerank',
  'pagerank-peers',
  'rrf',
  'scope',
  'rerank',
  'system-b',
];
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string', default: '1' }, large: { type: 'boolean', default: false } },
});
const unknown = positionals.find((name) => !SUBJECTS.includes(name));
if (unknown !== undefined) throw new RangeError(`no subject ${unknown}: expected ${SUBJECTS.join(', ')}`);

const { machine, print } = await import('./report.ts');
console.log(`${machine()}, seed ${values.seed}`);
for (const name of positionals.length > 0 ? positionals : SUBJECTS) {
  const { default: subject } = await import(`./${name}.bench.ts`);
  for (const table of await subject(Number(values.seed), values.large)) print(table);
}
