import type { RecordBatch } from 'apache-arrow';
import { CorankError, type Place, quote, reasonOf } from '../errors.js';
import { toAccessRow } from '../ingest/access.js';
import { analyzerNamed } from '../ingest/analyzer.js';
import { validateEdge } from '../ingest/edges.js';
import { type Dropped, validateNode } from '../ingest/node.js';
import type { Node } from '../types.js';
import { type AnnOptions, type AnnPlan, annTable, checkedAnn, planAnn } from './ann.js';
import {
  checkedDerive,
  checkedDimension,
  checkedEmbed,
  checkedFields,
  checkedForm,
  checkedMode,
  checkedSource,
  isLsa,
} from './build-checks.js';
import type { BuildOptions, IndexSource } from './build-options.js';
import { buildCsr } from './csr.js';
import { DerivedLinks } from './derived-links.js';
import { EdgeTableBuilder } from './edge-table.js';
import { EmbeddingsBuilder } from './embeddings.js';
import { ForwardIndex } from './forward-index.js';
import type { Draft } from './generation.js';
import { GrantsBuilder } from './grants.js';
import { compareIds } from './id-order.js';
import type { LsaEmbedding } from './lsa.js';
import { NodeEmbedder } from './node-embedder.js';
import { NodeTable } from './node-table.js';
import { learnVectors } from './own-vectors.js';
import { placed } from './placed.js';
import { buildPostings } from './postings.js';
import { FORMAT, FORMAT_VERSION, type TableName } from './schema.js';

/** Takes the records in, stream by stream, then turns them into the tables of one generation. */
export class IndexBuilder {
  skippedEdges = 0;
  readonly dropped: Dropped = { nested: 0 };
  private readonly source: IndexSource;
  private readonly options: BuildOptions;
  private readonly inputs = new Map<string, number>();
  private readonly analyzer;
  private readonly forward: ForwardIndex;
  private readonly nodes: NodeTable;
  private readonly grants: GrantsBuilder;
  private readonly embeddings: EmbeddingsBuilder;
  private readonly edges: EdgeTableBuilder | undefined;
  private readonly derived: DerivedLinks | undefined;
  private readonly lsa: LsaEmbedding | undefined;
  private readonly embedder: NodeEmbedder | undefined;
  private readonly ann: Required<AnnOptions> | undefined;

  constructor(source: IndexSource, options: BuildOptions) {
    this.source = checkedSource(source);
    this.options = options;
    const embed = checkedEmbed(source, options);
    this.ann = checkedAnn(options.ann, checkedForm(options.vectors));
    this.analyzer = analyzerNamed(options.analyzer ?? 'english');
    this.forward = new ForwardIndex(this.analyzer);
    this.nodes = new NodeTable(checkedFields(options.fields ?? []));
    this.grants = new GrantsBuilder(checkedMode(options.accessMode), source.access !== undefined);
    this.embeddings = new EmbeddingsBuilder(
      source.embeddings?.columns ??
        checkedDimension(options.dimension ?? (isLsa(embed) ? undefined : embed?.dimension)),
      options.embeddingModel ?? (isLsa(embed) ? `lsa-${embed.dimension}` : embed?.model),
      checkedForm(options.vectors),
    );
    if (isLsa(embed)) this.lsa = embed;
    else if (embed !== undefined) this.embedder = new NodeEmbedder(embed, this.embeddings, options.signal);
    this.derived = checkedDerive(options.derive) ? new DerivedLinks() : undefined;
    const hasEdges = source.edges !== undefined || this.derived !== undefined;
    this.edges = hasEdges ? new EdgeTableBuilder() : undefined;
    if (source.embeddings !== undefined && options.embeddingModel === undefined) {
      throw new CorankError('INVALID_INPUT', 'vectors need the name of their model: give embeddingModel');
    }
  }

  async readNodes(): Promise<void> {
    for await (const { value, place } of placed(this.source.nodes)) {
      this.options.signal?.throwIfAborted();
      const node = this.checkedNode(value, place);
      const input = this.inputs.size;
      if (this.inputs.has(node.id)) {
        throw new CorankError('INVALID_INPUT', `the id ${quote(node.id)} occurs twice`, {
          place: { ...place, id: node.id },
        });
      }
      this.inputs.set(node.id, input);
      this.nodes.add(node);
      this.grants.add(node);
      this.forward.add(node);
      this.derived?.add(node);
      this.addVector(input, node, place);
      if (await this.embedder?.add(input, node))
        this.options.onProgress?.({ stage: 'embed', done: this.inputs.size });
      if (this.inputs.size % 4096 === 0)
        this.options.onProgress?.({ stage: 'nodes', done: this.inputs.size });
    }
    await this.embedder?.flush();
    const matrix = this.source.embeddings;
    if (matrix !== undefined && matrix.rows !== this.inputs.size) {
      throw new CorankError(
        'DIMENSION_MISMATCH',
        `the embedding matrix has ${matrix.rows} rows, the corpus ${this.inputs.size} nodes: they must go one to one`,
      );
    }
  }

  private checkedNode(value: Node, place: Place): Node {
    try {
      return validateNode(value, place, this.dropped);
    } catch (cause) {
      if (cause instanceof CorankError) throw cause;
      throw new CorankError('INVALID_INPUT', `a node cannot be read: ${reasonOf(cause)}`, { cause, place });
    }
  }

  private addVector(input: number, node: Node, place: Place): void {
    const matrix = this.source.embeddings;
    if (node.embedding !== undefined && matrix !== undefined) {
      throw new CorankError(
        'INVALID_INPUT',
        `${quote(node.id)} has a vector of its own beside the embedding matrix`,
        {
          place,
        },
      );
    }
    if (matrix !== undefined && input < matrix.rows) {
      const vector = matrix.data.subarray(input * matrix.columns, (input + 1) * matrix.columns);
      this.embeddings.add(input, node.id, vector, this.options.embeddingModel!);
    }
    if (node.embedding === undefined) return;
    if (this.options.embed !== undefined) {
      throw new CorankError(
        'INVALID_INPUT',
        `${quote(node.id)} has a vector of its own, and embed makes the vectors: leave one of them out`,
        { place },
      );
    }
    const model = node.embeddingModel ?? this.options.embeddingModel;
    if (model === undefined) {
      throw new CorankError('INVALID_INPUT', `the vector of ${quote(node.id)} names no embeddingModel`, {
        place,
      });
    }
    this.embeddings.add(input, node.id, node.embedding, model);
  }

  async readAccess(): Promise<void> {
    if (this.source.access === undefined) return;
    const seen = new Set<number>();
    for await (const { value, place } of placed(this.source.access)) {
      this.options.signal?.throwIfAborted();
      const row = toAccessRow(value, place);
      const input = this.inputs.get(row.id);
      if (input === undefined) {
        throw new CorankError('INVALID_INPUT', `the access row of ${quote(row.id)} has no node`, { place });
      }
      if (seen.has(input)) {
        throw new CorankError('INVALID_INPUT', `two access rows for ${quote(row.id)}`, { place });
      }
      seen.add(input);
      this.grants.set(input, row);
    }
  }

  async readEdges(): Promise<void> {
    if (this.edges === undefined || this.source.edges === undefined) return;
    for await (const { value, place } of placed(this.source.edges)) {
      this.options.signal?.throwIfAborted();
      const edge = validateEdge(value, place);
      const from = this.inputs.get(edge.from);
      const to = this.inputs.get(edge.to);
      if (from !== undefined && to !== undefined) this.edges.add(from, to, edge);
      else if (this.options.skipDangling === true) this.skippedEdges++;
      else {
        const unknown = from === undefined ? edge.from : edge.to;
        throw new CorankError(
          'INVALID_INPUT',
          `the edge from ${quote(edge.from)} to ${quote(edge.to)} ends at ${quote(unknown)}, which is no node; ` +
            'add the node, or give --skip-dangling (skipDangling: true) to count such edges and go on',
          { place },
        );
      }
      if (this.edges.count % 65536 === 0)
        this.options.onProgress?.({ stage: 'edges', done: this.edges.count });
    }
  }

  finish(): { draft: Draft; tables: Map<TableName, RecordBatch>; ann: AnnPlan | undefined } {
    const ids = [...this.inputs.keys()];
    const order = Uint32Array.from(ids, (_, input) => input).sort((a, b) => compareIds(ids[a]!, ids[b]!));
    const rowOf = new Uint32Array(order.length);
    order.forEach((input, row) => {
      rowOf[input] = row;
    });
    const tables = new Map<TableName, RecordBatch>();
    const grants = this.grants.finish(order);
    const { nodes, filters } = this.nodes.finish(order);
    tables.set('nodes', nodes);
    if ((this.options.fields ?? []).length > 0) tables.set('filters', filters);
    if (grants.tables !== undefined) {
      for (const name of ['access', 'classes', 'labels'] as const) tables.set(name, grants.tables[name]);
    }
    const postings = buildPostings(this.forward, order);
    tables.set('lengths', postings.lengths).set('postings', postings.postings).set('codes', postings.codes);
    if (this.lsa !== undefined) this.options.onProgress?.({ stage: 'embed', done: 0 });
    const learned =
      this.lsa === undefined
        ? undefined
        : learnVectors(this.lsa, {
            forward: this.forward,
            grants: this.grants,
            mode: grants.mode,
            ids,
            order,
            into: this.embeddings,
          });
    if (learned !== undefined) tables.set('lsa', learned.table);
    const vectors = this.embeddings.finish(rowOf);
    if (vectors !== undefined) {
      tables.set('embeddings', vectors.table);
      if (vectors.quantized !== undefined) tables.set('quantized', vectors.quantized);
    }
    const ann = this.ann && planAnn(this.ann, vectors, grants.tables);
    if (ann !== undefined) tables.set('ann', annTable(ann.places));
    const edges = this.edges?.finish(rowOf);
    if (edges !== undefined) {
      const csr = buildCsr(edges, order.length);
      tables.set('kinds', edges.kinds).set('edges', edges.edges).set('out', csr.out).set('in', csr.in);
    }
    const derived = this.derived?.finish(rowOf);
    if (derived !== undefined) {
      for (const name of ['phrases', 'titles', 'mentions'] as const) tables.set(name, derived[name]);
    }
    const draft: Draft = {
      format: FORMAT,
      version: FORMAT_VERSION,
      access: grants.mode,
      analyzer: { name: this.analyzer.name, fingerprint: this.analyzer.fingerprint },
      scored: postings.scored,
      fields: [...(this.options.fields ?? [])],
      ...(vectors === undefined
        ? {}
        : {
            embedding: {
              dimension: vectors.dimension,
              width: vectors.width,
              model: vectors.model,
              ...(learned === undefined ? {} : { lsa: learned.origin }),
              models: vectors.models,
              vectors: vectors.form,
              ...(this.ann === undefined ? {} : { ann: { ...this.ann, graphs: [] } }),
            },
          }),
      edges: edges !== undefined,
      ...(derived === undefined ? {} : { derived: derived.counts }),
      counts: {
        nodes: order.length,
        edges: edges?.edges.numRows ?? 0,
        vectors: vectors?.rows ?? 0,
        terms: postings.terms,
        postings: postings.entries,
      },
      limits: {
        codeBytes: postings.codeBytes,
        maxCodes: postings.maxCodes,
        maxOccurrences: postings.maxOccurrences,
      },
    };
    return { draft, tables, ann };
  }
}
