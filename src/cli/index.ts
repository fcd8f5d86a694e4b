import { type Command, Option } from 'commander';
import { quote } from '../errors.js';
import type { BuildReport } from '../index/build-index.js';
import type { LsaEmbedding } from '../index/lsa.js';
import type { SourceTreeReport } from '../ingest/code/source-tree.js';
import type { Embedder } from '../ingest/embedder.js';
import type { Dropped } from '../ingest/node.js';
import { readNpy } from '../ingest/npy.js';
import { decimal } from '../ingest/number.js';
import type { SourceKind } from '../ingest/sources.js';
import type { AccessMode, VectorForm } from '../types.js';
import { type CodeOptions, codeLines, codeSource } from './code-input.js';
import { addServiceOptions, type EmbedOptions, embedderMaker } from './embed-options.js';
import { asUsage, usage, usageOf } from './exit-codes.js';
import { declaredFields } from './field-declarations.js';
import { graphsText } from './graphs-text.js';
import {
  accessOf,
  edgesOf,
  InputRows,
  type NamedSource,
  nodesOf,
  placeText,
  sourcesOf,
} from './index-input.js';
import { Notes } from './notes.js';
import { collect } from './option-values.js';
import { listing, printJson } from './stdout.js';

interface IndexOptions extends EmbedOptions, CodeOptions {
  out: string;
  from?: SourceKind;
  field?: readonly string[];
  edges?: readonly string[];
  edgeRows?: boolean;
  embeddings?: string;
  lsaTrainOn?: string;
  vectors: VectorForm;
  ann?: boolean;
  analyzer?: string;
  access?: AccessMode;
  derive?: 'links';
  skipDangling?: boolean;
  replace?: boolean;
  json?: boolean;
  quiet?: boolean;
}

export function addIndex(program: Command, signal: AbortSignal): void {
  const command = program
    .command('index')
    .summary('build an index from nodes, edges, access lists and vectors')
    .description('Builds an index. It appears whole or not at all.')
    .argument(
      '<source...>',
      'BEIR folders (corpus.jsonl[.gz]), node files (.jsonl[.gz], .csv[.gz]) or a folder of source code; - is stdin',
    )
    .requiredOption('--out <dir>', 'folder of the index, made when missing (required)')
    .addOption(
      new Option('--from <kind>', 'kind of the sources (default: detected, and said)').choices([
        'beir',
        'jsonl',
        'csv',
        'code',
      ]),
    )
    .option(
      '--field <name:type>',
      'filter field from meta: string, int, float or bool; repeatable (default: none)',
      collect,
    )
    .option(
      '--edges <file>',
      'csv with header src,dst[,kind][,weight], or jsonl {from,to,kind,weight}; repeatable (default: no graph)',
      collect,
    )
    .option('--edge-rows', 'src and dst are 0-based input rows, over all sources in order (default: ids)')
    .option(
      '--acl <file>',
      'csv or jsonl: id, org, source, acl; for code an id is a pattern of paths, as in .gitignore (default: what the nodes say)',
    )
    .option(
      '--exclude <pattern>',
      'code: leave out, as .gitignore would; repeatable (default: none)',
      collect,
    )
    .option('--include <pattern>', 'code: take only these; repeatable (default: all)', collect)
    .option('--git', 'code: fields changed and churn from the history (default: off)')
    .option(
      '--embeddings <file.npy>',
      'vectors, a row a node in input order, f32 or f64 (default: what the nodes say)',
    )
    .option(
      '--embedding-model <name>',
      'name of their model, as the service of --embed knows it too (default: what the nodes say)',
    )
    .option(
      '--embed <name>',
      'makes the vectors: lsa or lsa:DIM, from the words of the nodes; use-lite; or the URL of a service with /v1/embeddings (default: none)',
    )
    .option(
      '--lsa-train-on <tag>',
      'in a scoped index: lsa learns only from rows with this tag (default: none)',
    );
  addServiceOptions(command)
    .addOption(
      new Option(
        '--vectors <form>',
        'f32: as given; int8: bytes beside them, faster, same answers; int8-only: approximate',
      )
        .choices(['f32', 'int8', 'int8-only'])
        .default('f32'),
    )
    .option('--ann', 'graphs of neighbours (HNSW) beside the vectors, for --retriever hnsw (default: none)')
    .addOption(
      new Option(
        '--analyzer <name>',
        'english: stems, no stop words; plain: runs of a-z 0-9; code: identifiers and their parts (default: english, for code code)',
      ).choices(['english', 'plain', 'code']),
    )
    .addOption(
      new Option('--access <mode>', 'default: scoped once anything has org, source or acl').choices([
        'scoped',
        'open',
      ]),
    )
    .addOption(
      new Option(
        '--derive <what>',
        'links: walks follow title mentions and rare names of the texts too (default: none)',
      ).choices(['links']),
    )
    .option('--skip-dangling', 'count edges that end at no node (default: refuse them)')
    .option('--replace', 'renew an index that is there (default: refuse)')
    .option('--json', 'counts as one JSON value on stdout (default: on stderr)')
    .option('--quiet', 'no progress and no notes on stderr (default: off)')
    .action((paths: string[], options: IndexOptions) => index(paths, options, signal));
}

async function index(paths: readonly string[], options: IndexOptions, signal: AbortSignal): Promise<void> {
  const notes = new Notes(options);
  const fields = declaredFields(options.field ?? []);
  check(paths, options, notes);
  if (options.ann === true) (await import('../index/hnsw.js')).requireHnsw();
  const { prepareTarget } = await import('../index/generation.js');
  await prepareTarget(options.out, options.replace === true).catch((error) => {
    throw usageOf(error);
  });
  const sources = await sourcesOf(paths, options.from);
  if (options.from === undefined)
    for (const { path, kind } of sources) notes.note(`reading ${path} as ${kind}`);
  const rows = options.edgeRows === true && options.edges !== undefined ? new InputRows() : undefined;
  const dropped: Dropped = { nested: 0 };
  const { edges, acl, embeddings, embeddingModel, access } = options;
  const embed = await embedOf(options, notes);
  const code = await codeOf(sources, options, notes, signal);
  const { buildIndex } = await import('../index/build-index.js');
  const report = await buildIndex(
    {
      ...(code?.source ?? {
        nodes: nodesOf(sources, { signal, dropped, rows }),
        ...(edges === undefined ? {} : { edges: edgesOf(edges, { signal, rows }) }),
        ...(acl === undefined ? {} : { access: accessOf(acl, { signal }) }),
      }),
      ...(embeddings === undefined ? {} : { embeddings: await readNpy(embeddings, { signal }) }),
    },
    {
      out: options.out,
      analyzer: options.analyzer ?? (code === undefined ? 'english' : 'code'),
      fields: [...(code?.fields ?? []), ...fields],
      ...(access === undefined ? {} : { accessMode: access }),
      ...(embeddingModel === undefined ? {} : { embeddingModel }),
      ...(embed === undefined ? {} : { embed }),
      vectors: options.vectors,
      ...(options.derive === undefined ? {} : { derive: options.derive }),
      ann: options.ann === true,
      skipDangling: options.skipDangling === true,
      replace: options.replace === true,
      signal,
      onProgress: ({ stage, done }) => {
        if (stage === 'ann' && done === 0)
          notes.note('linking the vectors into graphs of neighbours, about 0.1 to 2 ms each');
        notes.progress(done === 0 ? stage : `${stage} ${done}`);
      },
    },
  );
  await say(report, dropped, sources, options, notes, code?.report);
}

/** The one source tree; undefined when the sources are files of nodes. */
async function codeOf(
  sources: readonly NamedSource[],
  options: IndexOptions,
  notes: Notes,
  signal: AbortSignal,
) {
  const tree = sources.find(({ kind }) => kind === 'code');
  if (tree === undefined) {
    const unused = (['exclude', 'include', 'git'] as const).find((name) => options[name] !== undefined);
    if (unused !== undefined) notes.warn(`--${unused} has no effect without a folder of source code`);
    return undefined;
  }
  if (sources.length > 1) throw usage('a folder of source code is indexed alone');
  if (options.edges !== undefined) throw usage('--edges: a folder of source code has edges of its own');
  return codeSource(tree.path, options, notes, signal);
}

function check(paths: readonly string[], options: IndexOptions, notes: Notes): void {
  const { edges = [], acl, embeddings, embeddingModel } = options;
  const inputs = [...paths, ...edges, ...(acl === undefined ? [] : [acl])];
  if (inputs.filter((path) => path === '-').length > 1)
    throw usage('standard input (-) can be read only once');
  if (embeddings !== undefined && embeddingModel === undefined) {
    throw usage('--embeddings needs --embedding-model NAME: queries must come from the same model');
  }
  if (options.embed !== undefined && embeddings !== undefined)
    throw usage('--embed makes the vectors that --embeddings brings: give one of them');
  if (options.ann === true && options.vectors === 'int8-only')
    throw usage('--ann holds the numbers that --vectors int8-only leaves out: give one of them');
  if (options.lsaTrainOn !== undefined && options.embed === undefined)
    notes.warn('--lsa-train-on has no effect without --embed lsa');
  if (options.edgeRows === true && edges.length === 0)
    notes.warn('--edge-rows has no effect without --edges');
}

/** `lsa`, `lsa:DIM`, `use-lite` or a URL. */
async function embedOf(options: IndexOptions, notes: Notes): Promise<LsaEmbedding | Embedder | undefined> {
  const { embed, lsaTrainOn, embeddingModel } = options;
  const make = embedderMaker(options, notes);
  if (embed === undefined) return undefined;
  if (make !== undefined) {
    if (lsaTrainOn !== undefined) notes.warn('--lsa-train-on has no effect without --embed lsa');
    const embedder = make(embeddingModel);
    if (embedder !== undefined) return embedder;
    throw usage('--embed URL needs --embedding-model NAME, as the service knows it');
  }
  const [name, dimension, ...rest] = embed.split(':');
  if (name !== 'lsa' || rest.length > 0)
    throw usage(`--embed ${quote(embed)}: the known ones are lsa, lsa:DIM, use-lite and URLs`);
  const { lsa } = await import('../index/lsa.js');
  return asUsage(() =>
    lsa({
      ...(dimension === undefined ? {} : { dimension: decimal(dimension) }),
      ...(lsaTrainOn === undefined ? {} : { trainOn: lsaTrainOn }),
    }),
  );
}

async function say(
  { manifest, generation, skippedEdges, droppedMeta }: BuildReport,
  dropped: Dropped,
  sources: readonly NamedSource[],
  options: IndexOptions,
  notes: Notes,
  code: SourceTreeReport | undefined,
): Promise<void> {
  const { access, analyzer, counts, embedding: { ann } = {} } = manifest;
  const nested = dropped.nested + droppedMeta;
  if (dropped.first !== undefined) {
    const { name, place } = dropped.first;
    notes.note(`meta ${quote(name)} is a list or an object and was dropped, first at ${placeText(place)}`);
  }
  const entries = [
    ...(code === undefined ? [] : codeLines(code)),
    ['nodes', counts.nodes],
    ['edges', counts.edges],
    ['skipped edges', skippedEdges],
    ['dropped meta values', nested],
    ['vectors', counts.vectors],
    ...(ann === undefined ? [] : [['graphs of neighbours', graphsText(ann)] as const]),
    ['terms', counts.terms],
    ['access', access],
    ['generation', generation],
  ] as const;
  notes.block(listing(entries));
  if (!options.json) return;
  const { nodes, edges, vectors, terms } = counts;
  const said = { nodes, edges, skippedEdges, droppedMeta: nested, vectors, terms, access, generation };
  const more = { ...(ann === undefined ? {} : { ann }), ...(code === undefined ? {} : { code }) };
  await printJson({ out: options.out, sources, analyzer: analyzer.name, ...said, ...more });
}
